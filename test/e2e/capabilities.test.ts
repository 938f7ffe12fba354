import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { waitOverSse } from '../support/control-agent.ts';
import { until } from '../support/until.ts';
import { Party } from './parties.ts';
import { serviceWithKeys } from './service-with-keys.ts';

interface Answer {
  readonly accepted: number;
  readonly rejected: number;
  readonly errors: readonly { readonly index: number; readonly message: string }[];
}

function said(id: string, kind: string, more: object = {}): object {
  return { protocol: 'mew/v0.4', id, ts: '2026-09-01T00:00:00Z', kind, from: 'boss', payload: {}, ...more };
}

test('[MW24] a key posts what its capabilities allow, whomever a message names; the rest is named and counted', async (t) => {
  const { service, keys } = await serviceWithKeys(t, {
    ann: {
      roles: ['sender'],
      capabilities: [
        { kind: 'reasoning/thought' },
        { kind: 'reasoning/start', payload: { topic: { area: 'web*' } } },
      ],
    },
    boss: { roles: ['sender'] },
    mute: { roles: ['sender'], capabilities: [] },
    admin: { roles: ['admin'] },
  });
  const party = (key: string): Party => new Party(service.readers, key);
  const [ann, admin] = [party(keys.ann), party(keys.admin)];
  const messages = [
    said('a', 'reasoning.thought', { payload: { message: 'hm' } }),
    said('b', 'reasoning/conclusion'),
    said('c', 'reasoning/start', { payload: { topic: { area: 'web-shop' } } }),
    said('d', 'reasoning/start', { payload: { topic: { area: 'bank' } } }),
    said('e', 'system/presence', { payload: { event: 'leave', participant: { id: 'boss' } } }),
    { kind: 5 },
  ];
  const first = await ann.post('/mew/envelopes?taskId=T', messages);
  assert.equal(first.status, 202, first.text);
  const { accepted, rejected, errors } = JSON.parse(first.text) as Answer;
  assert.deepEqual([accepted, rejected], [2, 4]);
  assert.deepEqual(
    errors.map(({ index }) => index),
    [1, 3, 4, 5],
  );
  assert.match(errors[0]?.message ?? '', /reasoning\/conclusion.*need \{"kind":"reasoning\/conclusion"\}/);

  // Also as a line of a gateway's log, which says itself whose it was.
  const line = {
    event: 'received',
    timestamp: '2026-09-01T00:00:01Z',
    participant: 'boss',
    space_id: 'S',
    envelope: said('f', 'reasoning/cancel'),
  };
  for (const [by, body] of [
    [ann, line],
    [ann, messages.slice(3)],
    [party(keys.mute), messages],
  ] as const) {
    const nothing = await by.post('/mew/envelopes?taskId=T', body);
    assert.equal(nothing.status, 403, nothing.text);
    assert.match(nothing.text, /PERMISSION_DENIED.*it would need/);
  }
  const graph = JSON.parse((await admin.get('/api/graph?taskIds=T&collapse=none')).text) as ExplanationGraph;
  assert.deepEqual(graph.nodes.map(({ details }) => details?.['messageId']).sort(), ['a', 'c']);
  assert.equal((await party(keys.boss).post('/mew/envelopes?taskId=T', messages)).status, 202);
  const metrics = (await admin.get('/metrics')).text;
  assert.match(metrics, /explain_records_rejected_total\{[^}]*reason="capability"[^}]*\} 11\b/);
  const audit = (await admin.get('/api/audit?action=denied')).text;
  assert.equal(audit.match(/POST \/mew\/envelopes/g)?.length, 3, audit);
});

const WHY = { reason: 'user_request' };

test('[IR27] a key interrupts whom its capabilities name, by HTTP and in a session of it, and itself always', async (t) => {
  const { service, keys } = await serviceWithKeys(t, {
    coder: { roles: ['sender'], capabilities: [] },
    ops: {
      roles: ['operator'],
      capabilities: [{ kind: 'reasoning/cancel', payload: { agent: 'Coder*', reason: '!timeout' } }],
    },
    notCoder: {
      roles: ['operator', 'sender'],
      capabilities: [{ kind: 'reasoning/*', payload: { agent: '!CoderAgent' } }],
    },
    all: { roles: ['operator', 'admin'] },
  });
  const [coder, ops, notCoder, all] = [keys.coder, keys.ops, keys.notCoder, keys.all].map(
    (key) => new Party(service.readers, key),
  );
  assert.ok(coder && ops && notCoder && all);
  for (const [requestId, agent] of [
    ['r1', 'CoderAgent'],
    ['r2', 'CriticAgent'],
  ])
    await coder.send('/api/cot', {
      requestId,
      agent,
      text: 'I look.',
      taskId: requestId,
      timestamp: Date.now(),
    });
  const agent = await waitOverSse(service.readers, 'agent=CoderAgent', { 'x-api-key': coder.key });
  const waiting = await waitOverSse(service.readers, 'agent=CoderAgent&taskId=later', {
    'x-api-key': coder.key,
  });
  t.after(() => [agent, waiting].map((one) => one.close()));

  for (const [by, path, given, needed] of [
    [ops, '/api/nodes/req:r2/interrupt', WHY, '{\\"agent\\":\\"CriticAgent\\"}'],
    [ops, '/api/tasks/r2/interrupt', WHY, '{\\"agent\\":\\"CriticAgent\\"}'],
    [ops, '/api/nodes/req:r1/interrupt', { reason: 'timeout' }, '{\\"agent\\":\\"CoderAgent\\"}'],
    [notCoder, '/api/nodes/req:r1/interrupt', WHY, '{\\"agent\\":\\"CoderAgent\\"}'],
    // Nobody knows who waits for a task of which nothing is there.
    [notCoder, '/api/tasks/later/interrupt', WHY, '{\\"taskId\\":\\"later\\"}'],
  ] as const) {
    const refused = await by.post(path, given);
    assert.equal(refused.status, 403, refused.text);
    assert.ok(refused.text.includes(needed), refused.text);
  }
  // Logged in by the key, as the page is.
  const login = await fetch(`${service.readers}/login/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: service.readers },
    body: JSON.stringify({ token: ops.key }),
  });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  const me = (await (await fetch(`${service.readers}/api/me`, { headers: { cookie } })).json()) as {
    readonly csrf?: string;
  };
  assert.ok(me.csrf !== undefined, JSON.stringify(me));
  const bySession = await fetch(`${service.readers}/api/nodes/req:r2/interrupt`, {
    method: 'POST',
    headers: {
      cookie,
      origin: service.readers,
      'x-explain-csrf': me.csrf,
      'content-type': 'application/json',
    },
    body: JSON.stringify(WHY),
  });
  assert.equal(bySession.status, 403, await bySession.text());

  const allowed = await ops.post('/api/nodes/req:r1/interrupt', WHY);
  assert.equal(allowed.status, 202, allowed.text);
  await agent.interrupts(1);
  assert.equal((await notCoder.post('/api/nodes/req:r2/interrupt', WHY)).status, 202);
  const self = await coder.post('/api/control/interrupt', { ...WHY, agent: 'CoderAgent' });
  assert.equal(self.status, 202, self.text);
  const told = await agent.interrupts(2);
  assert.equal(told.length, 2, 'of what was refused nobody is told');

  const metrics = (await all.get('/metrics')).text;
  assert.match(metrics, /explain_interrupts_refused_total\{[^}]*reason="capability"[^}]*\} 6\b/);
  await until('all are on record', async () => {
    const { text } = await all.get('/api/audit?action=failed');
    return text.match(/"why":"PERMISSION_DENIED"/g)?.length === 6;
  });
});
