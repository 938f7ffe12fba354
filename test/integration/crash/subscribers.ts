import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { connect, type Client, type LiveGraph } from '../../../src/client/node.ts';
import type { ExplanationEdge, ExplanationNode } from '../../../src/model/node.ts';
import { within } from '../steps/child.ts';
import { RawReader, type View } from './raw-reader.ts';

interface Graph {
  readonly nodes: readonly ExplanationNode[];
  readonly edges: readonly ExplanationEdge[];
}

/** What has happened to readers since the beginning. */
export interface ReaderCounts {
  /** Compared with a fresh one, and found the same. */
  same: number;
  /** A connection was lost, and what was missed came. */
  continued: number;
  /** They were told to subscribe again. */
  snapshotNeeded: number;
}

/** Clients look for a service that starts again this often: they are to find it while it still restores. */
const TIMING = { initialBackoffMs: 50, maxBackoffMs: 200 };
/** Readers follow in far less; the machine may be very busy. */
const FOLLOW_MS = 60_000;
const SCHEMES = ['http', 'grpc'] as const;

interface Following {
  readonly scheme: (typeof SCHEMES)[number];
  readonly client: Client;
  readonly live: LiveGraph;
}

/**
 * Readers that follow one service, which is killed and started again at the same address: the project's client over
 * WebSocket and over gRPC, which find it by themselves, and one that speaks the protocol by hand.
 */
export class Subscribers {
  private readonly view: View;
  private readonly counts: ReaderCounts;
  private readonly clients: readonly Following[];
  private readonly raw: RawReader;

  constructor(readers: string, view: View, counts: ReaderCounts) {
    this.view = view;
    this.counts = counts;
    this.clients = SCHEMES.map((scheme) => follow(scheme, readers, view));
    this.raw = new RawReader(view);
  }

  /** The first time, and after a restart. Resolves when the service knows all of them. */
  async arrive(readers: string): Promise<void> {
    const outcome = await this.raw.connect(readers);
    await within(FOLLOW_MS, 'every reader is back', async () => {
      const known = await metric(readers, 'explain_subscriptions');
      return known > this.clients.length && this.clients.every(({ live }) => live.state === 'live')
        ? true
        : undefined;
    });
    if (outcome === 'first') return;
    this.counts[outcome]++;
    // In this process's life; the reader by hand is among them.
    const told = await metric(readers, 'explain_snapshots_needed_total');
    const clientsTold = outcome === 'snapshotNeeded' ? told - 1 : told;
    this.counts.snapshotNeeded += clientsTold;
    this.counts.continued += Math.max(0, this.clients.length - clientsTold);
  }

  /** The connection is lost while the service goes on: what is missed meanwhile comes, or a fresh graph. */
  async loseConnection(readers: string, pauseMs: number): Promise<void> {
    this.raw.drop();
    await new Promise((done) => setTimeout(done, pauseMs));
    const outcome = await this.raw.connect(readers);
    if (outcome !== 'first') this.counts[outcome]++;
  }

  /** Each of them holds the graph that one who subscribes now gets. */
  async checkSame(readers: string): Promise<void> {
    this.raw.assertWell();
    await Promise.all([
      same(
        'a reader by hand',
        () => this.raw.graph,
        () => freshRaw(readers, this.view),
      ),
      ...this.clients.map(({ scheme, live }) =>
        same(
          `the client over ${scheme}`,
          () => graphOf(live),
          () => freshOf(scheme, readers, this.view),
        ),
      ),
    ]);
    this.counts.same += 1 + this.clients.length;
  }

  async close(): Promise<void> {
    this.raw.drop();
    await Promise.all(this.clients.map(({ client }) => client.close()));
  }
}

function follow(scheme: Following['scheme'], readers: string, { collapse }: View): Following {
  const client = connect({ url: `${scheme}://${readers}`, timing: TIMING });
  const live = client.subscribe({ collapse });
  // Lost connections are what this is about.
  live.on('error', () => {});
  return { scheme, client, live };
}

async function freshOf(scheme: Following['scheme'], readers: string, view: View): Promise<Graph> {
  const { client, live } = follow(scheme, readers, view);
  try {
    await live.ready;
    return graphOf(live);
  } finally {
    await client.close();
  }
}

async function freshRaw(readers: string, view: View): Promise<Graph> {
  const reader = new RawReader(view);
  try {
    await reader.connect(readers);
    return reader.graph;
  } finally {
    reader.drop();
  }
}

function graphOf({ graph }: LiveGraph): Graph {
  return { nodes: graph.mapNodes((_, node) => node), edges: graph.mapEdges((_, edge) => edge) };
}

/** What is taken in before may still be on its way, and nodes leave memory meanwhile: in the end they are the same. */
async function same(who: string, held: () => Graph, fresh: () => Promise<Graph>): Promise<void> {
  let expected = sorted(await fresh());
  let found = sorted(held());
  const deadline = performance.now() + FOLLOW_MS;
  while (!isDeepStrictEqual(found, expected) && performance.now() < deadline) {
    await new Promise((done) => setTimeout(done, 100));
    expected = sorted(await fresh());
    found = sorted(held());
  }
  assert.deepEqual(
    differing(found.nodes, expected.nodes),
    [],
    `nodes that ${who} does not have as a fresh one`,
  );
  assert.deepEqual(
    differing(found.edges, expected.edges),
    [],
    `edges that ${who} does not have as a fresh one`,
  );
}

/** The ids of a few that are not the same in both. */
function differing(
  a: Graph['nodes'] | Graph['edges'],
  b: Graph['nodes'] | Graph['edges'],
): readonly string[] {
  const others = new Map<string, unknown>(b.map((item) => [item.id, item]));
  const mine = new Set(a.map(({ id }) => id));
  const missing = b.filter(({ id }) => !mine.has(id));
  return [...a.filter((item) => !isDeepStrictEqual(item, others.get(item.id))), ...missing]
    .map(({ id }) => id)
    .slice(0, 3);
}

function sorted({ nodes, edges }: Graph): Graph {
  const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);
  return { nodes: nodes.toSorted(byId), edges: edges.toSorted(byId) };
}

async function metric(readers: string, name: string): Promise<number> {
  const text = await (await fetch(`http://${readers}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)`, 'm').exec(text)?.[1] ?? 0);
}
