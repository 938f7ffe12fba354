import assert from 'node:assert/strict';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ReaderApi, SubscriberSink } from '../../subscriptions/reader-api.ts';
import { temporaryFolder } from '../../../test/e2e/real-service.ts';
import { asked, openProjects, send } from '../../../test/support/open-projects.ts';
import { makeEntry } from '../../../test/support/make-door.ts';
import { until } from '../../../test/support/until.ts';
import { makeSpan } from '../../../test/support/world.ts';
import { eraseOffline } from '../erase-offline.ts';
import { silentLogger, type Logger } from '../../telemetry/logger.ts';
import { configFromObject } from '../../config/object-layer.ts';
import { projectConfig } from './project-config.ts';
import type { ProjectStack } from './project-stack.ts';

const EMAIL = 'ada@lovelace.example';
const step = (name: string, taskID = 't1') =>
  makeSpan({ name, attrs: { taskID, component: 'coder-agent', 'gen_ai.prompt': `ask ${EMAIL}` } });

async function namesOf(reader: ReaderApi): Promise<readonly (string | undefined)[]> {
  const { nodes } = await reader.getGraph({ collapse: 'none' });
  return nodes.map(({ name }) => name).sort();
}

test('[AC40] equal ids in two projects are two things, and those of another are as those that are nowhere', async (t) => {
  const { projects, main, stop } = await openProjects({ names: ['a', 'b'] });
  t.after(stop);
  const [a, b] = [projects.of('a'), projects.of('b')];
  await send(a, [
    step('mine'),
    makeEntry({ requestId: 'only-a', taskId: 't1', text: 'secret plan', final: true }),
  ]);
  await send(b, [step('theirs')]);
  assert.deepEqual(await namesOf(main.reader), []);
  assert.deepEqual(await namesOf(b.reader), ['theirs']);
  const [node] = (await a.reader.getGraph({ collapse: 'none', filters: {} })).nodes;
  assert.ok(node);
  const only = (await a.reader.getGraph({ collapse: 'none' })).nodes.find(({ id }) => id.includes('only-a'));
  assert.ok(only);
  const { reader } = b;
  const questions: readonly ((id: string, task: string) => unknown)[] = [
    (id) => reader.getNode(id),
    (id) => reader.why({ nodeId: id }),
    (_, task) => reader.why({ taskId: task }),
    (_, task) => reader.compare({ a: 't1', b: task }),
    (_, task) => reader.summary(task),
    (_, task) => reader.spikes(task),
    (_, task) => b.erase({ taskId: task }),
  ];
  const nowhere = only.id.replaceAll('only-a', 'nowhere');
  await send(a, [step('more', 'task-a')]);
  for (const question of questions) {
    const other = await asked(() => question(only.id, 'task-a'));
    const unknown = await asked(() => question(nowhere, 'task-x'));
    assert.equal(told(other), told(unknown));
  }
  assert.equal((await reader.search({ text: 'secret plan' })).hits.length, 0);
  assert.equal((await a.reader.search({ text: 'secret plan' })).hits.length > 0, true);
});

/** As it reads without what was asked for, and without the time of the answer. */
function told(answer: unknown): string {
  return JSON.stringify(answer)
    .replaceAll(/nowhere|only-a/g, '?')
    .replaceAll(/task-[ax]/g, '?')
    .replaceAll(/"lastUpdated":"[^"]*"/g, '');
}

test("[AC40] a subscription is nobody's in another project", async (t) => {
  const { projects, stop } = await openProjects({ names: ['a', 'b'] });
  t.after(stop);
  const [a, b] = [projects.of('a').reader, projects.of('b').reader];
  const sink: SubscriberSink = {
    writable: true,
    write: () => {},
    close: () => {},
  };
  const { subscriptionId } = a.subscribe({}, sink);
  await send(projects.of('a'), [step('mine')]);
  const nowhere = subscriptionId.replaceAll(/[0-9a-f]/g, '0');
  const verbs: readonly ((id: string) => unknown)[] = [
    (id) => b.subscribe({ subscriptionId: id, resumeFrom: 0 }, sink),
    (id) => b.unsubscribe(id),
    (id) => b.updateFilters(id, {}),
    (id) => b.expand(id, 'n'),
    (id) => b.collapse(id, 'n'),
    (id) => b.expandTask(id, 't1'),
  ];
  for (const verb of verbs) {
    const [other, unknown] = [await asked(() => verb(subscriptionId)), await asked(() => verb(nowhere))];
    assert.equal(JSON.stringify(other)?.replaceAll(subscriptionId, nowhere), JSON.stringify(unknown));
  }
  a.unsubscribe(subscriptionId);
});

test('[AC41] a project has a folder of its own, with its own keys: equal values have other markers there', async (t) => {
  const dataDir = await temporaryFolder(t);
  const first = await openProjects({ config: { dataDir }, names: ['team-a'] });
  await send(first.main, [step('one')]);
  await send(first.projects.of('team-a'), [step('two')]);
  const marker = async (reader: ReaderApi): Promise<string | undefined> => {
    const [node] = (await reader.getGraph({ collapse: 'none' })).nodes;
    const detail = await reader.getNode(node?.id);
    return /\[EMAIL:[^\]]*\]/.exec(JSON.stringify(detail))?.[0];
  };
  const [inDefault, inTeam] = [
    await marker(first.main.reader),
    await marker(first.projects.of('team-a').reader),
  ];
  assert.ok(inDefault !== undefined && inTeam !== undefined);
  assert.notEqual(inDefault, inTeam);
  await first.stop();

  assert.ok(existsSync(join(dataDir, 'explain.db')));
  assert.ok(existsSync(join(dataDir, 'projects', 'team-a', 'explain.db')));
  const [key, teamKey] = await Promise.all(
    [dataDir, join(dataDir, 'projects', 'team-a')].map((folder) => readFile(join(folder, 'redaction.key'))),
  );
  assert.notDeepEqual(key, teamKey);
  // The name as a whole: a marker may hold any three letters.
  assert.doesNotMatch(await readFile(join(dataDir, 'explain_graph.json'), 'utf8'), /"two"/);

  // Nothing names it but its folder.
  const again = await openProjects({ config: { dataDir } });
  t.after(again.stop);
  assert.deepEqual(await namesOf(again.main.reader), ['one']);
  assert.deepEqual(await namesOf(again.projects.of('team-a').reader), ['two']);
  assert.equal(await marker(again.projects.of('team-a').reader), inTeam);
});

test('[AC42] a project that cannot be opened keeps no other from serving, and is there when it can be', async (t) => {
  const dataDir = await temporaryFolder(t);
  await mkdir(join(dataDir, 'projects'), { recursive: true });
  await writeFile(join(dataDir, 'projects', 'broken'), 'no folder');
  const said: { readonly project?: string }[] = [];
  const logger: Logger = { ...silentLogger, error: (fields) => void said.push(fields) };
  const { projects, main, stop } = await openProjects({
    config: { dataDir, projects: { broken: {}, fine: {} } },
    logger,
  });
  t.after(stop);
  await send(main, [step('one')]);
  await send(projects.of('fine'), [step('two')]);
  assert.throws(() => projects.of('broken'), { code: 'UNAVAILABLE' });
  assert.deepEqual(main.problems(), []);
  const [warning, ...more] = projects.warnings();
  assert.deepEqual(more, []);
  assert.match(warning ?? '', /see the log/);
  assert.doesNotMatch(warning ?? '', /broken/);
  assert.equal(said[0]?.project, 'broken');

  await rm(join(dataDir, 'projects', 'broken'));
  await projects.ensure('broken');
  await send(projects.of('broken'), [step('three')]);
  assert.deepEqual(projects.warnings(), []);
});

test('[AC42] a project whose folder is moved away refuses by itself, and goes on when it is back', async (t) => {
  const dataDir = await temporaryFolder(t);
  const { projects, main, stop } = await openProjects({ config: { dataDir }, names: ['a', 'b'] });
  t.after(stop);
  // The audit log would make the folder anew.
  const plain = (name: string) => makeSpan({ name });
  const [folder, elsewhere] = [join(dataDir, 'projects', 'b'), join(dataDir, 'elsewhere')];
  await send(projects.of('b'), [plain('before')]);
  await rename(folder, elsewhere);
  await assert.rejects(send(projects.of('b'), [plain('lost')]), { code: 'UNAVAILABLE' });
  await send(main, [step('one')]);
  await send(projects.of('a'), [step('two')]);
  assert.deepEqual(main.problems(), []);
  assert.deepEqual(projects.warnings(), ['a project is not open, or has a problem: see the log']);
  assert.equal(projects.gauges.storeRefusing(), 1);
  await rename(elsewhere, folder);
  await until('it goes on', () => projects.warnings().length === 0);
  await send(projects.of('b'), [makeSpan({ name: 'after', spanId: '2'.repeat(16) })]);
  assert.deepEqual(await namesOf(projects.of('b').reader), ['after', 'before']);
});

test('[AC43] the disk is what projects have together: who has more than its part gives way', async (t) => {
  const dataDir = await temporaryFolder(t);
  const maxStoreBytes = 4 * 1024 * 1024;
  const { projects, stop } = await openProjects({ config: { dataDir, maxStoreBytes }, names: ['a', 'b'] });
  t.after(stop);
  const [a, b] = [projects.of('a'), projects.of('b')];
  const fill = async (stack: ProjectStack, bytes: number): Promise<void> => {
    for (let n = 1; stack.gauges.storeBytes() < bytes; n++)
      await send(
        stack,
        Array.from({ length: 5 }, (_, at) =>
          makeSpan({
            traceId: `${n}`.padStart(32, 'a'),
            spanId: `${at}`.padStart(16, 'b'),
            attrs: { taskID: `t${n}`, 'input.value': 'plain words '.repeat(2000) },
          }),
        ),
      );
  };
  await fill(a, maxStoreBytes * 0.6);
  await fill(b, maxStoreBytes * 0.2);
  const tasksOfB = await b.reader.listTasks({ limit: 1000 });
  await fill(a, maxStoreBytes * 0.7);
  await until('a has given way', () => {
    for (const stack of [a, b]) stack.followShares();
    return a.gauges.storeBytes() + b.gauges.storeBytes() <= maxStoreBytes * 0.875;
  });
  assert.deepEqual(await b.reader.listTasks({ limit: 1000 }), tasksOfB);
});

test('[AC44] there are as many projects as maxProjects says, with names that are folders', async (t) => {
  const dataDir = await temporaryFolder(t);
  await mkdir(join(dataDir, 'projects', 'Not-One'), { recursive: true });
  const elsewhere = await temporaryFolder(t);
  await symlink(elsewhere, join(dataDir, 'projects', 'linked'));
  const { projects, stop } = await openProjects({ config: { dataDir, maxProjects: 3 }, names: ['a'] });
  t.after(stop);
  for (const name of ['', 'A', '../x', 'a/b', '-a', 'a-', 'a.b', 'x'.repeat(64), 'con', '__proto__', 'ä'])
    await assert.rejects(projects.ensure(name), { code: 'INVALID_ARGUMENT' }, name);
  await projects.ensure('x'.repeat(63));
  await assert.rejects(projects.ensure('one-more'), { code: 'RESOURCE_EXHAUSTED' });
  await projects.ensure('a');
  assert.deepEqual(projects.names, ['a', 'default', 'x'.repeat(63)]);
  assert.throws(() => projects.of('one-more'), { code: 'PERMISSION_DENIED' });
  assert.ok(!existsSync(join(dataDir, 'projects', 'one-more')));
  assert.ok(!existsSync(join(elsewhere, 'explain.db')));
});

test('[AC43] memory is what projects have together: a flood in one leaves the other its part', async (t) => {
  const maxMemoryBytes = 2 * 1024 * 1024;
  const { projects, stop } = await openProjects({ config: { maxMemoryBytes }, names: ['a', 'b'] });
  t.after(stop);
  const [a, b] = [projects.of('a'), projects.of('b')];
  // Beside `default` there are three, so each may keep a third whatever the others do.
  const fill = async (stack: ProjectStack, bytes: number): Promise<void> => {
    for (let n = 0; n < 100 && stack.gauges.memoryBytes() < bytes; n++)
      await send(
        stack,
        Array.from({ length: 20 }, (_, at) =>
          makeSpan({ spanId: `${n}a${at}`.padStart(16, 'b'), attrs: { taskID: `t${n}-${at}` } }),
        ),
      );
  };
  await fill(a, maxMemoryBytes * 0.75);
  await fill(b, maxMemoryBytes * 0.25);
  const { gauges } = projects;
  for (const [stack, share] of [
    [a, 0.75],
    [b, 0.3],
  ] as const) {
    await fill(stack, maxMemoryBytes * share);
    const ofB = b.gauges.nodesInMemory();
    assert.ok(b.gauges.memoryBytes() < maxMemoryBytes / 3);
    await until('a has given way', () => gauges.memoryBytes() <= maxMemoryBytes);
    assert.equal(b.gauges.nodesInMemory(), ofB);
  }
  assert.ok(a.gauges.memoryBytes() > 0);
});

test('[AC45] offline, a task is erased in the project that is named, and stays in others', async (t) => {
  const dataDir = await temporaryFolder(t);
  const first = await openProjects({ config: { dataDir }, names: ['a'] });
  await send(first.main, [step('one')]);
  await send(first.projects.of('a'), [step('two')]);
  await first.stop();
  const loaded = configFromObject({ dataDir }, { homeDir: '/nonexistent', ruleNames: [] });
  assert.ok(loaded.ok);
  const erased = await eraseOffline(projectConfig(loaded.config, 'a'), silentLogger, { taskId: 't1' });
  assert.deepEqual(erased.tasks, ['t1']);
  const again = await openProjects({ config: { dataDir } });
  t.after(again.stop);
  assert.deepEqual(await namesOf(again.main.reader), ['one']);
  assert.deepEqual(await namesOf(again.projects.of('a').reader), []);
});
