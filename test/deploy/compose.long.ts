import assert from 'node:assert/strict';
import { test } from 'node:test';
import { federation, spans } from '../e2e/federation.ts';
import { BOUNDED } from '../support/until.ts';
import { CELLS, environmentOf, TOKEN } from './compose-file.ts';

test(
  '[DP4] compose for cells: who has the token sends to the gateway and reads what its cells have',
  BOUNDED,
  async (t) => {
    const { gateway } = await federation(t, CELLS.length, {
      own: CELLS.map((name) => ({ flags: flagsOf(name) })),
      gatewayFlags: flagsOf('gateway'),
    });
    const ask = (path: string, init: RequestInit = {}): Promise<Response> => {
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
      return fetch(`http://127.0.0.1:${gateway.addresses.readers.port}${path}`, { headers, ...init });
    };
    assert.equal((await ask('/v1/traces', { method: 'POST', body: JSON.stringify(spans(6)) })).status, 200);
    const { tasks, notices } = (await (await ask('/api/tasks')).json()) as {
      tasks: unknown[];
      notices?: unknown;
    };
    assert.deepEqual([tasks.length, notices], [6, undefined]);
    assert.equal((await ask('/api/tasks', { headers: {} })).status, 401);
  },
);

/** Its settings but for those that name ports and its role, which the test gives. */
function flagsOf(name: string): string[] {
  return Object.entries(environmentOf(name)).flatMap(([variable, value]) => {
    const [, setting = ''] = /^EXPLAINABILITY_AGENT_(?!.*PORT$|ROLE$|GATEWAY$)(.*)$/.exec(variable) ?? [];
    return setting === '' ? [] : [`--${setting.toLowerCase().replaceAll('_', '-')}=${value}`];
  });
}
