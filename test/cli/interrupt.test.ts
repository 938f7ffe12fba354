import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AnswerStatus, InterruptState } from '../../src/model/interrupt.ts';
import { Party } from '../e2e/parties.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { waitOverWebSocket } from '../support/control-agent.ts';
import { Command, run, type Result } from './run-command.ts';

describe('interrupts from the shell', () => {
  let service: RealService;
  let party: Party;
  before(async () => {
    service = await RealService.start({ dataDir: await temporaryFolder() });
    party = new Party(service.readers, '');
    for (const task of ['T1', 'T2'])
      await party.send('/api/cot', {
        requestId: `r-${task}`,
        taskId: task,
        text: 'I go on.',
        agent: 'CoderAgent',
        timestamp: Date.now(),
      });
  });
  after(() => service.stop());

  const interrupt = (...args: string[]): Promise<Result> =>
    run(['interrupt', ...args, '--url', service.readers]);

  /** An agent that answers all that comes with this. */
  async function agent(status: AnswerStatus, taskId: string) {
    const waiting = await waitOverWebSocket(service.readers, `taskId=${taskId}`);
    const answering = waiting
      .interrupts(1)
      .then(([told]) => waiting.send({ id: told?.id, status, message: 'soon' }));
    return { waiting, answering };
  }

  test('[IR19] a task or a step is interrupted, and what the agent answers is said', async () => {
    const first = await agent('stopping', 'T1');
    const told = await interrupt('T1', '--message', 'enough');
    assert.deepEqual([told.code, told.stderr], [0, '']);
    assert.match(
      told.stdout,
      /^Told: CoderAgent \(control\)\. On the graph: event:interrupt:\w+\nCoderAgent: stopping — soon\n$/,
    );
    assert.equal((await first.waiting.interrupts(1))[0]?.message, 'enough');
    first.waiting.close();
    const second = await agent('ignored', 'T2');
    const { code, stdout } = await interrupt('req:r-T2', '--reason', 'timeout', '--json');
    const state = JSON.parse(stdout) as InterruptState;
    assert.deepEqual(
      [code, state.reason, state.told.map(({ status }) => status)],
      [1, 'timeout', ['ignored']],
    );
    second.waiting.close();
  });

  test('[CLI12] watch says what an interrupt was about, in a pipe as well', async (t) => {
    const { code } = await interrupt(
      'req:r-T1',
      '--reason',
      'redirect',
      '--message',
      'the parser',
      '--no-wait',
    );
    assert.equal(code, 0);
    const watch = new Command(t, ['watch', '--task', 'T1', '--url', service.readers]);
    await watch.prints(/"UserInterrupt" {2}agent=User {2}about="redirect: the parser"/);
  });

  test('[IR19] what is not there, a wrong reason and nothing at all are said in words of their own', async (t) => {
    for (const [args, words] of [
      [['T9'], /no step has this id, and no task with it is under way \(.* tasks" and "get" show/],
      [[], /say what to interrupt/],
      [['T1', '--reason', 'boredom'], /--reason must be one of timeout, redirect/],
    ] as const) {
      const { code, stderr } = await interrupt(...args);
      assert.equal(code === 0, false);
      assert.match(stderr, words);
    }
    const waits = new Command(t, ['interrupt', 'T2', '--url', service.readers]);
    await waits.prints(/Nobody waits for it yet; whoever comes within 30 s is told/);
    const late = await agent('completing_thought', 'T2');
    assert.equal(await waits.exit(), 0);
    assert.match(waits.stdout, /CoderAgent: completing_thought — soon\n$/);
    late.waiting.close();
  });
});
