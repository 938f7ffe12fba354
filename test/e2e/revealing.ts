import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { RealService } from './real-service.ts';

export const KEY = '5c'.repeat(32);
export const TOKENS = { token: 'reader-token-1', adminToken: 'admin-token-1' };
export const MAIL = 'jo.doe@example.net';
export const SECRET = 'sk-proj-k7Qz2mXw9RtB4vHn8LcY3sDf6GjP1aTe5UiKoVxN';
export const TRACE = 'ab'.repeat(16);
export const SPAN = 'cd'.repeat(8);
export const NODE = `${TRACE}:${SPAN}`;
export const REASON = { action: 'reveal', reason: 'ticket 7' };

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export function span(spanId: string, attributes: Readonly<Record<string, string>>): object {
  const attribute = ([key, stringValue]: readonly [string, string]) => ({ key, value: { stringValue } });
  return {
    traceId: TRACE,
    spanId,
    name: `write to ${MAIL}`,
    startTimeUnixNano: '1750000000000000000',
    endTimeUnixNano: '1750000000900000000',
    attributes: Object.entries(attributes).map(attribute),
  };
}

export const TOOL = {
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': 'send_mail',
  'gen_ai.tool.call.arguments': JSON.stringify({ to: MAIL, body: `use ${SECRET}` }),
  note: `asked by ${MAIL}`,
};

export async function started(
  t: TestContext,
  dataDir: string,
  flags: readonly string[] = [],
): Promise<RealService> {
  const auth = ['--auth', JSON.stringify(TOKENS)];
  const service = await RealService.start({ dataDir, flags: [...auth, ...flags] });
  t.after(() => service.stop());
  return service;
}

export function bearer(token?: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
}

export async function send(service: RealService, ...spans: readonly object[]): Promise<void> {
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const response = await fetch(`${service.otlpHttp}/v1/traces`, {
    method: 'POST',
    headers: bearer(TOKENS.token),
    body,
  });
  assert.equal(response.status, 200);
}

export async function get(service: RealService, path: string): Promise<string> {
  return (await fetch(service.readers + path, { headers: bearer(TOKENS.token) })).text();
}

export async function ask(service: RealService, body: unknown, token?: string, node = NODE): Promise<Answer> {
  const path = `${service.readers}/api/nodes/${encodeURIComponent(node)}/redaction`;
  const response = await fetch(path, { method: 'POST', headers: bearer(token), body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

export async function accesses(dataDir: string): Promise<readonly Record<string, unknown>[]> {
  const text = await readFile(join(dataDir, 'audit-access.ndjson'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
