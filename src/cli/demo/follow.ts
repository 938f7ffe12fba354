import type { LiveGraph } from '../../client/live-graph.ts';
import type { ExplanationNode } from '../../model/node.ts';
import { nodeLine } from '../terminal/describe-node.ts';
import type { Line } from '../terminal/line.ts';

/** Says each step when it appears, and again when its line reads differently. */
export function follow(live: LiveGraph, say: (line: Line) => void): void {
  const said = new Map<string, string>();
  const tell = (sign: Line, node: ExplanationNode): void => {
    const line = nodeLine(node);
    const text = line.map((span) => span.text).join('');
    if (said.get(node.id) === text) return;
    said.set(node.id, text);
    say([{ text: '  ' }, ...sign, { text: ' ' }, ...line]);
  };
  live.on('change', ({ nodes }) => {
    for (const node of nodes.added) tell([{ text: '+', style: 'green' }], node);
    for (const node of nodes.changed) tell([{ text: '~', style: 'yellow' }], node);
  });
}

/** Resolves when the graph holds such a node; rejects after `timeoutMs`, and when it is stopped. */
export async function untilThereIs(
  live: LiveGraph,
  holds: (node: ExplanationNode) => boolean,
  timeoutMs: number,
  stopped: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)]);
  let off = (): void => undefined;
  await new Promise<void>((resolve, reject) => {
    const look = (): void => {
      if (live.graph.someNode((_, node) => holds(node))) resolve();
    };
    off = live.on('change', look);
    signal.addEventListener('abort', () =>
      reject(new Error(`the end of the story did not arrive within ${timeoutMs} ms`)),
    );
    look();
  }).finally(() => off());
}
