import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../base/clock.ts';
import { LoginPace } from './login-pace.ts';
import { LoginRefused } from './person.ts';

const SECOND = 1_000;

function made() {
  const clock = new ManualClock();
  const pace = new LoginPace(clock);
  /** Milliseconds until it was looked at, and until it was answered; 'away' when it was not. */
  const attempt = async (source: string, name: string, password: 'right' | 'wrong' | 'down') => {
    const began = clock.monotonic();
    let looked: number | undefined;
    try {
      await pace.attempt(source, name, async () => {
        looked = clock.monotonic() - began;
        if (password === 'right') return;
        throw new LoginRefused(password === 'wrong' ? 'credentials' : 'unreachable');
      });
    } catch (error) {
      assert.ok(error instanceof LoginRefused);
      if (error.reason === 'pace') return 'away';
    }
    return { looked, answered: clock.monotonic() - began };
  };
  /** Lets time go by until all are answered. */
  const all = async <T>(attempts: readonly Promise<T>[]): Promise<T[]> => {
    const answers = Promise.all(attempts);
    const turns = async (): Promise<T[]> => {
      for (let turn = 0; turn < 10_000; turn++) {
        await new Promise(setImmediate);
        clock.advance(50);
      }
      throw new Error('they are never answered');
    };
    return Promise.race([answers, turns()]);
  };
  const one = async (...given: Parameters<typeof attempt>) => (await all([attempt(...given)]))[0];
  return { clock, attempt, all, one };
}

test('[AC55] a few wrong log-ins cost nothing, more are looked at later and later, and it is forgiven', async () => {
  const { clock, one } = made();
  const looked: unknown[] = [];
  for (let n = 0; n < 12; n++) {
    const answer = await one('10.0.0.1', `name ${n}`, 'wrong');
    looked.push(typeof answer === 'object' && answer.looked);
  }
  assert.deepEqual(looked.slice(0, 11), Array(11).fill(0));
  assert.ok(Number(looked[11]) >= 250);
  clock.advance(10 * 60 * SECOND);
  assert.deepEqual(await one('10.0.0.1', 'ada', 'right'), { looked: 0, answered: 0 });
});

test('[AC55] of a thousand wrong log-ins of one source few are looked at, and others do not wait', async () => {
  const { attempt, all } = made();
  const flood = Array.from({ length: 1_000 }, (_, n) => attempt('10.0.0.1', `name ${n}`, 'wrong'));
  const other = attempt('10.0.0.2', 'ada', 'right');
  const answers = await all([...flood, other]);
  assert.deepEqual(answers.at(-1), { looked: 0, answered: 0 });
  const looked = answers.slice(0, -1).filter((answer) => answer !== 'away');
  assert.ok(looked.length <= 20, `${looked.length} were looked at`);
});

test('[AC55] whose name is tried from everywhere waits four seconds at most, and comes in', async () => {
  const { attempt, all } = made();
  await all(Array.from({ length: 400 }, (_, n) => attempt(`10.0.${n >> 8}.${n & 255}`, 'ada', 'wrong')));
  const [answer] = await all([attempt('192.168.0.1', 'Ada', 'right')]);
  assert.ok(typeof answer === 'object' && Number(answer.looked) > 0 && Number(answer.looked) <= 4_050);
});

test('[AC55] a name is one however a directory lets it be spelled', async () => {
  const { attempt, all } = made();
  const spellings = ['ada', ' ADA ', 'ａda', 'a\u00adda', 'àda', 'a\u200bda', 'ada\u00a0', 'Ada'];
  await all(spellings.map((name, n) => attempt(`10.0.1.${n}`, name, 'wrong')));
  const [same, other] = await all([
    attempt('10.0.2.1', 'ada', 'right'),
    attempt('10.0.2.2', 'adam', 'right'),
  ]);
  assert.ok(typeof same === 'object' && Number(same.looked) > 0);
  assert.deepEqual(other, { looked: 0, answered: 0 });
});

test('[AC55] one network of IPv6 is one source, however it is written', async () => {
  const { attempt, all } = made();
  await all(
    Array.from({ length: 40 }, (_, n) => attempt(`2001:db8:0:1::${n.toString(16)}`, `name ${n}`, 'wrong')),
  );
  const [same, other] = await all([
    attempt('2001:db8:0:1:ffff::1', 'ada', 'right'),
    attempt('2001:db8:0:2::1', 'bob', 'right'),
  ]);
  assert.ok(typeof same === 'object' && Number(same.looked) > 0);
  assert.deepEqual(other, { looked: 0, answered: 0 });
});

test('[AC55] refusals take a multiple of half a second, whatever was wrong', async () => {
  const { one } = made();
  const answer = await one('10.0.0.1', 'ada', 'wrong');
  assert.deepEqual(answer, { looked: 0, answered: 500 });
});

test('[AC55] a directory that is down makes nobody wait', async () => {
  const { one } = made();
  for (let n = 0; n < 30; n++) await one('10.0.0.1', 'ada', 'down');
  assert.deepEqual(await one('10.0.0.1', 'ada', 'right'), { looked: 0, answered: 0 });
});
