import type { TestContext } from 'node:test';
import type { ExplanationNode } from '../../src/model/node.ts';
import type { ServerFrame } from '../../src/model/reader-messages.ts';
import { until } from '../support/until.ts';

/** A node as a frame brought it, and performance.now() when the frame came. */
export interface Sighting {
  readonly at: number;
  readonly node: ExplanationNode;
}

/** A reader that subscribes to everything over the WebSocket and remembers what it was told, in order. */
export class NodeWatch {
  private readonly sightings: Sighting[] = [];
  private subscribed = false;

  private constructor(socket: WebSocket) {
    socket.addEventListener('open', () =>
      socket.send(JSON.stringify({ type: 'subscribe', request: { collapse: 'none' } })),
    );
    socket.addEventListener('message', ({ data }: MessageEvent) => this.take(String(data)));
  }

  /** @param readers `host:port` */
  static async open(t: Pick<TestContext, 'after'>, readers: string): Promise<NodeWatch> {
    const socket = new WebSocket(`ws://${readers}/explain`);
    t.after(() => socket.close());
    const watch = new NodeWatch(socket);
    await until('the reader is subscribed', () => watch.subscribed);
    return watch;
  }

  of(nodeId: string): readonly Sighting[] {
    return this.sightings.filter(({ node }) => node.id === nodeId);
  }

  /** Waits until the node was shown in this state. @returns when that was first so */
  async shows(nodeId: string, state: ExplanationNode['state']): Promise<Sighting> {
    const find = (): Sighting | undefined => this.of(nodeId).find(({ node }) => node.state === state);
    await until(`the reader sees ${nodeId} ${state}`, () => find() !== undefined);
    return find() as Sighting;
  }

  private take(data: string): void {
    const frame = JSON.parse(data) as ServerFrame;
    const at = performance.now();
    if (frame.type === 'subscribed') this.subscribed = true;
    if (frame.type === 'update')
      for (const node of frame.update.addedNodes) this.sightings.push({ at, node });
  }
}
