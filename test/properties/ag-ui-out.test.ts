import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Pace } from '../../src/base/pace.ts';
import { applyUpdate } from '../../src/model/apply-update.ts';
import type { ExplanationGraph, GraphUpdate } from '../../src/model/node.ts';
import type { ReaderApi } from '../../src/subscriptions/reader-api.ts';
import { TaskEvents } from '../../src/servers/http/ag-ui/task-events.ts';
import { AgUiVerifier, type WireEvent } from '../support/ag-ui-verifier.ts';
import { makeEngine } from '../support/make-engine.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { Situations } from '../support/situations.ts';
import { batchOf, worldArbitrary } from '../support/world.ts';

/** More turns of the event loop than telling what is new of a small task takes. */
const TURNS = 200;
/** Longer than anything is waited for. */
const LONG_MS = 61_000;

test('[AG20] conformance 3: whatever the graph and however it grows, its run keeps the order of AG-UI and tells all of it', async (t) => {
  const seen = new Situations(
    'live',
    'failed',
    'finished',
    'thoughts',
    'answers',
    'toolCalls',
    'subAgents',
    'activities',
    'replaced',
  );
  await fc.assert(
    fc.asyncProperty(
      worldArbitrary,
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 }),
      async (records, sizes) => {
        seen.nextCase();
        const { engine, clock } = makeEngine();
        const { reader } = engine;
        let fed = 0;
        const feed = async (size: number): Promise<void> => {
          await engine.correlator.consume(batchOf(records.slice(fed, fed + size)));
          fed += size;
          engine.flush();
        };
        const tell = async (taskId: string): Promise<Told> => {
          const ids = { threadId: taskId, runId: `run of ${taskId}` };
          const task = new TaskEvents(ids, { reader, clock, pace: new Pace(clock) });
          open.push(task);
          const events: WireEvent[] = [];
          const begunBy = fed;
          for await (const some of task.events()) events.push(...some);
          return { taskId, events, isLive: fed > begunBy, hasAll: fed >= records.length };
        };

        const open: TaskEvents[] = [];
        const [first = 1, ...later] = sizes;
        await feed(first);
        const { tasks } = await reader.listTasks();
        const stories = tasks.map(({ taskId }) => tell(taskId));
        for (const size of [...later, records.length]) {
          await turns();
          if (fed < records.length) await feed(size);
        }
        for (let i = 0; i < 2; i++) {
          await turns();
          clock.advance(LONG_MS);
        }
        await turns();
        for (const task of open) task.close('the test ends');

        for (const { taskId, events, isLive, hasAll } of await Promise.all(stories)) {
          const verifier = new AgUiVerifier();
          events.forEach((event) => verifier.take(event));
          seen.saw(verifier.end());
          seen.saw('live', Number(isLive));
          const of = (type: string): number => events.filter((event) => event.type === type).length;
          seen.saw('thoughts', of('REASONING_MESSAGE_START'));
          seen.saw('answers', of('TEXT_MESSAGE_START'));
          seen.saw('toolCalls', of('TOOL_CALL_START'));
          seen.saw('subAgents', of('SUBAGENT_STARTED'));
          seen.saw('activities', of('ACTIVITY_SNAPSHOT'));
          seen.saw('replaced', events.filter((event) => nodeOf(event)?.replaces !== undefined).length);
          const wasErased = events.at(-1)?.['code'] === 'not_found';
          if (hasAll && !wasErased) await tellsAll(reader, taskId, events);
        }
      },
    ),
    propertyRuns(),
  );
  seen.tell(t);
});

interface Told {
  readonly taskId: string;
  readonly events: readonly WireEvent[];
  /** Something came while it was told. */
  readonly isLive: boolean;
  /** Nothing came after it. */
  readonly hasAll: boolean;
}

interface NodeMetadata {
  readonly id?: string;
  readonly replaces?: string;
  readonly edges?: readonly { readonly id: string }[];
}

function nodeOf({ metadata }: WireEvent): NodeMetadata | undefined {
  return (metadata as { readonly explain: NodeMetadata } | undefined)?.explain;
}

/** The graph, and all that was thought, called and answered in it. */
async function tellsAll(reader: ReaderApi, taskId: string, events: readonly WireEvent[]): Promise<void> {
  const graph = await reader.getGraph({ filters: { taskIds: [taskId] }, collapse: 'none' });
  let told: ExplanationGraph = { nodes: [], edges: [], lastUpdated: '' };
  for (const event of events)
    if (event['name'] === 'explain.graph_update') told = applyUpdate(told, event['value'] as GraphUpdate);
  assert.deepEqual(byId(told.nodes), byId(graph.nodes));
  assert.deepEqual(byId(told.edges), byId(graph.edges));

  const texts = textsTold(events);
  const named = new Set(events.map((event) => nodeOf(event)?.id));
  for (const { id, type, details } of graph.nodes) {
    const { texts: held = {} } = await reader.getNode(id);
    const isSentence = type === 'REASONING' && texts.has(`thought ${String(details?.['partOf'])}`);
    assert.ok(named.has(id) || isSentence, `nothing names ${id}`);
    if (held.reasoning !== undefined && !isSentence)
      assert.equal(texts.get(`thought ${id}`), held.reasoning, id);
    // What was told of a record that says otherwise now cannot be taken back.
    if (type === 'LLM_CALL' && held.completion !== undefined)
      assert.equal(texts.get(`answer ${id}`), held.completion, id);
    if (type !== 'TOOL_CALL') continue;
    const result = texts.get(`result ${id}`);
    assert.ok(result !== undefined, `${id} has no result`);
    if (held.toolResult !== undefined) assert.equal(result, held.toolResult, id);
  }
}

/** What a client that puts the pieces together has in the end, by node. */
function textsTold(events: readonly WireEvent[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const keys = new Map<unknown, string>();
  const begin = (what: string, event: WireEvent, id: unknown): void => {
    const { id: nodeId, replaces } = nodeOf(event) ?? {};
    const key = `${what} ${String(nodeId)}`;
    keys.set(id, key);
    if (replaces !== undefined) texts.set(key, '');
  };
  for (const event of events) {
    const { messageId, toolCallId, delta, content } = event;
    if (event.type === 'REASONING_MESSAGE_START') begin('thought', event, messageId);
    if (event.type === 'TEXT_MESSAGE_START') begin('answer', event, messageId);
    if (event.type === 'TOOL_CALL_START') begin('arguments', event, toolCallId);
    if (event.type === 'TOOL_CALL_RESULT') texts.set(`result ${String(nodeOf(event)?.id)}`, String(content));
    if (typeof delta !== 'string') continue;
    const key = keys.get(messageId ?? toolCallId) ?? '';
    texts.set(key, (texts.get(key) ?? '') + delta);
  }
  return texts;
}

function byId<T extends { readonly id: string }>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

async function turns(): Promise<void> {
  for (let i = 0; i < TURNS; i++) await new Promise(setImmediate);
}
