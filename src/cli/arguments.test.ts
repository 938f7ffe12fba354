import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArguments } from './arguments.ts';
import { CliError } from './cli-error.ts';
import type { OptionGroup } from './command.ts';
import { filtersOf, FILTER_OPTIONS, targetOf, CONNECTION_OPTIONS } from './reader-options.ts';

const GROUPS: readonly OptionGroup[] = [
  {
    title: '',
    options: [
      { name: 'json', help: '' },
      { name: 'format', value: 'F', help: '' },
    ],
  },
  FILTER_OPTIONS,
  CONNECTION_OPTIONS,
];

function refusal(args: readonly string[], words = 1): string {
  let message = '';
  assert.throws(
    () => filtersOf(parseArguments(GROUPS, args, words)),
    (error: unknown) => {
      assert.ok(error instanceof CliError);
      assert.equal(error.exitCode, 2);
      message = error.message;
      return true;
    },
  );
  return message;
}

test('[CLI2] options and words are read as they are written', () => {
  const args = parseArguments(GROUPS, ['--agent', 'A', 'node', '--agent=B', '--json', '--text', '-'], 1);
  assert.deepEqual(args.positionals, ['node']);
  assert.deepEqual(args.list('agent'), ['A', 'B']);
  assert.equal(args.has('json'), true);
  assert.equal(args.has('all'), false);
  assert.equal(args.text('text'), '-');
  assert.deepEqual(parseArguments(GROUPS, ['--', '--json'], 1).positionals, ['--json']);
});

test('[CLI3] what is wrong with the arguments is said in one line that names it', () => {
  assert.match(refusal(['--frmat', 'x']), /unknown option --frmat: did you mean --format\?/);
  assert.match(refusal(['--zzzzzz']), /unknown option --zzzzzz$/);
  assert.match(refusal(['-x']), /unknown option -x/);
  assert.match(refusal(['--format']), /--format must be followed by a value/);
  assert.match(refusal(['--format', '--json']), /--format must be followed by a value/);
  assert.match(refusal(['--json=1']), /--json takes no value/);
  assert.match(refusal(['a', 'b']), /at most 1/);
  assert.match(refusal(['a'], 0), /only options/);
  assert.match(refusal(['--format', 'a', '--format', 'b']), /twice/);
  assert.match(refusal(['--min-cost', 'cheap']), /--min-cost must be a number/);
  assert.match(refusal(['--min-cost=-1']), /--min-cost must be a number/);
  assert.match(refusal(['--type', 'LLM']), /--type must be one of LLM_CALL/);
  assert.match(refusal(['--status', 'bad']), /--status must be one of OK/);
});

test('[CLI2] filters are what the service takes, and absent when not given', () => {
  const args = [
    '--type',
    'llm-call',
    '--status',
    'error',
    '--task',
    'T1',
    '--min-cost',
    '0.5',
    '--text',
    'x',
  ];
  assert.deepEqual(filtersOf(parseArguments(GROUPS, args, 0)), {
    nodeTypes: ['LLM_CALL'],
    status: ['ERROR'],
    taskIds: ['T1'],
    text: 'x',
    minCostUsd: 0.5,
  });
  assert.deepEqual(filtersOf(parseArguments(GROUPS, [], 0)), {});
});

test('[CLI4] the address and the token come from the options, else from the environment, else the default', () => {
  const env = { EXPLAINABILITY_AGENT_URL: 'http://e:1', EXPLAINABILITY_AGENT_TOKEN: 'secret' };
  assert.deepEqual(targetOf(parseArguments(GROUPS, [], 0), env), { url: 'http://e:1', token: 'secret' });
  assert.deepEqual(targetOf(parseArguments(GROUPS, ['--url', 'http://o:2', '--token', 't'], 0), env), {
    url: 'http://o:2',
    token: 't',
  });
  const none = targetOf(parseArguments(GROUPS, [], 0), { EXPLAINABILITY_AGENT_URL: '' });
  assert.deepEqual(none, { url: 'http://127.0.0.1:9000', token: undefined });
});
