import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { NodeDetail } from '../../src/model/reader-messages.ts';
import { RealService, temporaryFolder } from './real-service.ts';

type Event = Readonly<Record<string, unknown>>;

async function post(service: RealService, events: readonly Event[], query = ''): Promise<void> {
  const answer = await fetch(`${service.readers}/ag-ui/events${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(events),
  });
  assert.equal(answer.status, 202, await answer.text());
}

/** A service that can be started again on what it kept. */
async function restarting(
  t: TestContext,
): Promise<{ readonly now: RealService; readonly restart: () => Promise<RealService> }> {
  const dataDir = await temporaryFolder(t);
  let now = await RealService.start({ dataDir });
  t.after(() => now.stop());
  const restart = async (): Promise<RealService> => {
    await now.stop();
    return (now = await RealService.start({ dataDir }));
  };
  return { now, restart };
}

function run(asked: string, timestamp?: number): readonly Event[] {
  const time = timestamp === undefined ? {} : { timestamp };
  const input = { threadId: 't', runId: 'k', messages: [{ id: asked, role: 'user', content: asked }] };
  return [
    { type: 'RUN_STARTED', threadId: 't', runId: 'k', input, ...time },
    { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant', ...time },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: `answer to ${asked}`, ...time },
    { type: 'TEXT_MESSAGE_END', messageId: 'm', ...time },
    { type: 'RUN_FINISHED', threadId: 't', runId: 'k', ...time },
  ];
}

async function idsIn(service: RealService): Promise<readonly string[]> {
  return (await service.graph()).nodes.map(({ id }) => id).toSorted();
}

test('[AG13] after a restart what goes on of a run, and its end, are of that run', async (t) => {
  const { now, restart } = await restarting(t);
  await post(now, [
    { type: 'RUN_STARTED', threadId: 't', runId: 'k' },
    { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'look' },
  ]);
  const before = await idsIn(now);
  const again = await restart();
  await post(again, [
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{"a":1}' },
    { type: 'TOOL_CALL_END', toolCallId: 'c' },
    { type: 'RUN_FINISHED', threadId: 't', runId: 'k' },
  ]);
  const { nodes } = await again.graph();
  assert.deepEqual(nodes.map(({ id }) => id).toSorted(), before);
  assert.deepEqual([...new Set(nodes.map(({ taskId }) => taskId))], ['k']);
  assert.deepEqual([...new Set(nodes.map(({ state }) => state))], ['ENDED']);
});

test('[AG13] a tool call and a step that a restart falls into are what they were, with name and arguments', async (t) => {
  const events = [
    { type: 'RUN_STARTED', threadId: 't', runId: 'k' },
    { type: 'STEP_STARTED', stepName: 'plan' },
    { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'look' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{"to":"ann@example.org"}' },
    { type: 'TOOL_CALL_END', toolCallId: 'c' },
    { type: 'TOOL_CALL_RESULT', toolCallId: 'c', messageId: 'r', content: 'found' },
    { type: 'STEP_FINISHED', stepName: 'plan' },
    { type: 'RUN_FINISHED', threadId: 't', runId: 'k' },
  ];
  const shown = async (service: RealService): Promise<object> => {
    const { nodes, edges } = await service.graph();
    // Each folder has markers of its own.
    const unmarked = (text: string): string => text.replaceAll(/\[EMAIL:\w+\]/g, '[EMAIL]');
    const details = nodes.map(({ id }) => service.json(`/api/nodes/${encodeURIComponent(id)}`));
    const all = (await Promise.all(details)) as readonly NodeDetail[];
    return {
      edges: edges.map(({ id }) => id).toSorted(),
      nodes: all
        .map(({ node: { id, name, title, state, details }, texts }) => ({
          id,
          name,
          title: unmarked(title),
          state,
          tool: details?.['toolName'],
          texts: unmarked(JSON.stringify(texts ?? {})),
        }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    };
  };
  const whole = await restarting(t);
  await post(whole.now, events);
  const expected = await shown(whole.now);
  assert.match(JSON.stringify(expected), /look\(.*"tool":"look".*EMAIL/);
  // Within the pieces of arguments there is nothing to be shown yet.
  for (const cut of [3, 5, 6]) {
    const { now, restart } = await restarting(t);
    await post(now, events.slice(0, cut));
    const again = await restart();
    await post(again, events.slice(cut), '?runId=k');
    assert.deepEqual(await shown(again), expected, `cut after ${cut}`);
  }
  // What was kept and not answered is sent again, in whatever requests.
  for (const from of [3, 5]) {
    const { now, restart } = await restarting(t);
    await post(now, events.slice(0, 7));
    const again = await restart();
    for (const event of events.slice(from)) await post(again, [event], '?runId=k');
    assert.deepEqual(await shown(again), expected, `sent again from ${from}`);
  }
});

test('[AG3] a run whose id was used before a restart is another one; sent again it is the same', async (t) => {
  const { now, restart } = await restarting(t);
  await post(now, run('one', 1_750_000_000_000));
  await post(now, run('two', 1_750_000_001_000));
  const before = await idsIn(now);
  assert.ok(before.length >= 4, String(before.length));
  const again = await restart();
  // Each alone: it does not depend on what else came.
  await post(again, run('two', 1_750_000_001_000));
  assert.deepEqual(await idsIn(again), before);
  const third = await restart();
  await post(third, run('one', 1_750_000_000_000));
  assert.deepEqual(await idsIn(third), before);
  const fourth = await restart();
  await post(fourth, run('three', 1_750_000_002_000));
  const after = await idsIn(fourth);
  assert.deepEqual(
    before.filter((id) => !after.includes(id)),
    [],
  );
  assert.ok(after.length > before.length);
  const texts = await Promise.all(after.map((id) => fourth.json(`/api/nodes/${encodeURIComponent(id)}`)));
  for (const asked of ['one', 'two', 'three'])
    assert.ok(JSON.stringify(texts).includes(`answer to ${asked}`), asked);
});
