import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Annotation, AnnotationState } from '../../src/model/annotation.ts';
import type { ApprovalState } from '../../src/model/approval.ts';
import { Party } from '../e2e/parties.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { Command, run, type Result } from './run-command.ts';

describe('annotations from the shell', () => {
  let service: RealService;
  let party: Party;
  before(async () => {
    service = await RealService.start({ dataDir: await temporaryFolder() });
    party = new Party(service.readers, '');
    await party.send('/api/cot', {
      requestId: 'r1',
      taskId: 'T1',
      text: 'Done.',
      agent: 'CoderAgent',
      final: true,
      timestamp: Date.now(),
    });
  });
  after(() => service.stop());

  const cli = (...args: string[]): Promise<Result> => run([...args, '--url', service.readers]);

  test('[AT21] a step is annotated, what stands is listed, and watch marks it', async (t) => {
    assert.equal((await cli('annotate', 'req:r1')).stdout, 'Nobody has said anything of this step.\n');
    const { code, stdout, stderr } = await cli('annotate', 'req:r1', 'look here');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^note by somebody.*\. On the graph: event:annotation:\w{32}\n$/);
    const said = await cli('annotate', 'req:r1', '--verdict', 'wrong', '--json');
    const { id } = JSON.parse(said.stdout) as AnnotationState;
    assert.match(
      (await cli('annotate', 'req:r1')).stdout,
      /: note — look here .*\n.*: wrong {2}\(\w{32}\)\n$/,
    );
    const watch = new Command(t, ['watch', '--task', 'T1', '--url', service.readers]);
    await watch.prints(/said=wrong/);
    await cli('annotate', 'req:r1', '--withdraw', id);
    const left = JSON.parse((await cli('annotate', 'req:r1', '--json')).stdout) as readonly Annotation[];
    assert.deepEqual(
      left.map(({ kind, text }) => [kind, text]),
      [['note', 'look here']],
    );
  });

  test('[AT21] an agent that asks is answered, and who comes later ends with 1 and is told who was first', async () => {
    const asked = await party.post('/api/control/approvals', {
      question: 'May I deploy?',
      taskId: 'T1',
      options: ['staging', 'production'],
    });
    const { id, nodeId } = JSON.parse(asked.text) as ApprovalState;
    assert.match((await cli('approve', nodeId)).stderr, /option is required/);
    const done = await cli('approve', nodeId, 'go', '--option', 'staging');
    assert.match(done.stdout, /^approved by somebody/, done.stderr);
    const late = await cli('deny', nodeId);
    assert.equal(late.code, 1);
    assert.match(late.stderr, /it is approved already, by somebody/);
    const state = JSON.parse((await party.get(`/api/control/approvals/${id}`)).text) as ApprovalState;
    assert.deepEqual([state.state, state.option, state.text], ['approved', 'staging', 'go']);
  });

  test('[AT21] what is missing or does not go together is said', async () => {
    for (const [args, words] of [
      [['annotate'], /say which step/],
      [['approve'], /say what/],
      [['annotate', 'req:r1', '--verdict', 'bad'], /--verdict must be one of correct, partly, wrong/],
      [['annotate', 'req:r1', '--question'], /say what: a text after the step/],
      [['annotate', 'req:r1', 'x', '--verdict', 'wrong', '--question'], /at a time/],
      [['annotate', 'nothing', 'x'], /no node with this id is known/],
    ] as const) {
      const { code, stderr } = await cli(...args);
      assert.notEqual(code, 0);
      assert.match(stderr, words);
    }
  });
});
