import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from './load-config.ts';

function load(guards: unknown) {
  return loadConfig({ argv: ['--guards', JSON.stringify(guards)], env: {}, homeDir: '/nobody', cwd: '/' });
}

function problems(guards: unknown): Readonly<Record<string, string>> {
  const result = load(guards);
  assert.ok(!result.ok, 'was accepted');
  return Object.fromEntries(result.problems.map(({ path, message }) => [path, message]));
}

const GUARD = { name: 'loops', limits: { sameStep: 5 } };

test('[GU14] what a guard needs is its name and a limit; there is none by default', () => {
  const result = load([GUARD]);
  assert.ok(result.ok);
  assert.deepEqual(result.config.guards, [
    { ...GUARD, per: 'task', action: 'warn', dryRun: false, coolDownSeconds: 300 },
  ]);
  const none = loadConfig({ argv: [], env: {}, homeDir: '/nobody', cwd: '/' });
  assert.ok(none.ok);
  assert.deepEqual(none.config.guards, []);
});

test('[GU14] what is wrong is said by its place, and with what would be right', () => {
  const wrong = problems([
    GUARD,
    { name: 'no blanks', limits: { tokens: 0.5, sameSteps: 3 }, per: 'person', action: 'kill' },
    { name: 'loops', limits: {}, agents: [], coolDownSeconds: 0, dryRun: 'yes' },
    { limits: { depth: 1, costUsd: '5' }, limit: 3 },
    'tokens > 5',
  ]);
  const expected: readonly (readonly [string, RegExp])[] = [
    ['--guards[1].name', /1 to 64 letters/],
    ['--guards[1].limits.tokens', /a whole number from 1 .*tokens/],
    ['--guards[1].limits', /has no key "sameSteps": the limits are runningSeconds/],
    ['--guards[1].per', /"task" or "agent"/],
    ['--guards[1].action', /"warn" or "interrupt"/],
    ['--guards[2].limits', /one limit or more/],
    ['--guards[2].agents', /"\*" stands for anything/],
    ['--guards[2].coolDownSeconds', /from 1 to 604800/],
    ['--guards[2].dryRun', /true or false/],
    ['--guards[3].name', /1 to 64 letters/],
    ['--guards[3].limits.depth', /from 2 to 1000: steps below/],
    ['--guards[3].limits.costUsd', /US dollars/],
    ['--guards[3]', /has no key "limit": the keys of a guard are name, /],
    ['--guards[4]', /must be an object/],
  ];
  for (const [path, message] of expected) assert.match(wrong[path] ?? `nothing at ${path}`, message);
  assert.deepEqual(problems([GUARD, GUARD]), {
    '--guards[1].name': 'is the name of another guard: each needs its own',
  });
  assert.match(problems({ loops: {} })['--guards'] ?? '', /must be a list of guards/);
  const many = Array.from({ length: 33 }, (_, n) => ({ ...GUARD, name: `g${n}` }));
  assert.match(problems(many)['--guards'] ?? '', /at most 32 guards/);
});
