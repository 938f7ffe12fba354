import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { AdaptationDetail, AdaptationList } from '../../src/model/adaptations.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { run, type Result } from './run-command.ts';

const FILE = `{"adaptations": [
  {"id": "tone", "title": "Tone", "scope": {"agent": "Coder*"}, "content": "Be brief."},
  {"id": "safety", "title": "Safety", "content": "Never disclose secrets.", "enabled": false}
]}`;

let service: RealService;
let dataDir: string;

before(async () => {
  dataDir = await temporaryFolder();
  await writeFile(join(dataDir, 'adaptations.json'), FILE);
  service = await RealService.start({ dataDir });
});

after(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

function adaptations(args: readonly string[], input?: string): Promise<Result> {
  return run(['adaptations', ...args], {
    env: { EXPLAINABILITY_AGENT_URL: service.readers },
    ...(input !== undefined && { input }),
  });
}

async function done(args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await adaptations(args, input);
  assert.equal(code, 0, stderr);
  return stdout;
}

test('[AD8] the command line lists, gets, changes, reloads, previews and compares what the API has', async () => {
  assert.match(await done([]), /^tone +1 +on +agent Coder\* +Tone .*\nsafety +1 +off +all +Safety /m);
  const list = JSON.parse(await done(['list', '--json'])) as AdaptationList;
  assert.deepEqual(list, await service.json('/api/adaptations'));
  assert.match(await done(['reload']), /^tone +1 /m);
  const changed = await done(
    ['update', 'tone', '--at-version', '1', '--content-file', '-', '--tag', 'x'],
    'Be very brief.',
  );
  assert.match(changed, /^tone@2 {2}on {2}for agent Coder\* /);
  assert.match(changed, /^Be very brief\.$/m);
  const enabled = await done(['update', 'safety', '--enable', '--agent', 'Critic*']);
  assert.match(enabled, /^safety@2 {2}on {2}for agent Critic\*/);
  assert.match(
    await done(['update', 'safety', '--enable']),
    /^It was like that already; nothing was changed\.$/m,
  );
  const first = JSON.parse(await done(['get', 'tone', '--at-version', '1', '--json'])) as AdaptationDetail;
  assert.equal(first.content, 'Be brief.');
  assert.equal(
    await done(['preview', '--agent', 'CoderAgent', '--base', 'You are helpful.']),
    'You are helpful.\nBe very brief.\n\nWith tone@2\n',
  );
  assert.match(await done(['preview', '--agent', 'Nobody']), /^No adaptation fits\.$/m);
  assert.match(await done(['effect', 'tone']), /^0 tasks compared; /);
});

test('[AD8] what cannot be is told in one line, with exit code 1 or 2', async () => {
  const cases: readonly (readonly [args: readonly string[], code: number, message: RegExp])[] = [
    [['update', 'tone', '--disable', '--at-version', '1'], 1, /version: it is at version 2 by now/],
    [['update', 'nobody', '--disable'], 1, /id: no adaptation has this id/],
    [['get', 'tone', '--at-version', '9'], 1, /version: this one has versions 1 to 2/],
    [['get'], 2, /name an adaptation: adaptations get ID/],
    [['list', 'tone'], 2, /adaptations list takes no further words/],
    [['drop', 'tone'], 2, /the first word must be one of list, get, update, reload, preview, effect/],
    [['update', 'tone'], 2, /say what to change/],
    [['update', 'tone', '--enable', '--disable'], 2, /leave one of --enable and --disable/],
    [['update', 'tone', '--content', 'x', '--content-file', 'y'], 2, /leave one of --content and/],
    [['update', 'tone', '--content-file', '/nowhere/file'], 1, /cannot be read \(ENOENT\)/],
    [['update', 'tone', '--title', ' '], 2, /title: must not be empty/],
    [['get', 'tone', '--at-version', 'x'], 2, /--at-version must be a whole number/],
    [['get', 'tone', '--title', 'x'], 2, /adaptations get does not take --title/],
  ];
  for (const [args, code, message] of cases) {
    const result = await adaptations(args);
    assert.match(result.stderr, message);
    assert.equal(result.code, code, args.join(' '));
    assert.equal(result.stderr.trim().split('\n').length, 1, result.stderr);
  }
});
