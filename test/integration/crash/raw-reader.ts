import assert from 'node:assert/strict';
import { WebSocket } from 'ws';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../../../src/model/node.ts';
import type { ServerFrame } from '../../../src/model/reader-messages.ts';

/** Reached only where something is broken, or the machine is very busy. */
const ANSWER_MS = 30_000;
const MAX_FRAME_BYTES = 1 << 30;

/** What became of a subscription: it was the first, was taken up where it was, or had to begin again. */
export type Outcome = 'first' | 'continued' | 'snapshotNeeded';

export interface View {
  readonly collapse: 'auto' | 'none';
}

type Frame = ServerFrame | { readonly type: 'error'; readonly message: string };

/** A WebSocket reader that follows the protocol by hand, with nothing of the client's in it. */
export class RawReader {
  readonly view: View;
  private readonly nodes = new Map<string, ExplanationNode>();
  private readonly edges = new Map<string, ExplanationEdge>();
  private socket: WebSocket | undefined;
  private subscriptionId: string | undefined;
  private sequence = 0;
  private outcome: Outcome = 'first';
  private isCurrent = false;
  private failure: Error | undefined;

  constructor(view: View) {
    this.view = view;
  }

  get graph(): Pick<ExplanationGraph, 'nodes' | 'edges'> {
    return { nodes: [...this.nodes.values()], edges: [...this.edges.values()] };
  }

  /** Throws what went wrong while nobody waited. */
  assertWell(): void {
    if (this.failure) throw this.failure;
  }

  /**
   * Subscribes, or takes the subscription up where it was, and subscribes again when it is told to. Resolves when the
   * graph is followed.
   */
  async connect(address: string): Promise<Outcome> {
    const socket = await opened(`ws://${address}/explain`);
    this.socket = socket;
    this.isCurrent = false;
    this.outcome = this.subscriptionId === undefined ? 'first' : 'continued';
    const done = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the service does not answer a reader')), ANSWER_MS);
      socket.on('message', (data: Buffer) => {
        try {
          // The connection before may still have frames to give.
          if (socket !== this.socket) return;
          this.take(JSON.parse(data.toString()) as Frame);
          if (!this.isCurrent) return;
          clearTimeout(timer);
          resolve();
        } catch (error) {
          this.failure = error as Error;
          reject(this.failure);
        }
      });
    });
    const { subscriptionId, sequence } = this;
    this.ask(subscriptionId === undefined ? {} : { subscriptionId, resumeFrom: sequence });
    await done;
    return this.outcome;
  }

  /** Loses the connection without a word. */
  drop(): void {
    this.socket?.terminate();
    this.socket = undefined;
  }

  private ask(where: object): void {
    this.socket?.send(JSON.stringify({ type: 'subscribe', request: { ...this.view, ...where } }));
  }

  private take(frame: Frame): void {
    switch (frame.type) {
      case 'subscribed':
        this.nodes.clear();
        this.edges.clear();
        for (const node of frame.graph.nodes) this.nodes.set(node.id, node);
        for (const edge of frame.graph.edges) this.edges.set(edge.id, edge);
        this.subscriptionId = frame.subscriptionId;
        this.sequence = frame.sequence;
        this.isCurrent = frame.partial !== true;
        break;
      case 'event':
        break;
      case 'resumed':
        assert.deepEqual([frame.subscriptionId, frame.sequence], [this.subscriptionId, this.sequence]);
        this.isCurrent = true;
        break;
      case 'update': {
        assert.equal(frame.subscriptionId, this.subscriptionId);
        assert.equal(frame.sequence, this.sequence + 1, 'a sequence rises by 1');
        this.sequence = frame.sequence;
        this.isCurrent ||= frame.complete === true;
        const { removedNodeIds, removedEdgeIds, addedNodes, addedEdges } = frame.update;
        for (const id of removedNodeIds) this.nodes.delete(id);
        for (const { id } of removedEdgeIds) this.edges.delete(id);
        if (removedNodeIds.length > 0) this.dropLooseEdges();
        for (const node of addedNodes) this.nodes.set(node.id, node);
        for (const edge of addedEdges) this.edges.set(edge.id, edge);
        for (const { from, to } of addedEdges)
          assert.ok(this.nodes.has(from) && this.nodes.has(to), 'no edge without both its nodes');
        break;
      }
      case 'snapshotNeeded':
        assert.equal(frame.subscriptionId, this.subscriptionId);
        this.outcome = 'snapshotNeeded';
        this.isCurrent = false;
        this.subscriptionId = undefined;
        this.ask({});
        break;
      case 'error':
        assert.fail(`the service answered a reader: ${frame.message}`);
    }
  }

  private dropLooseEdges(): void {
    for (const [id, { from, to }] of this.edges)
      if (!this.nodes.has(from) || !this.nodes.has(to)) this.edges.delete(id);
  }
}

function opened(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { maxPayload: MAX_FRAME_BYTES });
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      // Its end is noticed where the next answer is missing.
      socket.on('error', () => {});
      resolve(socket);
    });
    socket.once('error', reject);
  });
}
