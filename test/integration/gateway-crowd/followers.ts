import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { ServerFrame } from '../../../src/model/reader-messages.ts';
import { isObject } from '../../../src/base/json.ts';
import type {
  ExplanationEdge,
  ExplanationGraph,
  ExplanationNode,
  GraphUpdate,
} from '../../../src/model/node.ts';

/** Sockets that are opened side by side. */
const AT_ONCE = 100;
const AGAIN_MS = 500;

/** What is equal is one string for all followers: ten thousand of them have the same graph. */
const TEXTS = new Map<string, string>();

function textOf(item: object): string {
  const text = canonical(item);
  const known = TEXTS.get(text);
  if (known === undefined) TEXTS.set(text, text);
  return known ?? text;
}

function canonical(item: unknown): string {
  return JSON.stringify(item, (_, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}

/** All nodes and edges of a graph, in order. */
export function contentOf({ nodes, edges }: Pick<ExplanationGraph, 'nodes' | 'edges'>): string {
  return [...nodes, ...edges].map(canonical).sort().join('\n');
}

/** A reader of everything that keeps its graph by the updates, and comes back when its connection is lost. */
export class Follower {
  messages = 0;
  /** Graphs that it got from the beginning. */
  fresh = 0;
  private readonly url: string;
  private readonly nodes = new Map<string, string>();
  private readonly edges = new Map<
    string,
    { readonly from: string; readonly to: string; readonly text: string }
  >();
  private socket: WebSocket | undefined;
  private isClosed = false;
  private place: { readonly subscriptionId: string; sequence: number } | undefined;

  constructor(url: string) {
    this.url = url;
  }

  /** Resolves when it has its first graph. */
  async open(): Promise<void> {
    const socket = this.connect();
    await once(socket, 'message');
  }

  /** As `contentOf`. */
  get content(): string {
    return [...this.nodes.values(), ...[...this.edges.values()].map(({ text }) => text)].sort().join('\n');
  }

  close(): void {
    this.isClosed = true;
    this.socket?.terminate();
  }

  private connect(): WebSocket {
    const socket = new WebSocket(this.url, { perMessageDeflate: false });
    this.socket = socket;
    socket.on('open', () => this.ask(socket));
    socket.on('message', (data: Buffer) => this.take(socket, JSON.parse(data.toString()) as ServerFrame));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (!this.isClosed) setTimeout(() => void this.connect(), AGAIN_MS * (0.5 + Math.random()));
    });
    return socket;
  }

  private ask(socket: WebSocket): void {
    const { subscriptionId, sequence } = this.place ?? {};
    const request = subscriptionId === undefined ? {} : { subscriptionId, resumeFrom: sequence };
    socket.send(JSON.stringify({ type: 'subscribe', request }));
  }

  private take(socket: WebSocket, frame: ServerFrame): void {
    this.messages++;
    if (frame.type === 'subscribed') {
      const { subscriptionId, sequence, graph } = frame;
      this.fresh++;
      this.place = { subscriptionId, sequence };
      const { nodes, edges } = graph;
      this.nodes.clear();
      this.edges.clear();
      this.add(nodes, edges);
    } else if (frame.type === 'update') this.update(frame.update, frame.sequence);
    else if (frame.type !== 'resumed') {
      // It cannot be gone on with: snapshotNeeded, or an error that says that the subscription is not known any more.
      this.place = undefined;
      this.ask(socket);
    }
  }

  private update(
    { removedNodeIds, removedEdgeIds, addedNodes, addedEdges }: GraphUpdate,
    sequence: number,
  ): void {
    if (this.place) this.place.sequence = sequence;
    for (const id of removedNodeIds) this.nodes.delete(id);
    for (const { id } of removedEdgeIds) this.edges.delete(id);
    if (removedNodeIds.length > 0)
      for (const [id, { from, to }] of this.edges)
        if (!this.nodes.has(from) || !this.nodes.has(to)) this.edges.delete(id);
    this.add(addedNodes, addedEdges);
  }

  private add(nodes: readonly ExplanationNode[], edges: readonly ExplanationEdge[]): void {
    for (const node of nodes) this.nodes.set(node.id, textOf(node));
    for (const edge of edges) this.edges.set(edge.id, { from: edge.from, to: edge.to, text: textOf(edge) });
  }
}

/** @param url `ws://host:port/explain` */
export async function openFollowers(url: string, count: number): Promise<readonly Follower[]> {
  const all = Array.from({ length: count }, () => new Follower(url));
  for (let at = 0; at < count; at += AT_ONCE)
    await Promise.all(all.slice(at, at + AT_ONCE).map((follower) => follower.open()));
  return all;
}
