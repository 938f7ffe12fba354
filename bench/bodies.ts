import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostileBodies, type HostileBody } from './bodies/hostile-bodies.ts';
import { FREE_PORTS, serve, type Served } from '../test/integration/steps/serve.ts';

/**
 * What compressed bodies cost a service in a process of its own: many of one kind at once, kind after kind. Its
 * resident memory stays below the bound, and a new sender is answered meanwhile.
 */
const AT_ONCE = 40;
const MAX_RESIDENT_MIB = 1200;
const MAX_ANSWER_MS = 2000;
const MAIN = join(import.meta.dirname, '../src/main.ts');

let passed = 0;
let failed = 0;
const dataDir = await mkdtemp(join(tmpdir(), 'explain-bodies-'));
const only = process.argv[2];
for (const body of await hostileBodies()) {
  if (only !== undefined && !`${body.path} ${body.what}`.includes(only)) continue;
  const served = await serve(process.execPath, [MAIN, 'serve', ...FREE_PORTS, '--data-dir', dataDir]);
  try {
    await measure(served, body);
  } finally {
    await served.child.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function measure(served: Served, body: HostileBody): Promise<void> {
  const before = await residentMib(served, 'VmRSS');
  const began = performance.now();
  const state = { isOver: false };
  const all = Promise.all(
    Array.from({ length: AT_ONCE }, () => post(served, body.path, body.type, body.bytes, 'gzip')),
  ).finally(() => (state.isOver = true));
  let slowest = 0;
  const newcomer: Record<string, number> = {};
  while (!state.isOver) {
    const since = performance.now();
    const status = await post(
      served,
      '/api/cot',
      'application/json',
      Buffer.from('{"requestId":"new","text":"x"}'),
    );
    slowest = Math.max(slowest, performance.now() - since);
    newcomer[status] = (newcomer[status] ?? 0) + 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const statuses: Record<string, number> = {};
  for (const status of await all) statuses[status] = (statuses[status] ?? 0) + 1;
  const most = await residentMib(served, 'VmHWM');
  const isGood = most <= MAX_RESIDENT_MIB && slowest <= MAX_ANSWER_MS;
  if (isGood) passed++;
  else failed++;
  console.log(
    `${isGood ? 'ok  ' : 'FAIL'} ${body.path} ${body.what} (${Math.ceil(body.bytes.length / 1024)} KiB): ` +
      `${before} -> ${most} MiB, ${Math.round(performance.now() - began)} ms, answers ${JSON.stringify(statuses)}, ` +
      `new sender ${JSON.stringify(newcomer)} at most ${Math.round(slowest)} ms`,
  );
}

async function residentMib({ child }: Served, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
}

/** The status; 0 when the connection ended without an answer. */
function post(
  served: Served,
  path: string,
  type: string,
  bytes: Buffer,
  encoding = 'identity',
): Promise<number> {
  const target = path.startsWith('/v1/') ? served.otlpHttp : served.readers;
  return new Promise((resolve) => {
    const headers = { 'content-type': type, 'content-encoding': encoding };
    const asked = request(
      `http://${target}${path}`,
      { method: 'POST', headers, agent: false },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    asked.on('error', () => resolve(0));
    asked.end(bytes);
  });
}
