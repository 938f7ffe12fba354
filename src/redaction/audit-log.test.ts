import assert from 'node:assert/strict';
import { appendFile, copyFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { silentLogger } from '../telemetry/logger.ts';
import { verifyAuditLog } from './audit-log-verify.ts';
import { AuditLog } from './audit-log.ts';
import type { AuditEntry, AuditLogOptions } from './audit-log.ts';

const KEY = new Uint8Array(32).fill(7);
const entry = (length: number): AuditEntry => ({ time: 1, rule: 'jwt', node: 'n', field: 'name', length });

async function logFile(t: Pick<TestContext, 'after'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'audit-'));
  t.after(() => rm(folder, { recursive: true }));
  return join(folder, 'audit.ndjson');
}

function logAt(path: string, options: Partial<AuditLogOptions> = {}): AuditLog {
  return new AuditLog({ path, key: KEY, logger: silentLogger, ...options });
}

async function write(log: AuditLog, from: number, to: number): Promise<void> {
  for (let i = from; i < to; i++) log.write(entry(i));
  await log.flush();
}

async function linesOf(path: string): Promise<readonly string[]> {
  return (await readFile(path, 'utf8')).trimEnd().split('\n');
}

async function entries(path: string): Promise<readonly unknown[]> {
  return (await linesOf(path)).map((line) => {
    const { seq: _seq, prev: _prev, ...rest } = JSON.parse(line) as Record<string, unknown>;
    return rest;
  });
}

async function problemOf(path: string, key = KEY): Promise<string | undefined> {
  return (await verifyAuditLog(path, key)).problem;
}

test('[RD9] audit entries are lines of JSON, in order', async (t) => {
  const path = join(await logFile(t), '..', 'deep', 'audit.ndjson');
  const log = logAt(path);
  await write(log, 0, 100);
  await write(log, 100, 101);
  assert.deepEqual(
    await entries(path),
    Array.from({ length: 101 }, (_, i) => entry(i)),
  );
});

test('[RD9] a full file is kept once beside the new one, and entries beyond the buffer are counted', async (t) => {
  const path = await logFile(t);
  const log = logAt(path, { maxFileBytes: 100, maxBuffered: 3 });
  await write(log, 0, 5);
  await write(log, 9, 10);
  assert.deepEqual(await entries(`${path}.1`), [entry(0), entry(1), entry(2), { time: 1, lostEntries: 2 }]);
  assert.deepEqual(await entries(path), [entry(9)]);
});

test('[RD9] a disk that refuses is said in the log and stops nothing; who waits for the disk is told', async (t) => {
  const path = await logFile(t);
  await writeFile(path, '');
  const errors: object[] = [];
  const logger = { ...silentLogger, error: (fields: object) => void errors.push(fields) };
  const log = logAt(join(path, 'audit.ndjson'), { logger });
  await write(log, 1, 2);
  assert.equal(errors.length, 1);
  await assert.rejects(log.record({ action: 'reveal' }));
});

test('[RD12] the chain holds over restarts and rotations, whatever was dropped', async (t) => {
  const path = await logFile(t);
  for (let run = 0; run < 6; run++) {
    const log = logAt(path, { maxFileBytes: 1500 });
    for (let i = 0; i < 7; i++) await write(log, i, i + 2);
    assert.equal(await problemOf(path), undefined, `run ${run}`);
  }
  const [first] = await linesOf(`${path}.1`);
  assert.ok((JSON.parse(first ?? '') as { seq: number }).seq > 1, 'something was dropped');
  assert.deepEqual((await verifyAuditLog(path, KEY)).notes, []);
});

test('[RD12] an empty log is whole; a missing head, another key and no log at all are told apart', async (t) => {
  const path = await logFile(t);
  assert.match((await problemOf(path)) ?? '', /there is no audit\.ndjson/);
  await logAt(path).open();
  assert.deepEqual(await verifyAuditLog(path, KEY), { file: 'audit.ndjson', entries: 0, notes: [] });
  await write(logAt(path), 0, 3);
  assert.match((await problemOf(path, new Uint8Array(32))) ?? '', /audit\.ndjson\.head was changed/);
  await rm(`${path}.head`);
  assert.match((await problemOf(path)) ?? '', /audit\.ndjson\.head is missing/);
});

test('[RD12] any line that is changed, taken out, put in, moved or cut off is found, and so is any byte', async (t) => {
  const path = await logFile(t);
  const log = logAt(path, { maxFileBytes: 1200 });
  for (let i = 0; i < 16; i++) await write(log, i, i + 1);
  const whole = { [`${path}.1`]: await readFile(`${path}.1`, 'utf8'), [path]: await readFile(path, 'utf8') };
  assert.equal(await problemOf(path), undefined);
  const file = fc.constantFrom(...Object.keys(whole));
  const at = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const change = fc.constantFrom('length', 'drop', 'repeat', 'swap', 'cut', 'byte', 'lineless');
  await fc.assert(
    fc.asyncProperty(file, at, change, async (name, where, how) => {
      const text = whole[name] ?? '';
      const changed = tampered(text, where, how);
      fc.pre(changed !== text);
      await writeFile(name, changed);
      const problem = await problemOf(path);
      await writeFile(name, text);
      assert.ok(problem !== undefined, how);
    }),
    { numRuns: 150 },
  );
});

function tampered(text: string, where: number, how: string): string {
  const lines = text.split('\n').slice(0, -1);
  const index = Math.floor(where * lines.length);
  const line = lines[index] ?? '';
  const byte = Math.floor(where * text.length);
  switch (how) {
    case 'length':
      lines[index] = line.replace(/"length":\d+/, '"length":99');
      break;
    case 'drop':
      lines.splice(index, 1);
      break;
    case 'repeat':
      lines.splice(index, 0, line);
      break;
    case 'swap':
      lines.splice(index, 1);
      lines.push(line);
      break;
    case 'cut':
      lines.splice(index);
      break;
    case 'lineless':
      return text.slice(0, byte);
    default:
      return `${text.slice(0, byte)}${text.charAt(byte) === 'x' ? 'y' : 'x'}${text.slice(byte + 1)}`;
  }
  return lines.map((one) => `${one}\n`).join('');
}

test('[RD12] a log that was shortened while the service was away stays marked after its next start', async (t) => {
  const path = await logFile(t);
  await write(logAt(path), 0, 10);
  const text = await readFile(path, 'utf8');
  await writeFile(path, `${text.split('\n').slice(0, 6).join('\n')}\n`);
  assert.match((await problemOf(path)) ?? '', /entries 7 to 10 are missing at the end/);
  await write(logAt(path), 10, 12);
  assert.match((await problemOf(path)) ?? '', /entries 7 to 10 are missing before audit\.ndjson line 7/);
});

test('[RD12] a shortened log without its head stays marked after the next start, too', async (t) => {
  const path = await logFile(t);
  await write(logAt(path), 0, 10);
  await writeFile(path, `${(await linesOf(path)).slice(0, 6).join('\n')}\n`);
  await rm(`${path}.head`);
  await write(logAt(path), 10, 12);
  assert.match((await problemOf(path)) ?? '', /entry 7\): the head was missing or wrong/);
});

test('[RD12] a crash costs nothing but the line it cut: before the head, and in the middle of a line', async (t) => {
  const path = await logFile(t);
  await write(logAt(path), 0, 3);
  await copyFile(`${path}.head`, `${path}.old`);
  await write(logAt(path), 3, 5);
  await copyFile(`${path}.old`, `${path}.head`);
  const verdict = await verifyAuditLog(path, KEY);
  assert.equal(verdict.problem, undefined);
  assert.match(verdict.notes.join(), /2 entries are newer than the head/);

  await appendFile(path, '{"field":"na');
  assert.match((await verifyAuditLog(path, KEY)).notes.join(), /line 6 is unfinished/);
  await write(logAt(path), 5, 7);
  assert.deepEqual(await verifyAuditLog(path, KEY), { file: 'audit.ndjson', entries: 7, notes: [] });
  await truncate(path, 0);
  assert.match((await problemOf(path)) ?? '', /entries 1 to 7 are missing at the end/);
});
