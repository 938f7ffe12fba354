import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { QUESTIONS } from '../../src/model/question.ts';
import { postOtlp } from '../e2e/otlp-senders.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { run, type Result } from './run-command.ts';

/** A run that asks a model and fails at its test; the later it began, the newer is its test. */
function failedRun(taskID: string, trace: string, second: number): string {
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const span = (n: number, parent: number | undefined, name: string, more: object) => ({
    traceId: trace.repeat(32),
    spanId: String(n).repeat(16),
    ...(parent !== undefined && { parentSpanId: String(parent).repeat(16) }),
    name,
    startTimeUnixNano: `${1_750_000_000 + second + n}000000000`,
    endTimeUnixNano: `${1_750_000_009 + second}000000000`,
    ...more,
  });
  const spans = [
    span(1, undefined, 'run', { attributes: [text('taskID', taskID), text('prompt', `Do ${taskID}`)] }),
    span(2, 1, 'generate', { attributes: [text('model.name', 'm')] }),
    span(3, 1, `tests of ${taskID}`, {
      attributes: [text('test.name', 'unit tests')],
      status: { code: 2, message: '2 tests failed' },
    }),
  ];
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
}

function testOf(trace: string): string {
  return `${trace.repeat(32)}:${'3'.repeat(16)}`;
}

describe('questions in words', () => {
  let service: RealService;
  before(async () => {
    service = await RealService.start({ dataDir: await temporaryFolder() });
    for (const body of [failedRun('T012', 'a', 0), failedRun('T013', 'b', 100)])
      assert.equal((await postOtlp(service, '/v1/traces', body)).status, 200);
    await service.flush();
  });
  after(() => service.stop());

  const ask = (...words: string[]): Promise<Result> => run(['ask', ...words, '--url', service.readers]);

  async function answer(...words: string[]) {
    const { code, stdout, stderr } = await ask(...words, '--json');
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as { readonly question: object; readonly answer: { readonly nodeId?: string } };
  }

  test('[CLI60] "Show me why this test failed": the last failed test, unless told otherwise', async () => {
    const told = await ask('Show me why this test failed');
    assert.equal(told.code, 0, told.stderr);
    assert.match(told.stdout, new RegExp(`${testOf('b')} {2}task T013`));
    assert.match(told.stdout, /where to look first/);
    assert.equal((await answer('why', 'did', 'the', 'test', 'fail?')).answer.nodeId, testOf('b'));
    for (const words of [
      ['Show me why this test failed', '--task', 'T012'],
      ['Show me why this test failed', '--node', testOf('a')],
      ['Why did the tests of task T012 fail?'],
      ['Why did the test "tests of t012" fail?'],
    ])
      assert.equal((await answer(...words)).answer.nodeId, testOf('a'), words.join(' '));
    const none = await ask('Why did the test "nobody wrote" fail?');
    assert.equal(none.code, 1);
    assert.match(none.stderr, /no failed test of that name is known; ask "Why did task T013 fail\?"/);
  });

  test('[CLI60] "Highlight cost spikes", "Expand reasoning for task T012", "What happened?", "Why did it fail?"', async () => {
    assert.match((await ask('Highlight cost spikes')).stdout, /^No step stands out\./);
    const expanded = await ask('Expand reasoning for task T012');
    assert.match(expanded.stdout, /^Task T012: 3 steps\n[^]*LLM_CALL[^]*TEST_RUN/);
    assert.match((await ask('What happened in task T012?')).stdout, /“Do T012”/);
    assert.match((await ask('What happened?')).stdout, /“Do T013”/);
    assert.match((await ask('Why did it fail?')).stdout, /task T013/);
    const unknown = await ask('Expand reasoning for task T999');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /no task with this id is known/);
  });

  test('[CLI60] "Which tools fail most?": over all tasks, or in the one that is named', async () => {
    const tools = await ask('Which tools fail most?');
    assert.match(tools.stdout, /^No tool failed\.\n2 tasks: 2 failed/);
    assert.doesNotMatch(tools.stdout, /\n(?:step|agent|type|model) /);
    const told = await ask('Which steps fail most?');
    assert.match(told.stdout, /^2 tasks: 2 failed, 0 passed[^]*FAIL MOST/);
    assert.match((await ask('Which steps fail most in T012?')).stdout, /^1 task: 1 failed/);
    assert.match((await ask('Which steps fail most?', '--task', 'T012')).stdout, /^1 task: 1 failed/);
  });

  test('[CLI60] what is not understood is answered with what is', async () => {
    const told = await ask('make', 'me', 'a', 'sandwich');
    assert.equal(told.code, 1);
    for (const question of QUESTIONS) assert.ok(told.stdout.includes(question), question);
    assert.deepEqual(JSON.parse((await ask('hm', '--json')).stdout), { questions: QUESTIONS });
    const nothing = await ask();
    assert.equal(nothing.code, 2);
    assert.match(nothing.stderr, /put a question/);
  });

  test('[CLI60] "Prune nodes older than 5 minutes"; what left memory is asked about as before', async () => {
    assert.match((await ask('Prune nodes older than 5 minutes')).stdout, /^0 nodes left memory: .* 5m00s\./);
    assert.match((await ask('drop nodes older than 0 seconds')).stdout, /^6 nodes left memory/);
    assert.equal((await answer('Show me why this test failed')).answer.nodeId, testOf('b'));
    assert.equal((await answer('Show me why this test failed', '--task', 'T012')).answer.nodeId, testOf('a'));
    assert.match((await ask('Expand reasoning for task T012')).stdout, /^Task T012: 3 steps\n/);
  });

  test('[CLI10] get says of a task that left memory how it is shown', async () => {
    const get = (...more: readonly string[]): Promise<Result> =>
      run(['get', '--task', 'T012', ...more, '--url', service.readers]);
    const { code, stderr } = await get();
    assert.deepEqual([code, stderr], [0, 'note: T012 left memory: --archived shows it\n']);
    for (const option of ['--archived', '--all']) {
      const { stdout, stderr: said } = await get(option);
      assert.match(stdout, /TEST_RUN/);
      assert.equal(said, '');
    }
  });
});
