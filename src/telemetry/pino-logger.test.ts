import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError } from '../base/boundary-error.ts';
import { InvariantError } from '../base/assert.ts';
import type { SafeError } from './safe-error.ts';
import { createPinoLogger, type PinoLoggerOptions } from './pino-logger.ts';

const CANARY = 'canary-5d1e';

function logger(level: PinoLoggerOptions['level'] = 'debug') {
  const lines: string[] = [];
  return { lines, log: createPinoLogger({ level, stream: { write: (line) => void lines.push(line) } }) };
}

const parsed = (line: string | undefined) => JSON.parse(line ?? '') as Record<string, unknown>;

test('[TE7] lines are JSON with time, level and fields; quieter levels are left out', () => {
  const { lines, log } = logger('warn');
  log.debug({}, 'no');
  log.info({}, 'no');
  log.warn({ taskId: 'T1' }, 'yes');
  log.error({}, 'yes');
  assert.equal(lines.length, 2);
  const line = parsed(lines[0]);
  assert.equal(line['level'], 'warn');
  assert.equal(line['msg'], 'yes');
  assert.equal(line['taskId'], 'T1');
  assert.match(String(line['time']), /^\d{4}-\d\d-\d\dT/);
  const quiet = logger('silent');
  quiet.log.error({}, 'no');
  assert.deepEqual(quiet.lines, []);
});

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

test("[TE8] the message of a stranger's error never gets into the log, wherever the error hides", () => {
  const { lines, log } = logger();
  const parse = thrownBy(() => JSON.parse(CANARY));
  assert.match(String(parse), /canary/, 'the engine quotes the input: what this test is about');
  const multiline = new Error(`first\n    at ${CANARY} (/x.js:1:1)\n${CANARY}`);
  const renamed = new Error(`${CANARY}\n  at ${CANARY} is not a frame`);
  renamed.message = 'changed later';
  renamed.name = `Error ${CANARY}`;
  const fake = `\n    at ${CANARY} (/x.js:1:1)`.repeat(3);
  // Few frames of its own, so that what looks like one is not already cut off with the oldest.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 2;
  const withMessageChanged = (from: string, to: string) => {
    const error = new Error(from);
    // The engine writes the stack when it is first read, and keeps it.
    assert.match(error.stack ?? '', /canary/);
    error.message = to;
    return error;
  };
  const changed = ['', 'c', 'first', 'Error'].map((message) => withMessageChanged(`c first${fake}`, message));
  const emptied = withMessageChanged(fake, '');
  Error.stackTraceLimit = stackTraceLimit;
  const dressed = Object.assign(new TypeError(CANARY), {
    input: CANARY,
    code: `E ${CANARY}`,
    toJSON: () => CANARY,
  });
  const errors = [
    parse,
    multiline,
    renamed,
    ...changed,
    emptied,
    dressed,
    new Error('outer', { cause: new Error(CANARY, { cause: CANARY }) }),
    new AggregateError([new Error(CANARY)], CANARY),
    new BoundaryError('INTERNAL', 'internal error', { cause: new Error(CANARY) }),
  ];
  for (const error of errors) {
    log.error({ err: error }, 'failed');
    log.warn({ reason: error, nested: { list: [error] } }, 'failed');
    log.error(error as object, 'failed');
  }
  assert.equal(lines.length, errors.length * 3);
  for (const line of lines) assert.doesNotMatch(line, /canary/);
});

test('[TE8] name, code and place of an error are kept, and messages of our own errors', () => {
  const { lines, log } = logger();
  const error = Object.assign(new RangeError('private'), { code: 'ERR_OUT' });
  log.error({ err: error }, 'failed');
  log.error({ err: new BoundaryError('TOO_LARGE', 'attribute "a" is too long', { cause: error }) }, 'failed');
  log.error({ err: new InvariantError('edge without node') }, 'failed');
  const [first, second, third] = lines.map((line) => parsed(line)['err'] as SafeError);
  assert.equal(first?.name, 'RangeError');
  assert.equal(first?.code, 'ERR_OUT');
  assert.equal(first?.message, undefined);
  assert.match(first?.stack?.[0] ?? '', /^at .*pino-logger\.test\.ts:\d+:\d+\)?$/);
  assert.equal(second?.message, 'attribute "a" is too long');
  assert.equal(second?.cause?.name, 'RangeError');
  assert.equal(third?.message, 'edge without node');
  log.error(new Error(), 'failed');
  assert.match(lines[3] ?? '', /at .*pino-logger\.test\.ts/);
});

test('[TE9] a line is bounded, whatever the fields are', () => {
  const { lines, log } = logger();
  const cyclic: Record<string, unknown> = {
    long: 'x'.repeat(100_000),
    list: Array.from({ length: 10_000 }, () => 1),
  };
  cyclic['self'] = cyclic;
  log.info({ cyclic, big: 10n, run: () => 1 }, 'odd');
  assert(lines[0] && lines[0].length < 20_000);
  assert.equal(parsed(lines[0])['big'], '10');
});
