import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, readlink, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { until } from '../../test/support/until.ts';
import { ManualClock } from '../base/clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import { AdaptationStore, LOOK_MS } from './adaptation-store.ts';
import { systemFiles, type Files } from './files.ts';

const text = (content: string): string =>
  `{"adaptations": [{"id": "a", "title": "A", "content": ${JSON.stringify(content)}}]}\n`;

async function opened(t: TestContext, files: Files = systemFiles) {
  const folder = await mkdtemp(join(tmpdir(), 'adaptations-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'adaptations.json');
  const said: string[] = [];
  const say = (level: string) => (fields: object, message: string) =>
    void said.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
  const clock = new ManualClock();
  const open = (): AdaptationStore => new AdaptationStore({ path, clock, logger, files });
  return { folder, path, said, clock, open };
}

test('[AD2] a change by hand is seen at the next look, of which there is one a second; without a file nothing is read', async (t) => {
  let reads = 0;
  const files: Files = {
    ...systemFiles,
    read: (path) => {
      reads++;
      return systemFiles.read(path);
    },
  };
  const { path, clock, open, folder } = await opened(t, files);
  const store = open();
  await store.start();
  for (let n = 0; n < 5; n++) {
    clock.advance(LOOK_MS);
    await store.look();
  }
  assert.deepEqual([reads, await readdir(folder)], [0, []]);
  await writeFile(path, text('one'));
  clock.advance(LOOK_MS);
  await until('it is seen', () => store.adaptations.length === 1);
  const before = reads;
  clock.advance(LOOK_MS);
  await store.look();
  assert.equal(reads, before, 'what did not change is not read again');
  await store.stop();
  await writeFile(path, text('two'));
  clock.advance(10 * LOOK_MS);
  assert.equal(store.adaptations[0]?.version.content, 'one', 'a service that has stopped looks no more');
});

test('[AD2] what is no file is said at once, and neither waited for nor read without end', async (t) => {
  const { path, said, open } = await opened(t);
  execFileSync('mkfifo', [path]);
  const store = open();
  await store.start();
  await unlink(path);
  await symlink('/dev/zero', path);
  await store.look();
  await unlink(path);
  await symlink(tmpdir(), path);
  await store.look();
  await store.stop();
  assert.equal(said.length, 1, said.join('\n'));
  assert.match(said[0] ?? '', /it cannot be read \(it is a folder, a pipe or a device\)/);
});

test('[AD2] a broken file is said once in the log, whatever it looks; a good one ends it', async (t) => {
  const { path, said, open } = await opened(t);
  await writeFile(path, text('first words'));
  const store = open();
  await store.look();
  for (let n = 0; n < 3; n++) {
    await writeFile(path, `${text('other words').slice(0, -5)}${' '.repeat(n)}`);
    await store.look();
  }
  assert.equal(store.adaptations[0]?.version.content, 'first words');
  assert.equal(said.filter((line) => line.startsWith('warn')).length, 1, said.join('\n'));
  await unlink(path);
  await store.look();
  assert.match(store.problem ?? '', /it is gone/);
  assert.equal(store.adaptations.length, 1);
  await writeFile(path, '{"adaptations": []}');
  await store.look();
  assert.deepEqual([store.problem, store.adaptations], [undefined, []]);
  assert.deepEqual(
    store.versions('a').map(({ version, removed }) => [version, removed]),
    [
      [1, undefined],
      [2, true],
    ],
  );
  assert.doesNotMatch(said.join(), /words/);
});

test('[AD5] the file and its history are for their owner alone, links stay links, and nothing is left beside them', async (t) => {
  const { path, folder, open } = await opened(t);
  const target = join(folder, 'real.json');
  await writeFile(target, text('one'), { mode: 0o644 });
  await symlink(target, path);
  // As a crash between writing and renaming leaves it.
  await writeFile(`${target}.tmp`, 'half', { mode: 0o666 });
  const store = open();
  await store.look();
  await store.update('a', { content: 'two' }, 1);
  assert.equal(await readlink(path), target);
  assert.equal(await readFile(target, 'utf8'), text('two'));
  for (const file of [target, join(folder, 'adaptations.history.json')])
    assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual((await readdir(folder)).sort(), [
    'adaptations.history.json',
    'adaptations.json',
    'real.json',
  ]);
});

test('[AD2] what was in force is after a restart, also where the file is broken by then; versions go on', async (t) => {
  const { path, open } = await opened(t);
  await writeFile(path, text('one'));
  await open().look();
  await writeFile(path, '{');
  const second = open();
  await second.look();
  assert.equal(second.file.state, 'broken');
  assert.equal(second.adaptations[0]?.version.content, 'one');
  await writeFile(path, text('two'));
  const third = open();
  await third.look();
  assert.equal(third.adaptations[0]?.version.version, 2);
});

test('[AD3] a history that cannot be read is put aside, and said', async (t) => {
  const { path, folder, said, open } = await opened(t);
  await writeFile(path, text('one'));
  await writeFile(join(folder, 'adaptations.history.json'), 'no history');
  const store = open();
  await store.look();
  assert.equal(store.adaptations[0]?.version.version, 1);
  assert.match(said.join('\n'), /the history of the adaptations cannot be read: it is put aside/);
  const aside = (await readdir(folder)).find((name) => name.includes('.damaged-')) ?? '';
  assert.equal(await readFile(join(folder, aside), 'utf8'), 'no history');
});

test('[AD4] a folder that cannot be written refuses edits, and is said; what is read is in force all the same', async (t) => {
  let isReadOnly = true;
  const files: Files = {
    ...systemFiles,
    async replace(...args) {
      if (isReadOnly) throw Object.assign(new Error('read-only'), { code: 'EROFS' });
      return systemFiles.replace(...args);
    },
  };
  const { path, said, open } = await opened(t, files);
  await writeFile(path, text('one'));
  const store = open();
  await store.look();
  await assert.rejects(store.update('a', { content: 'two' }, undefined), {
    code: 'UNAVAILABLE',
    message: 'the adaptations file cannot be written (EROFS)',
  });
  assert.match(store.problem ?? '', /versions cannot be written beside the file \(EROFS\)/);
  assert.equal(said.filter((line) => line.startsWith('warn')).length, 1, 'said once');
  assert.equal(store.adaptations[0]?.version.content, 'one');
  isReadOnly = false;
  await store.look();
  assert.equal(store.problem, undefined);
  assert.equal((await store.update('a', { content: 'two' }, 1)).version.version, 2);
});

test('[AD4] what is written by hand while an edit is made stays, and the edit is made of that', async (t) => {
  const byHand = text('one').replace('"A"', '"by hand"');
  const files: Files = {
    ...systemFiles,
    async replace(to, ...args) {
      if (to === path && store.adaptations[0]?.version.title === 'A') await writeFile(path, byHand);
      return systemFiles.replace(to, ...args);
    },
  };
  const { path, open } = await opened(t, files);
  await writeFile(path, text('one'));
  const store = open();
  await store.look();
  const { version } = await store.update('a', { content: 'two' }, undefined);
  assert.deepEqual([version.title, version.content], ['by hand', 'two']);
  assert.equal(await readFile(path, 'utf8'), byHand.replace('"one"', '"two"'));
});

test('[AD4] edits are checked by field, change what is there alone, and make no version where nothing differs', async (t) => {
  const { path, open } = await opened(t);
  await writeFile(path, text('one'));
  const store = open();
  await store.look();
  for (const [edits, message] of [
    [{}, /the edits name nothing/],
    [{ content: 7 }, /^content: must be a text$/],
    [{ id: 'b' }, /^has a field that is not known$/],
    [{ title: '' }, /^title: must not be empty$/],
    [7, /./],
  ] as const)
    await assert.rejects(store.update('a', edits, undefined), { code: 'INVALID_ARGUMENT', message });
  await assert.rejects(store.update('b', { content: 'x' }, undefined), { code: 'NOT_FOUND' });
  const before = await systemFiles.mark(path);
  const { changed, version } = await store.update('a', { content: 'one', description: '', tags: [] }, 1);
  assert.deepEqual([changed, version.version, await systemFiles.mark(path)], [false, 1, before]);
});
