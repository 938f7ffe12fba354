import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import protobuf from 'protobufjs';
import { FILTER_PARAMETERS, FILTERS, type Filters } from '../../src/model/filters.ts';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { WAYS } from '../client/ways.ts';
import { run } from '../cli/run-command.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { FILTER_ORACLES, matchesOracle } from '../support/filter-oracles.ts';
import { Follower } from './follower.ts';
import { connectGrpc } from './grpc-client.ts';
import type { ReaderClient } from './reader-client.ts';
import { span, type SpanSketch } from './records.ts';
import { connectWs } from './websocket-client.ts';

/** Each filter hides something of this, and shows something. */
const SCENE: readonly SpanSketch[] = [
  { trace: 1, span: 1, name: 'plan', costUsd: 0.7, attributes: { 'session.id': 'session-1' } },
  { trace: 1, span: 2, parent: 1, name: 'write', agent: 'coder-agent', status: 'ERROR', costUsd: 0.2 },
  {
    trace: 2,
    span: 3,
    name: 'review',
    agent: 'critic-agent',
    attributes: { 'model.name': undefined, 'issues.count': 2 },
  },
  { trace: 2, span: 4, parent: 3, name: 'answer', latencyMs: 90 },
  {
    trace: 3,
    span: 5,
    name: 'ponder',
    attributes: { 'mew.kind': 'reasoning/start', 'mew.tells': 'message', 'mew.context': 'r1' },
  },
  {
    trace: 3,
    span: 6,
    parent: 5,
    name: 'suspect',
    attributes: { 'mew.kind': 'reasoning/thought', 'mew.tells': 'message', 'mew.context': 'r1/r2' },
  },
  {
    trace: 3,
    span: 7,
    parent: 5,
    name: 'doubt',
    attributes: { 'mew.kind': 'reasoning/thought', 'mew.tells': 'message', 'mew.context': 'r12' },
  },
];

interface Target {
  readonly service: RealService;
  readonly ws: ReaderClient;
  readonly grpc: ReaderClient;
}
/** @returns the graph that is shown @throws what is said of wrong filters */
type WayIn = (target: Target, filters: Filters) => Promise<ExplanationGraph>;

const changed = async (reader: ReaderClient, filters: Filters): Promise<ExplanationGraph> => {
  const follower = await Follower.start(await reader.subscribe({ filters: { text: 'no such text' } }));
  await reader.updateFilters(follower.id, filters);
  follower.take(await follower.subscription.frames.next());
  return follower.graph;
};
const subscribed = async (reader: ReaderClient, filters: Filters): Promise<ExplanationGraph> =>
  (await Follower.start(await reader.subscribe({ filters }))).graph;

const WAYS_IN: Readonly<Record<string, WayIn>> = {
  'subscribe by WebSocket': ({ ws }, filters) => subscribed(ws, filters),
  'updateFilters by WebSocket': ({ ws }, filters) => changed(ws, filters),
  'Subscribe by gRPC': ({ grpc }, filters) => subscribed(grpc, filters),
  'UpdateFilters by gRPC': ({ grpc }, filters) => changed(grpc, filters),
  'GetGraph by gRPC': ({ grpc }, filters) => grpc.getGraph({ filters }),
  'GET /api/graph': async ({ service }, filters) => {
    const query = new URLSearchParams();
    for (const [name, text] of inTexts(filters, (parameter) => parameter.query)) query.append(name, text);
    const response = await fetch(`${service.readers}/api/graph?${query.toString()}`);
    const answer = (await response.json()) as ExplanationGraph & { readonly error?: { message: string } };
    if (answer.error) throw new Error(answer.error.message);
    return answer;
  },
  ...Object.fromEntries(
    WAYS.map(({ name, connect }): [string, WayIn] => [
      `the client by ${name}`,
      async ({ service }, filters) => {
        const client = connect(service.readers);
        try {
          const live = client.subscribe({ filters });
          await live.ready;
          const graph = await client.getGraph({ filters });
          assert.deepEqual(live.graph.nodes().sort(), graph.nodes.map(({ id }) => id).sort());
          return graph;
        } finally {
          await client.close();
        }
      },
    ]),
  ),
  'the command line': async ({ service }, filters) => {
    const options = inTexts(filters, ({ option }) => `--${option.name}`).map((words) => words.join('='));
    const { stdout, stderr } = await run(['get', '--url', service.readers, ...options]);
    if (stderr !== '') throw new Error(stderr);
    return JSON.parse(stdout) as ExplanationGraph;
  },
};

/** Each text with its name. */
function inTexts(
  filters: Filters,
  nameOf: (parameter: (typeof FILTER_PARAMETERS)[number]) => string,
): (readonly [name: string, text: string])[] {
  return FILTER_PARAMETERS.flatMap((parameter) => {
    const { start, end } = filters.timeRange ?? {};
    const given = { ...filters, timeStart: start, timeEnd: end }[
      parameter.query as keyof Filters | 'timeStart'
    ];
    const texts = [given].flat() as readonly (string | number | undefined)[];
    return texts.flatMap((text) => (text === undefined ? [] : [[nameOf(parameter), String(text)] as const]));
  });
}

describe('filters on every way in', { concurrency: 2 }, () => {
  let target: Target;
  let dataDir: string;
  before(async () => {
    dataDir = await temporaryFolder();
    const service = await RealService.start({ dataDir, flags: ['--durability', 'memory'] });
    const address = service.service.addresses.readers;
    await service.feed(SCENE.map(span));
    await service.flush();
    target = { service, ws: await connectWs(address), grpc: await connectGrpc(address) };
  });
  after(async () => {
    await target.ws.disconnect();
    await target.grpc.disconnect();
    await target.service.stop();
    await rm(dataDir, { recursive: true });
  });

  for (const name of Object.keys(FILTERS) as (keyof Filters)[]) {
    const { example, wrong } = FILTER_ORACLES[name];
    const filters: Filters = { [name]: example };
    const [asked, problem] = wrong;
    const isPlaced = ({ message }: Error): boolean =>
      FILTER_PARAMETERS.some(
        ({ filter, query, option }) =>
          filter === name &&
          [`filters.${name}`, query, `--${option.name}`].some((place) => message.includes(place)),
      );
    for (const [way, ask] of Object.entries(WAYS_IN))
      test(`[SU3] [SU4] ${name}: ${way}`, async () => {
        const { nodes } = await target.ws.getGraph({ collapse: 'none' });
        const expected = nodes.filter((node) => matchesOracle(filters, node)).map((node) => node.name);
        assert.ok(expected.length > 0 && expected.length < nodes.length, 'the example tells nodes apart');
        const shown = await ask(target, filters);
        assert.deepEqual(shown.nodes.map((node) => node.name).sort(), expected.sort());
        await assert.rejects(ask(target, { [name]: asked }), (error: Error) => {
          assert.match(error.message, problem);
          assert.ok(isPlaced(error), error.message);
          return true;
        });
      });
  }
});

test('[SU3] explain.proto has every filter, and no other', () => {
  const proto = protobuf.loadSync(new URL('../../proto/explain/v1/explain.proto', import.meta.url).pathname);
  const { fieldsArray } = proto.lookupType('explain.v1.Filters');
  const types = fieldsArray.map(({ name, repeated, type }) => [name, repeated ? `${type}[]` : type]);
  const expected = Object.entries(FILTER_ORACLES).map(([name, { example }]) => {
    if (Array.isArray(example)) return [name, 'string[]'];
    return [name, { number: 'double', string: 'string', object: 'TimeRange' }[typeof example as string]];
  });
  assert.deepEqual(types.sort(), expected.sort());
  const messages = fieldsArray.filter(({ repeated, type }) => !repeated && type !== 'TimeRange');
  for (const field of messages) assert.ok(field.options?.['proto3_optional'], `${field.name} is optional`);
});
