import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { BoundaryError, type BoundaryCode } from '../../base/boundary-error.ts';
import { ManualClock } from '../../base/clock.ts';
import type { Principal } from '../principal.ts';
import type { LoggedIn, Person } from './person.ts';
import { isCsrfOf, Sessions } from './sessions.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ADA: Person = { id: 'oidc:ada', name: 'Ada', roles: ['analyst'], project: 'default' };
/** Longer than what is asked for at most, and shorter than an hour without use. */
const STEP = 10_000;

function made(hours = 8): { clock: ManualClock; sessions: Sessions; told: string[] } {
  const clock = new ManualClock();
  const told: string[] = [];
  const audit = {
    loggedIn: ({ id }: Principal) => void told.push(`in ${id}`),
    loggedOut: ({ id }: Principal, why: string) => void told.push(`out ${id}: ${why}`),
    loginRefused: () => undefined,
  };
  return { clock, sessions: new Sessions({ clock, audit, hours }), told };
}

/** Time goes by, with all that it brings. */
async function pass(clock: ManualClock, ms: number, each: () => void = () => undefined): Promise<void> {
  for (let gone = 0; gone < ms; gone += STEP) {
    clock.advance(STEP);
    each();
    await new Promise(setImmediate);
  }
}

function person(changes: Partial<Person> = {}): Person {
  return { ...ADA, ...changes };
}

test('[AC50] a session is found by its cookie alone, and no two are alike', () => {
  const { sessions } = made();
  const [one, other] = [
    sessions.open({ person: ADA }),
    sessions.open({ person: person({ id: 'oidc:bob' }) }),
  ];
  assert.match(one, /^[\w-]{43}$/);
  assert.equal(sessions.find(one)?.id, 'oidc:ada');
  assert.equal(sessions.find(other)?.id, 'oidc:bob');
  for (const wrong of ['', one.slice(1), `${one}x`, one.toUpperCase()])
    assert.equal(sessions.find(wrong), undefined);
  assert.doesNotMatch(inspect(sessions, { depth: 8 }), new RegExp(one));
});

test('[AC52] the token against forged changes is of one session', () => {
  const { sessions } = made();
  const [one, other] = [sessions.open({ person: ADA }), sessions.open({ person: ADA })].map((cookie) =>
    sessions.find(cookie),
  );
  assert.ok(one?.session && other?.session);
  assert.ok(isCsrfOf(one, one.session.csrf));
  for (const wrong of [other.session.csrf, '', undefined, 'é'.repeat(43), 'é'.repeat(21)])
    assert.ok(!isCsrfOf(one, wrong));
  const { session: _, ...without } = one;
  assert.ok(!isCsrfOf(without, ''));
});

test('[AC51] a session ends an hour after its last use, at its hours in any case, and with what it opened', async () => {
  const { clock, sessions, told } = made(2);
  const idle = sessions.open({ person: ADA, renew: async () => ADA });
  const used = sessions.open({ person: ADA, renew: async () => ADA });
  const held = [idle, used].map((cookie) => sessions.find(cookie)?.session?.ended);
  await pass(clock, HOUR + MINUTE, () => void sessions.find(used));
  assert.deepEqual(
    held.map((signal) => signal?.aborted),
    [true, false],
  );
  assert.equal(sessions.find(idle), undefined);
  assert.equal(sessions.find(used)?.id, 'oidc:ada');
  await pass(clock, HOUR, () => void sessions.find(used));
  assert.equal(sessions.find(used), undefined);
  assert.deepEqual(
    held.map((signal) => signal?.aborted),
    [true, true],
  );
  assert.equal(told.filter((line) => line.startsWith('out')).length, 2);
  assert.equal(sessions.size, 0);
});

test('[AC56] who may something else a while later has it within minutes, and what was open ends', async () => {
  const { clock, sessions } = made();
  let now: Person | undefined = ADA;
  let asked = 0;
  const owner: LoggedIn = { person: ADA, renew: async () => (asked++, now) };
  const cookie = sessions.open(owner);
  const before = sessions.find(cookie);
  await pass(clock, 4 * MINUTE);
  assert.equal(asked, 1);
  assert.equal(sessions.find(cookie), before, 'nothing changed');
  now = person({ roles: ['reader'] });
  await pass(clock, 4 * MINUTE);
  assert.equal(before?.session?.ended.aborted, true);
  const after = sessions.find(cookie);
  assert.deepEqual(
    [after?.roles, after?.session?.ended.aborted, after?.session?.csrf],
    [['reader'], false, before.session.csrf],
  );
  now = undefined;
  await pass(clock, 4 * MINUTE);
  assert.equal(sessions.find(cookie), undefined);
  assert.equal(after?.session?.ended.aborted, true);
});

test('[AC56] what a provider that answers no more said last holds for ten minutes', async () => {
  const { clock, sessions } = made();
  let isThere = false;
  const renew = async (): Promise<Person> => {
    if (isThere) return ADA;
    throw new Error('nobody is there');
  };
  const [gone, back] = [sessions.open({ person: ADA, renew }), sessions.open({ person: ADA, renew })];
  await pass(clock, 9 * MINUTE);
  assert.ok(sessions.find(gone) && sessions.find(back));
  isThere = true;
  await pass(clock, 20 * MINUTE, () => void [sessions.find(back), sessions.find(gone)]);
  assert.ok(sessions.find(back) && sessions.find(gone));
  isThere = false;
  await pass(clock, 14 * MINUTE);
  assert.equal(sessions.size, 0);
});

test('[AC56] who cannot be asked for again logs in again after an hour', async () => {
  const { clock, sessions } = made();
  const cookie = sessions.open({ person: ADA });
  await pass(clock, 59 * MINUTE, () => void sessions.find(cookie));
  assert.ok(sessions.find(cookie));
  await pass(clock, 2 * MINUTE, () => void sessions.find(cookie));
  assert.equal(sessions.find(cookie), undefined);
});

test('[AC58] the session of a token ends with the token', () => {
  const { sessions } = made();
  let code: BoundaryCode | undefined;
  const principal: Principal = { by: 'key', id: 'k1', name: 'a key', roles: ['reader'], project: 'default' };
  const cookie = sessions.open({
    again() {
      if (code) throw new BoundaryError(code, 'not now');
      return principal;
    },
  });
  const found = sessions.find(cookie);
  assert.deepEqual([found?.by, found?.id], ['key', 'k1']);
  code = 'RESOURCE_EXHAUSTED';
  assert.ok(sessions.find(cookie), 'nobody looked');
  code = 'UNAUTHENTICATED';
  assert.equal(sessions.find(cookie), undefined);
  assert.equal(found?.session?.ended.aborted, true);
});

test('[AC50] there are at most 2,000 sessions, 20 of one person: who is idle for longest goes', () => {
  const { sessions } = made();
  const ada = Array.from({ length: 21 }, () => sessions.open({ person: ADA }));
  assert.deepEqual(
    ada.map((cookie) => sessions.find(cookie) !== undefined),
    [false, ...Array<boolean>(20).fill(true)],
  );
  const others = Array.from({ length: 1_980 }, (_, n) =>
    sessions.open({ person: person({ id: `oidc:${n}` }) }),
  );
  assert.equal(sessions.size, 2_000);
  assert.ok(sessions.find(ada[1] ?? ''), 'used just now');
  sessions.open({ person: person({ id: 'oidc:last' }) });
  assert.equal(sessions.size, 2_000);
  assert.ok(sessions.find(ada[1] ?? '') && !sessions.find(ada[2] ?? '') && sessions.find(others[0] ?? ''));
});
