import type { Client } from '../client/client.ts';
import { ClientError } from '../client/client-error.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { NodeDetail } from '../model/reader-messages.ts';

/** Asked for at once: enough to hide the way there and back. */
const AT_ONCE = 8;

/** Nodes with their texts and attributes, in this order; without those that were erased meanwhile. */
export async function* nodeDetails(
  client: Client,
  nodes: readonly ExplanationNode[],
): AsyncGenerator<NodeDetail, void> {
  for (let at = 0; at < nodes.length; at += AT_ONCE) {
    const some = nodes.slice(at, at + AT_ONCE).map(({ id }) => detailOf(client, id));
    for (const detail of await Promise.all(some)) if (detail) yield detail;
  }
}

/** One of them. */
export async function detailOf(client: Client, nodeId: string): Promise<NodeDetail | undefined> {
  try {
    return await client.getNode(nodeId);
  } catch (error) {
    if (error instanceof ClientError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
