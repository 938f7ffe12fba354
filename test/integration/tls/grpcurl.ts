import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findGo } from '../collector/build-collector.ts';
import type { Report } from '../collector/report.ts';

const VERSION = 'v1.9.3';
const BUILD_LIMIT_MS = 10 * 60_000;
const LIMIT_MS = 30_000;
const run = promisify(execFile);

/** grpcurl knows nothing of the service but its address and authority: what there is to call it is told by reflection. */
export async function grpcurl(caFile: string, port: number, key: string, report: Report): Promise<void> {
  const program = await builtGrpcurl(report);
  if (program === undefined) return report.note('SKIPPED: Go is not installed, and grpcurl is built with it');
  const ask = (...args: readonly string[]): Promise<{ readonly stdout: string }> =>
    run(program, ['-cacert', caFile, ...args], { timeout: LIMIT_MS });
  const address = `localhost:${port}`;
  const said = ['-H', `x-api-key: ${key}`];
  const { stdout: services } = await ask(...said, address, 'list');
  assert.match(services, /^explain\.v1\.ExplainService$/m);
  const { stdout: method } = await ask(...said, address, 'describe', 'explain.v1.ExplainService.ListTasks');
  assert.match(method, /rpc ListTasks/);
  const { stdout: tasks } = await ask(...said, address, 'explain.v1.ExplainService/ListTasks');
  assert.match(tasks, /sent by a command/);
  const { stdout: health } = await ask(address, 'grpc.health.v1.Health/Check').catch((error: unknown) => ({
    stdout: String(error),
  }));
  assert.match(health, /Unauthenticated/, 'what there is to call is told to nobody without a key');
  await assert.rejects(run(program, ['-plaintext', ...said, address, 'list'], { timeout: LIMIT_MS }));
}

/** Kept in the user's cache. @returns undefined where Go is missing */
async function builtGrpcurl(report: Report): Promise<string | undefined> {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(cache, 'explainability-agent', `grpcurl-${VERSION}`);
  const program = join(folder, 'grpcurl');
  if (existsSync(program)) return program;
  const go = await findGo();
  if (go === undefined) return undefined;
  report.note('building grpcurl, which takes minutes; it is kept for the next time');
  const env = { ...process.env, GOBIN: folder };
  await run(go, ['install', `github.com/fullstorydev/grpcurl/cmd/grpcurl@${VERSION}`], {
    env,
    timeout: BUILD_LIMIT_MS,
  });
  return program;
}
