import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { within } from '../steps/child.ts';
import { hexId, jsonSpan, sendSpans } from '../steps/otlp.ts';
import { FREE_PORTS, serve, type Served } from '../steps/serve.ts';

/** A store that a folder of the crash test begins with: something in it is to be deleted while the service is killed. */
export interface StartingStore {
  readonly name: string;
  /** Flags of the service in all rounds. */
  readonly settings: readonly string[];
  /** Fills it by a service of its own. */
  readonly fill: (dataDir: string, env: NodeJS.ProcessEnv) => Promise<Content>;
}

/** What was in it. */
export interface Content {
  /** What must be there still is, and what was to go is gone. */
  readonly check: (readers: string) => Promise<void>;
}

const MAIN = resolve(import.meta.dirname, '../../../src/main.ts');
const EARLIER_CLOCK = resolve(import.meta.dirname, 'earlier-clock.ts');
const DAY_MS = 86_400_000;
const GONE_MS = 60_000;
const SPANS = 20;
const MIB = 1024 * 1024;
/** The rounds write less than what this has beside the filling. */
const MAX_STORE_BYTES = 24 * MIB;
/** Of one attribute; a few hundred fill the store. */
const LONG_TEXT = 200_000;
const AUTH = { token: 'token-of-the-crash-test', adminToken: 'admin-token-of-the-crash-test' };

export const STORES: readonly (StartingStore | undefined)[] = [
  undefined,
  { name: 'records that expired', settings: ['--persist-retention-days', '1'], fill: fillExpired },
  {
    name: 'a store that is nearly full',
    settings: ['--max-store-bytes', String(MAX_STORE_BYTES)],
    fill: fillFull,
  },
  { name: 'a task that was erased', settings: [], fill: fillErased },
];

/** Records of three days ago. */
async function fillExpired(dataDir: string, env: NodeJS.ProcessEnv): Promise<Content> {
  const earlier = { ...env, CRASH_EARLIER_MS: String(3 * DAY_MS) };
  const service = await serve(process.execPath, ['--import', EARLIER_CLOCK, ...argsFor(dataDir)], {
    env: earlier,
  });
  await filled(service, async () => {
    await sendTask(service, 'expired', {});
    await sendThought(service, 'expired', {});
  });
  return { check: (readers) => gone(readers, [...spanIds('expired'), 'req:expired']) };
}

/** Big spans of many tasks, up to what may be stored; the oldest make room for those of the rounds. */
async function fillFull(dataDir: string, env: NodeJS.ProcessEnv): Promise<Content> {
  const service = await serve(process.execPath, argsFor(dataDir), { env });
  await filled(service, async () => {
    const text = 'and then it looked at the file once more. '.repeat(LONG_TEXT / 42);
    for (let n = 0; (await storeBytes(service.readers)) < 0.97 * MAX_STORE_BYTES; n++) {
      assert.ok(n < 1000, 'the store does not grow');
      const spans = Array.from({ length: 8 }, (_, index) =>
        jsonSpan(`full ${n}`, `span ${index}`, undefined, { 'input.value': `${n} ${index} ${text}` }),
      );
      await sendSpans(service.otlpHttp, spans);
    }
  });
  return {
    check: (readers) =>
      within(GONE_MS, 'the store is within its bound', async () =>
        (await storeBytes(readers)) <= MAX_STORE_BYTES ? true : undefined,
      ).then(() => undefined),
  };
}

/** Two tasks, one of which is erased: the service is killed as soon as it has said so. */
async function fillErased(dataDir: string, env: NodeJS.ProcessEnv): Promise<Content> {
  const service = await serve(process.execPath, [...argsFor(dataDir), '--auth', JSON.stringify(AUTH)], {
    env,
  });
  const asSender = { authorization: `Bearer ${AUTH.token}` };
  try {
    await sendTask(service, 'erased', asSender);
    await sendTask(service, 'stays', asSender);
    await sendThought(service, 'erased', asSender);
    await sendThought(service, 'stays', asSender);
    const answer = await fetch(`http://${service.readers}/api/erase`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${AUTH.adminToken}` },
      body: JSON.stringify({ taskId: 'erased' }),
    });
    assert.equal(answer.status, 200, await answer.text());
  } finally {
    service.child.kill();
    await service.child.ended(1000);
  }
  return {
    check: async (readers) => {
      await gone(readers, [...spanIds('erased'), 'req:erased']);
      for (const id of [...spanIds('stays'), 'req:stays'])
        assert.equal(await statusOf(readers, id), 200, `${id} is there`);
    },
  };
}

/** Stopped cleanly, so that the rounds begin with all of it. */
async function filled(service: Served, send: () => Promise<void>): Promise<void> {
  try {
    await send();
    assert.equal(await service.child.stop(), 0);
  } finally {
    service.child.kill();
  }
}

function argsFor(dataDir: string): readonly string[] {
  return [MAIN, 'serve', ...FREE_PORTS, '--data-dir', dataDir, '--log-level', 'warn'];
}

async function sendTask(
  service: Served,
  taskID: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const spans = Array.from({ length: SPANS }, (_, index) =>
    jsonSpan(taskID, `span ${index}`, undefined, { taskID }),
  );
  await sendSpans(service.otlpHttp, spans, headers);
}

async function sendThought(
  service: Served,
  taskId: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const answer = await fetch(`http://${service.readers}/api/cot`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      requestId: taskId,
      taskId,
      timestamp: Date.now(),
      text: 'A whole thought.',
      final: true,
    }),
  });
  assert.equal(answer.status, 202, await answer.text());
}

function spanIds(task: string): readonly string[] {
  return Array.from(
    { length: SPANS },
    (_, index) => `${hexId(task, 32)}:${hexId(`${task}/span ${index}`, 16)}`,
  );
}

async function gone(readers: string, ids: readonly string[]): Promise<void> {
  await within(GONE_MS, `nothing is left of ${ids[0] ?? ''} and ${ids.length - 1} others`, async () => {
    for (const id of ids) if ((await statusOf(readers, id)) !== 404) return undefined;
    return true;
  });
}

async function statusOf(readers: string, nodeId: string): Promise<number> {
  const answer = await fetch(`http://${readers}/api/nodes/${encodeURIComponent(nodeId)}`);
  await answer.arrayBuffer();
  return answer.status;
}

async function storeBytes(readers: string): Promise<number> {
  const text = await (await fetch(`http://${readers}/metrics`)).text();
  return Number(/^explain_store_bytes(?:\{.*\})? (\d+)/m.exec(text)?.[1]);
}
