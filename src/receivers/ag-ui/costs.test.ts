import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../base/clock.ts';
import { assertCpuTime } from '../../../test/support/cpu-time.ts';
import { Bounds } from '../bounds.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../config.ts';
import { TestReceiver } from './ag-ui-for-test.ts';
import { foldEvent } from './fold-event.ts';
import { OpenRuns } from './open-runs.ts';
import { readEvent } from './read-event.ts';
import { RunRecords } from './run-records.ts';
import { MAX_RUNS_OF_BODY, RunsOfBody } from './runs-of-body.ts';

type Event = Readonly<Record<string, unknown>>;

const SENDER = { agent: 'a', taskId: undefined };
/** What 20,000 events of any kind may cost; a hundredth of what they do where each looks at all others. */
const MAX_MS = 1_500;

function started(i: number): Event {
  return { type: 'RUN_STARTED', threadId: 't', runId: `r${i}` };
}

function many(count: number, event: (i: number) => Event): readonly Event[] {
  return Array.from({ length: count }, (_, i) => event(i));
}

/** Takes a body into runs, as the receiver does. */
function take(runs: OpenRuns, events: readonly Event[]): void {
  const bounds = new Bounds({ ...DEFAULT_RECEIVER_LIMITS, maxValues: 10_000_000 });
  const body = new RunsOfBody(runs, SENDER, { received: new ManualClock().now(), take: () => true });
  const records = new RunRecords();
  for (const event of events.map((value) => readEvent({ ...value }, bounds)))
    for (const run of [body.runsOf(event)].flat())
      if (typeof run !== 'string' && 'traceId' in run)
        foldEvent({ run, records, bounds, received: 1 }, event);
  for (const run of body.all) records.log(run, 1);
  body.commit(1);
}

/** Two thousand runs that are known, half of them over, which all have the same ids. */
function crowd(): OpenRuns {
  const runs = new OpenRuns();
  for (let i = 0; i < 2_000; i++)
    take(runs, [
      started(i),
      { type: 'TEXT_MESSAGE_START', messageId: 'm' },
      { type: 'TEXT_MESSAGE_START', messageId: 'n' },
      ...(i % 2 === 0 ? [{ type: 'RUN_FINISHED', threadId: 't', runId: `r${i}` }] : []),
    ]);
  return runs;
}

const COUNT = 20_000;
const BODIES: { readonly [what: string]: readonly Event[] } = {
  'runs, and texts of ids that nobody has': [
    ...many(900, (i) => started(i + 5_000)),
    ...many(COUNT, (i) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: `x${i}`, delta: 'a' })),
  ],
  'texts of ids that all runs have': many(COUNT, (i) => ({
    type: 'TEXT_MESSAGE_CONTENT',
    messageId: i % 2 === 0 ? 'm' : 'n',
    delta: 'a',
  })),
  'what comes after the end of a run': [
    started(9_000),
    { type: 'RUN_FINISHED', threadId: 't', runId: 'r9000' },
    ...many(COUNT, () => ({ type: 'RUN_ERROR', message: 'x' })),
  ],
  'steps that never end': [
    started(9_000),
    ...many(COUNT, (i) => ({ type: 'STEP_STARTED', stepName: `s${i}` })),
  ],
  'steps that end, beside others that do not': [
    started(9_000),
    ...many(4_000, (i) => ({ type: 'TEXT_MESSAGE_START', messageId: `m${i}` })),
    ...many(COUNT, (i) => ({ type: 'SUBAGENT_FINISHED', subagentRunId: `s${i % 100}` })),
  ],
  'results that no turn reads': [
    started(9_000),
    ...many(COUNT, (i) => ({ type: 'TOOL_CALL_RESULT', toolCallId: `c${i}`, content: 'x' })),
  ],
  'sub-agents': [
    started(9_000),
    ...many(COUNT, (i) => ({ type: 'TEXT_MESSAGE_CHUNK', subagentRunId: `s${i}`, delta: 'x' })),
  ],
};

for (const [what, body] of Object.entries(BODIES))
  test(`[AG13] a body costs in proportion to its events: ${what}`, () => {
    const runs = crowd();
    assertCpuTime(MAX_MS, () => take(runs, body), what);
  });

test('[AG13] a body of very many runs is refused whole, and nothing of it counts', async () => {
  const to = new TestReceiver();
  await assert.rejects(to.post(many(MAX_RUNS_OF_BODY + 1, started)), { code: 'TOO_LARGE' });
  assert.equal(to.receiver.openRuns, 0);
  assert.equal(to.spans.length, 0);
  await to.post(many(MAX_RUNS_OF_BODY, started));
  assert.equal(to.receiver.openRuns, MAX_RUNS_OF_BODY);
});

test('[AG6] a run whose id begins again in one body keeps its events', async () => {
  const to = new TestReceiver();
  const custom = (name: string): Event => ({ type: 'CUSTOM', name, value: 1 });
  await to.post([started(1), custom('one'), started(1), custom('two')]);
  const kept = JSON.stringify(to.spans.map(({ attributes }) => attributes.get('agui.events')));
  assert.ok(kept.includes('"one"') && kept.includes('"two"'), kept);
});

test('[AG3] steps that stand in one another deeper than is kept stand in the last one', async () => {
  const to = new TestReceiver();
  await to.post([started(1), ...many(100, (i) => ({ type: 'STEP_STARTED', stepName: `s${i}` }))]);
  const steps = to.of('step');
  assert.equal(steps.length, 100);
  assert.deepEqual(
    new Set(steps.slice(64).map(({ parentSpanId }) => parentSpanId)),
    new Set([steps[63]?.spanId]),
  );
});

test('[AG3] what comes after the end of a run ends no run of another body', async () => {
  const to = new TestReceiver();
  await to.post([started(1)]);
  await to.post([
    started(2),
    { type: 'RUN_FINISHED', threadId: 't', runId: 'r2' },
    { type: 'RUN_ERROR', message: 'x' },
  ]);
  assert.deepEqual(
    to.of('run').map(({ attributes, end }) => [attributes.get('agui.run'), end !== undefined]),
    [
      ['r1', false],
      ['r2', true],
    ],
  );
});
