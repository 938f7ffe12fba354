import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { AgUiVerifier, type WireEvent } from '../support/ag-ui-verifier.ts';
import { streamArbitrary } from '../support/ag-ui-streams.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { seed } from '../support/seeded.ts';
import type { NodeDetail } from '../../src/model/reader-messages.ts';
import type { SpanRecord } from '../../src/model/records.ts';
import { spanArbitrary } from '../support/world.ts';
import { RealService, temporaryFolder } from './real-service.ts';

/** Between what is sent: long enough to be told in between, on a machine that has time. */
const PAUSE_MS = 100;

let service: RealService;
let runs = 0;

before(async (t) => {
  void t;
  service = await RealService.start({ dataDir: await temporaryFolder({ after: () => undefined }) });
});
after(() => service.stop());

async function send(events: readonly WireEvent[], taskId: string): Promise<void> {
  const response = await fetch(`${service.readers}/ag-ui/events?taskId=${taskId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  });
  const answer = (await response.json()) as { readonly accepted: number };
  assert.deepEqual([response.status, answer.accepted], [202, events.length]);
}

/** The events of the task's run, as they come. */
async function* told(taskId: string): AsyncGenerator<WireEvent> {
  const response = await fetch(`${service.readers}/ag-ui/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ threadId: taskId, runId: 'asked' }),
  });
  assert.equal(response.status, 200);
  assert.ok(response.body);
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) if (!frame.startsWith(':')) yield JSON.parse(frame.slice(6)) as WireEvent;
  }
}

async function toldAll(taskId: string): Promise<WireEvent[]> {
  const events: WireEvent[] = [];
  for await (const event of told(taskId)) events.push(event);
  return events;
}

/** Pieces of one text that follow one another are one, and runs have the ids that were asked for. */
function asOne(events: readonly WireEvent[], taskId: string): readonly WireEvent[] {
  const all: WireEvent[] = [];
  for (const event of events) {
    const last = all.at(-1);
    if (last && continues(last, event))
      all[all.length - 1] = { ...last, delta: deltaOf(last) + deltaOf(event) };
    else if (/^RUN_(STARTED|FINISHED)$/.test(event.type))
      all.push({ ...event, threadId: taskId, runId: 'asked' });
    else all.push(event);
  }
  return all;
}

function deltaOf({ delta }: WireEvent): string {
  return typeof delta === 'string' ? delta : '';
}

function continues(last: WireEvent, next: WireEvent): boolean {
  if (typeof next['delta'] !== 'string' || last.type !== next.type) return false;
  if ('metadata' in next || 'rawEvent' in next) return false;
  const id = next['messageId'] ?? next['toolCallId'];
  return (
    id === (last['messageId'] ?? last['toolCallId']) || (id === undefined && next.type.endsWith('_CHUNK'))
  );
}

/** Everything but the pieces of texts. */
function structure(events: readonly WireEvent[]): readonly WireEvent[] {
  return events.filter(({ type }) => !/_(CONTENT|ARGS|CHUNK)$/.test(type));
}

/** Everything but what the pieces of texts say. */
function withoutPieces(events: readonly WireEvent[]): readonly WireEvent[] {
  return events.map((event) => (typeof event['delta'] === 'string' ? { ...event, delta: '' } : event));
}

/** The whole texts, in the order of their beginning, with markers of any task. */
function wholeTexts(events: readonly WireEvent[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const event of events) {
    const { delta, messageId, toolCallId } = event;
    if (typeof delta !== 'string') continue;
    const key = String(messageId ?? toolCallId);
    texts.set(key, (texts.get(key) ?? '') + delta);
  }
  // A word right before, in or behind it makes another address of it.
  for (const [key, text] of texts)
    texts.set(
      key,
      text.replace(/[\w.%+-]*bob@\w[\w.-]*\.com\w*/g, '[EMAIL]').replace(/\[EMAIL:\w+\]/g, '[EMAIL]'),
    );
  return texts;
}

/** @param isLive the end of what was said so far is held back while it may be that of something private */
function isSame(
  given: readonly WireEvent[],
  shown: readonly WireEvent[],
  taskId: string,
  isLive = false,
): void {
  const verifier = new AgUiVerifier();
  // Whose chunks begin and end is not spelled out; the official client does in the job.
  if (!given.some(({ type }) => type.endsWith('_CHUNK'))) {
    shown.forEach((event) => verifier.take(event));
    verifier.end();
  }
  const [wanted, found] = [asOne(given, taskId), asOne(shown, taskId)];
  const hasSecret = JSON.stringify([...wholeTexts(given).values()]).includes('[EMAIL]');
  if (isLive) assert.deepEqual(structure(found), structure(wanted));
  else if (hasSecret) {
    assert.deepEqual(withoutPieces(found), withoutPieces(wanted));
    assert.doesNotMatch(JSON.stringify(found), /@\w*\.com/);
  } else assert.deepEqual(found, wanted);
  assert.deepEqual(wholeTexts(found), wholeTexts(wanted), JSON.stringify(shown));
}

describe('a task that came in by AG-UI', () => {
  test('[AG30] comes out with its own events in the same order', async () => {
    await fc.assert(
      fc.asyncProperty(streamArbitrary('thread', 'run'), async (events) => {
        const taskId = `stored-${++runs}`;
        await send(events, taskId);
        await service.flush();
        isSame(events, await toldAll(taskId), taskId);
      }),
      propertyRuns(),
    );
  });

  test('[AG30] is told live: its events come while it runs, and are the same in the end', async () => {
    const streams = fc.sample(streamArbitrary('thread', 'run'), { numRuns: 20, seed });
    await Promise.all(
      streams.map(async (events) => {
        const taskId = `live-${++runs}`;
        const third = Math.ceil(events.length / 3);
        await send(events.slice(0, 1), taskId);
        await service.flush();
        const shown = toldAll(taskId);
        for (let from = 1; from < events.length; from += third) {
          await setTimeout(PAUSE_MS);
          await send(events.slice(from, from + third), taskId);
        }
        isSame(events, await shown, taskId, true);
      }),
    );
  });
});

test('[AG32] conformance 8: a graph that was told comes in elsewhere as the same nodes and edges, with their texts', async () => {
  const other = await RealService.start({ dataDir: await temporaryFolder({ after: () => undefined }) });
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(spanArbitrary, { minLength: 1, maxLength: 15 }), async (spans) => {
        const traceId = (++runs).toString(16).padStart(32, 'd');
        const taskId = `told-${runs}`;
        await service.feed(spans.map((one) => ofTask(one, traceId, taskId)));
        await service.flush();
        const response = await fetch(`${service.readers}/ag-ui/run`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ threadId: taskId, runId: 'r' }),
        });
        const taken = await fetch(`${other.readers}/ag-ui/events`, {
          method: 'POST',
          headers: { 'content-type': 'text/event-stream' },
          body: await response.text(),
        });
        assert.equal(taken.status, 202, await taken.text());
        await other.flush();
        assert.deepEqual(await shownOf(other, taskId), await shownOf(service, taskId));
      }),
      // Each takes two services: a tenth of a second.
      { ...propertyRuns(), numRuns: Math.ceil(propertyRuns().numRuns / 4) },
    );
  } finally {
    await other.stop();
  }
});

/** Not of the tasks of other cases, and over. */
function ofTask(one: SpanRecord, traceId: string, taskId: string): SpanRecord {
  const attributes = new Map([...one.attributes, ['taskID', taskId]]);
  for (const key of ['requestId', 'gen_ai.response.id', 'depends_on', 'session.id', 'lmnr.span.ids_path'])
    attributes.delete(key);
  return { ...one, traceId, links: [], attributes, end: one.end ?? one.start };
}

async function shownOf(from: RealService, taskId: string): Promise<object> {
  const { nodes, edges } = await from.graph(`taskIds=${taskId}&collapse=none`);
  // A container's answer, which repeats that of a call inside it, is not told.
  const texts = nodes.map(async ({ id, type }) => {
    const { texts: held } = (await from.json(`/api/nodes/${encodeURIComponent(id)}`)) as NodeDetail;
    if (type === 'LLM_CALL') return [id, held?.completion];
    return type === 'TOOL_CALL' ? [id, held?.toolArguments, held?.toolResult] : [id];
  });
  return {
    nodes: nodes.map(({ details: _details, ...node }) => node).sort(byId),
    edges: edges.map(({ id, relation }) => ({ id, relation })).sort(byId),
    texts: (await Promise.all(texts)).sort(),
  };
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}
