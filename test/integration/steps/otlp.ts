import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

const ANSWER_TIMEOUT_MS = 10_000;
const NS_PER_MS = 1_000_000n;

/** A span in OTLP's JSON form. Ids are made of its name, so that the same name is the same span. */
export function jsonSpan(
  traceName: string,
  name: string,
  parent?: string,
  attributes: Readonly<Record<string, string>> = {},
): object {
  const start = BigInt(Date.now()) * NS_PER_MS;
  return {
    traceId: hexId(traceName, 32),
    spanId: hexId(`${traceName}/${name}`, 16),
    ...(parent !== undefined && { parentSpanId: hexId(`${traceName}/${parent}`, 16) }),
    name,
    kind: 1,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 5n * NS_PER_MS),
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  };
}

export function hexId(name: string, length: number): string {
  return createHash('sha256').update(name).digest('hex').slice(0, length);
}

/** Sends spans by OTLP/HTTP as JSON. @returns the answer's body @throws when it is not 200 */
export async function sendSpans(
  address: string,
  spans: readonly object[],
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'CoderAgent' } }] };
  const response = await fetch(`http://${address}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'test' }, spans }] }] }),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  const body = await response.text();
  assert.equal(response.status, 200, `answered ${response.status}: ${body}`);
  return JSON.parse(body) as unknown;
}
