import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplanationNode } from './node.ts';
import { TaskSums, together, type TaskOverview } from './task-overview.ts';

const HASH = 'ab'.repeat(16);

function overview(...nodes: readonly (Partial<ExplanationNode> & { readonly at?: number })[]): TaskOverview {
  const sums = new TaskSums();
  for (const [i, { at = i, ...fields }] of nodes.entries()) {
    const name = fields.name ?? `step ${i}`;
    const timestamp = new Date(1_750_000_000_000 + at).toISOString();
    sums.add({
      id: `n${i}`,
      timestamp,
      agent: 'A',
      type: 'OTHER',
      name,
      title: name,
      taskId: 't',
      state: 'ENDED',
      status: 'OK',
      ...(i > 0 && { details: { parentSpanId: 'p' } }),
      ...fields,
    });
  }
  return sums.overview('t');
}

test('[TA1] the title of a task is what the user said, else what was asked, else what the root said, else its name, and no hash', () => {
  const root = { name: 'invoke', promptSummary: 'Plan a trip' };
  const query = {
    type: 'USER_QUERY',
    name: 'user query',
    title: 'Where to?',
    details: { partOf: 'n0' },
  } as const;
  assert.equal(overview(root, query).title, 'Where to?');
  assert.equal(overview(root).title, 'Plan a trip');
  assert.equal(overview({ name: 'invoke' }, { promptSummary: 'Book it', at: -1 }).title, 'Book it');
  assert.equal(overview({ name: 'invoke', promptSummary: '{"a":1}' }).title, 'invoke');
  assert.equal(overview({ name: 'invoke', status: 'ERROR', title: 'boom' }).title, 'invoke');
  const said = { name: 'chat', title: 'Sunny.' };
  assert.equal(overview(said).title, 'Sunny.');
  assert.equal(overview(said, { promptSummary: 'Weather?' }).title, 'Weather?');
  const thought = { promptSummary: 'Hm.', details: { parentSpanId: 'p', promptSummaryOf: 'thought' } };
  assert.equal(overview({ name: 'fix the test' }, thought).title, 'fix the test');
  assert.equal(overview({ name: 'nightly report' }, { name: 'fetch', at: -1 }).title, 'nightly report');
  assert.equal(overview({ name: HASH }, { name: 'plan' }).title, 'plan');
  assert.equal(overview({ name: HASH }).title, 'a task without a name');
  assert.equal(overview({ name: 'x'.repeat(300) }).title.length, 120);
  const approval = { id: `event:approval:${HASH}`, name: 'ApprovalRequested', title: 'May I?', details: {} };
  assert.equal(overview({ name: 'fix the test' }, approval).title, 'fix the test');
  assert.equal(overview(approval).title, 'May I?');
  const fix = { id: 'event:fix-1', name: 'CodeFixApplied', title: 'rule no-secrets', details: {}, at: -1 };
  assert.equal(overview({ name: 'fix the test' }, fix).title, 'fix the test');
  assert.equal(overview(fix).title, 'rule no-secrets');
});

test('[TA2] figures are sums over the nodes, and what nobody tells is absent', () => {
  const task = overview(
    { agent: 'B', latencyMs: 50, details: { sessionId: 's', userId: 'u' } },
    { costUsd: 0.1, tokensIn: 3, status: 'WARNING', details: { sessionId: 'later' } },
    { costUsd: 0.2, tokensIn: 4, status: 'ERROR', state: 'RUNNING', type: 'TOOL_CALL' },
  );
  assert.deepEqual([task.nodes, task.errors, task.warnings, task.running], [3, 1, 1, 1]);
  assert.deepEqual([task.status, task.state, task.sessionId, task.userId], ['ERROR', 'RUNNING', 's', 'u']);
  assert.deepEqual([task.costUsd, task.tokensIn, task.tokensOut], [0.3, 7, undefined]);
  assert.deepEqual([task.agents, task.types, task.durationMs], [['B', 'A'], { OTHER: 2, TOOL_CALL: 1 }, 50]);
  assert.equal(task.lastChanged, new Date(1_750_000_000_050).toISOString());
  assert.equal(task.archived, undefined);
});

test('[TA2] the agents of a task are listed with that of its root first, in memory and archived', () => {
  const root = { agent: 'Planner', details: {} };
  const [early, late] = [
    { agent: 'Zoe', at: 5 },
    { agent: 'Adam', at: 9 },
  ] as const;
  const whole = overview(root, { ...early, at: -1 }, late);
  assert.deepEqual(whole.agents, ['Planner', 'Adam', 'Zoe']);
  const parts = [overview(late, { ...late, at: 20 }), overview(root, early)] as const;
  assert.deepEqual(together(...parts).agents, whole.agents);
});

test('[TA2] a task recovered where all that failed was done again, well, and no root failed', () => {
  const root = { latencyMs: 900 };
  const inside = { parentSpanId: 'p', toolName: 'search' };
  const failed = { name: 'call 1', status: 'ERROR', details: inside, at: 100, latencyMs: 50 } as const;
  const again = { name: 'call 2', details: inside, at: 200 };
  const isRecovered = (...nodes: Partial<ExplanationNode & { readonly at: number }>[]): boolean => {
    const [forwards, backwards] = [overview(...nodes), overview(...nodes.toReversed())];
    assert.equal(forwards.recovered, backwards.recovered);
    return forwards.recovered === true;
  };
  assert.ok(isRecovered(root, failed, again));
  assert.ok(!isRecovered(root, again), 'nothing failed');
  assert.ok(!isRecovered(root, failed));
  assert.ok(!isRecovered(root, failed, { ...again, at: 120 }), 'it was under way already');
  assert.ok(!isRecovered(root, failed, { ...again, agent: 'B' }));
  assert.ok(!isRecovered(root, failed, { ...again, details: { ...inside, toolName: 'fetch' } }));
  assert.ok(!isRecovered(root, failed, again, { ...failed, at: 300 }));
  assert.ok(!isRecovered(root, failed, { ...again, state: 'RUNNING' }));
  assert.ok(!isRecovered({ ...root, status: 'ERROR' }, failed, again));
  assert.ok(!isRecovered(root, failed, { ...again, status: 'WARNING' }));
  assert.ok(!isRecovered(root, failed, { ...again, state: 'ABANDONED' }));
  const given = (argumentsHash: number, node: typeof failed | typeof again) => ({
    ...node,
    details: { ...inside, argumentsHash },
  });
  assert.ok(isRecovered(root, given(1, failed), given(1, again)));
  assert.ok(!isRecovered(root, given(1, failed), given(2, again)), 'it was given something else');
  assert.ok(isRecovered(root, given(1, failed), again), 'nobody says what it was given');
  assert.ok(isRecovered(root, failed, given(2, again)));
  const twice = [given(1, failed), { ...given(2, failed), at: 120 }, given(1, again)];
  assert.ok(!isRecovered(root, ...twice));
  assert.ok(isRecovered(root, ...twice, { ...given(2, again), at: 210 }));
  assert.ok(isRecovered(root, { ...failed, latencyMs: 0.6 }, { ...again, at: 101 }), 'its clock was cut');
  assert.ok(!isRecovered(root, { ...failed, latencyMs: 0.6 }, { ...again, at: 100 }), 'nothing tells');
  const [early, late] = [overview(root, failed, again), overview({ ...again, at: 400 })];
  assert.equal(together(late, early).recovered, true);
  assert.equal(together(late, overview(root, failed)).recovered, undefined);
});

test('[TA2] a task says how many of its steps wait for a person', () => {
  const asked = (outcome: string): Partial<ExplanationNode> => ({ details: { parentSpanId: 'p', outcome } });
  const live = overview({}, asked('pending'), asked('approved'));
  assert.equal(live.waiting, 1);
  assert.equal(overview({}, asked('approved')).waiting, undefined);
  assert.equal(together(live, overview(asked('pending'))).waiting, 2);
});

test('[TA2] activity counts the steps of each part of the time', () => {
  assert.deepEqual(overview({}).activity, [1]);
  const { activity } = overview({ at: 0 }, { at: 1 }, { at: 500 }, { at: 1000 });
  assert.equal(activity.length, 24);
  assert.deepEqual([activity[0], activity[12], activity[23]], [2, 1, 1]);
});

test('[TA2] the parts of a task in memory and archived are told as the whole', () => {
  const early = [
    { name: 'invoke', promptSummary: 'Plan a trip', costUsd: 0.1, status: 'ERROR', at: 0, agent: 'B' },
    { tokensIn: 3, at: 10, latencyMs: 500, details: { parentSpanId: 'p', sessionId: 's' } },
  ] as const;
  const late = [{ costUsd: 0.2, tokensIn: 4, state: 'RUNNING', at: 250, type: 'TOOL_CALL' }] as const;
  const whole = overview(...early, { ...late[0], details: { parentSpanId: 'p' } });
  const parts = [overview(...late), overview(...early)] as const;
  assert.deepEqual(together(parts[0], parts[1]), whole);
  assert.deepEqual(together(parts[1], parts[0]), whole);
});

test('[TA6] whatever long a step says that it takes, the list has its task and those of others', () => {
  for (const latencyMs of [8.64e15, 1e300, Infinity, NaN, -1]) {
    const { lastChanged, durationMs } = overview({ latencyMs }, {});
    assert.ok(!Number.isNaN(Date.parse(lastChanged)), `${latencyMs}: ${lastChanged}`);
    assert.ok(Number.isFinite(durationMs) && durationMs >= 0, `${latencyMs}: ${durationMs}`);
  }
  assert.equal(overview({ latencyMs: 5 }).durationMs, 5);
});
