import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError } from '../base/boundary-error.ts';
import { ManualClock } from '../base/clock.ts';
import type { AuditLog } from '../redaction/audit-log.ts';
import type { AuditRecord } from '../redaction/audit-log-chain.ts';
import { NOBODY, type Principal } from '../access/principal.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { AccessRecord } from './access-record.ts';
import { EntryRecord } from './entry-record.ts';

const ADA: Principal = { ...NOBODY, by: 'person', id: 'oidc:ada', name: 'Ada', project: 'other' };
const DENIED = new BoundaryError('UNAUTHENTICATED', 'no');

test('[AC102] the log says what a refusal was about, who asked and from where', async () => {
  const said: object[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => void said.push(fields) };
  const record = new AccessRecord(undefined, new ManualClock(), logger, () => 'print');
  const asker = record.strangerOf({ apiKey: 'x', address: '10.1.2.3' });
  await record.refused({ action: 'refused', why: 'NOT_FOUND', node: 'T012', ...asker });
  assert.deepEqual(said, [
    { action: 'refused', why: 'NOT_FOUND', node: 'T012', who: 'print', from: asker.from },
  ]);
});

function made(): { clock: ManualClock; lines: AuditRecord[]; record: AccessRecord } {
  const clock = new ManualClock();
  const lines: AuditRecord[] = [];
  const log = { record: (line: AuditRecord) => Promise.resolve(void lines.push(line)) };
  const record = new AccessRecord(log as unknown as AuditLog, clock, silentLogger, () => 'print');
  return { clock, lines, record };
}

test('[AC102] ten refusals of a kind are written in a minute; at its end a line says how many were not', async () => {
  const { clock, lines, record } = made();
  const entries = new EntryRecord({ of: () => assert.fail('nobody is known') }, record);
  const refuse = (): void =>
    entries.refused({ way: 'GET /api/tasks', error: DENIED, credentials: { apiKey: 'x' } });
  for (let n = 0; n < 1000; n++) refuse();
  assert.equal(lines.length, 10);
  entries.loginRefused('token', '::1', 'x');
  assert.equal(lines.length, 11, 'those of one kind keep no other from the log');
  clock.advance(60_000);
  const { time: _, ...told } = lines.at(-1) ?? {};
  assert.deepEqual(told, {
    action: 'denied',
    outcome: 'refused',
    node: 'several',
    why: 'more than are written',
    role: 'unknown',
    who: 'several',
    notWrittenBefore: 990,
  });
  refuse();
  assert.equal(lines.at(-1)?.['notWrittenBefore'], undefined);
  assert.equal(lines.length, 13);
  for (let n = 0; n < 14; n++) refuse();
  await record.close();
  assert.equal(lines.at(-1)?.['notWrittenBefore'], 5, 'also when the service stops before');
  clock.advance(120_000);
  assert.equal(lines.length, 23);
});

test('[AC101] who is known stands in the log of their project; what is no refusal in none', () => {
  const [main, other] = [made(), made()];
  const entries = new EntryRecord({ of: () => ({ accesses: other.record }) }, main.record);
  const at = { way: 'GET /api/keys', credentials: {}, principal: ADA };
  entries.loggedIn(ADA);
  entries.refused({ ...at, error: new BoundaryError('PERMISSION_DENIED', 'no') });
  entries.refused({ ...at, error: new BoundaryError('RESOURCE_EXHAUSTED', 'too fast') });
  assert.equal(main.lines.length, 0);
  assert.deepEqual(
    other.lines.map(({ action, who, name, outcome }) => [action, who, name, outcome]),
    [
      ['login', 'oidc:ada', 'Ada', 'done'],
      ['denied', 'oidc:ada', 'Ada', 'refused'],
    ],
  );
});
