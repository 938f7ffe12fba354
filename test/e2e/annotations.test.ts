import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../src/client/node.ts';
import type { Annotation, AnnotationState } from '../../src/model/annotation.ts';
import type { ExplanationGraph, ExplanationNode } from '../../src/model/node.ts';
import { filesWith } from './erasing.ts';
import { until } from '../support/until.ts';
import { ADMIN, AUTH, Party } from './parties.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { serviceWithKeys } from './service-with-keys.ts';

const CALL = { requestId: 'r1', text: 'I look at it.', agent: 'CoderAgent', taskId: 'T1', final: true };
const STEP = 'req:r1';
const WAY = `/api/nodes/${STEP}/annotations`;
const SECRET = 'jane.doe@example.com';

async function begin(sender: Party): Promise<void> {
  await sender.send('/api/cot', { ...CALL, timestamp: Date.now() });
}

async function annotate(party: Party, body: object, way = WAY): Promise<AnnotationState> {
  const answer = await party.post(way, body);
  assert.equal(answer.status, 201, answer.text);
  return JSON.parse(answer.text) as AnnotationState;
}

async function standing(party: Party, way = WAY): Promise<readonly Annotation[]> {
  return (JSON.parse((await party.get(way)).text) as { annotations: Annotation[] }).annotations;
}

async function graphOf(party: Party, query: string): Promise<ExplanationGraph> {
  return JSON.parse((await party.get(`/api/graph?${query}`)).text) as ExplanationGraph;
}

test('[AT1] a note stands on the graph with who wrote it, and every reader has it at once', async (t) => {
  const { service, keys } = await serviceWithKeys(t, {
    coder: { roles: ['sender'] },
    ana: { roles: ['analyst'] },
    eye: { roles: ['reader'] },
  });
  const [coder, ana, eye] = [keys.coder, keys.ana, keys.eye].map((key) => new Party(service.readers, key));
  assert.ok(coder && ana && eye);
  await begin(coder);
  const client = connect({ url: service.readers, token: keys.ana });
  t.after(() => client.close());
  const live = client.subscribe({ filters: { taskIds: ['T1'] } });
  await live.ready;

  for (const party of [coder, eye])
    assert.equal((await party.post(WAY, { kind: 'note', text: 'x' })).status, 403);
  const { id, nodeId } = await annotate(ana, { kind: 'note', text: 'Look here', by: 'boss', saidBy: 'boss' });
  await until('the reader has it', () => live.graph.hasNode(nodeId) && live.graph.hasEdge(STEP, nodeId));
  const { edges } = await graphOf(ana, 'taskIds=T1');
  assert.partialDeepStrictEqual(
    edges.find(({ to }) => to === nodeId),
    { from: STEP, relation: 'USER_ACTION', evidence: 'event' },
  );
  const [annotation] = await standing(ana);
  assert.partialDeepStrictEqual(annotation, { id, nodeId, kind: 'note', text: 'Look here', by: 'ana' });
  const shown = await ana.get(`/api/nodes/${nodeId}`);
  assert.doesNotMatch(shown.text, /boss/);

  // Who sees no texts sees that something was said, and not what or by whom.
  assert.deepEqual(await standing(eye), [{ id, nodeId, kind: 'note', at: annotation?.at }]);
  for (const path of [WAY, `/api/nodes/${nodeId}`, `/api/nodes/${STEP}`, '/api/graph?taskIds=T1'])
    assert.doesNotMatch((await eye.get(path)).text, /Look here|"ana"/, path);
});

test('[AT2] a verdict is replaced and withdrawn by who wrote it, or an operator, and nobody else; the history stays', async (t) => {
  const { service, keys } = await serviceWithKeys(t, {
    coder: { roles: ['sender'] },
    ana: { roles: ['analyst'] },
    ben: { roles: ['analyst'] },
    ops: { roles: ['operator'] },
  });
  const [coder, ana, ben, ops] = [keys.coder, keys.ana, keys.ben, keys.ops].map(
    (key) => new Party(service.readers, key),
  );
  assert.ok(coder && ana && ben && ops);
  await begin(coder);
  const first = await annotate(ana, { kind: 'verdict', verdict: 'correct', id: 'mine' });
  assert.deepEqual(await annotate(ana, { kind: 'verdict', verdict: 'correct', id: 'mine' }), first);
  const other = await annotate(ben, { kind: 'verdict', verdict: 'correct', id: 'mine' });
  assert.notEqual(other.id, first.id, 'an id is that of its sender alone');

  const change = { kind: 'verdict', verdict: 'wrong', text: 'it never ran', replaces: first.id };
  assert.equal((await ben.post(WAY, change)).status, 403);
  const second = await annotate(ana, change);
  assert.deepEqual(
    (await standing(ana)).map(({ id, verdict }) => [id, verdict]),
    [
      [other.id, 'correct'],
      [second.id, 'wrong'],
    ],
  );
  const again = await ana.post(WAY, change);
  assert.deepEqual([again.status, /replaced or withdrawn already/.test(again.text)], [409, true]);
  await annotate(ops, { kind: 'withdrawal', replaces: other.id, text: 'not yours to say' });
  assert.deepEqual(
    (await standing(ana)).map(({ id }) => id),
    [second.id],
  );
  const { nodes, edges } = await graphOf(ana, 'taskIds=T1&collapse=none');
  assert.deepEqual(
    nodes.map(({ title }) => title).filter((title) => title.startsWith('User')),
    [
      'UserVerdict: correct',
      'UserVerdict: correct',
      'UserVerdict: wrong: it never ran',
      'UserWithdrawal: withdrawn: not yours to say',
    ],
  );
  assert.equal(edges.filter(({ from, relation }) => from === STEP && relation === 'USER_ACTION').length, 4);
});

test('[AT3] what is wrong is refused by its field, and what cannot be annotated with what to do', async (t) => {
  const service = await RealService.of(t);
  const party = new Party(service.readers, '');
  await begin(party);
  for (const [body, status, said] of [
    [{ text: 'x' }, 400, /kind must be one of note, question, verdict, approval, withdrawal/],
    [{ kind: 'note' }, 400, /text is required/],
    [{ kind: 'note', text: 'x'.repeat(1001) }, 400, /text must be a text of 1 to 1000/],
    [{ kind: 'verdict', verdict: 'good' }, 400, /verdict must be one of correct, partly, wrong/],
    [{ kind: 'approval' }, 400, /decision must be one of approved, denied/],
    [{ kind: 'approval', decision: 'approved', option: 'A' }, 400, /option nobody gave options/],
    [{ kind: 'withdrawal' }, 400, /replaces is required/],
    [{ kind: 'note', text: 'x', replaces: 'y' }, 400, /replaces must be the id/],
    [{ kind: 'note', text: 'x', id: 'a b' }, 400, /id must be 1 to 100/],
  ] as const) {
    const answer = await party.post(WAY, body);
    assert.equal(answer.status, status, answer.text);
    assert.match(answer.text, said);
  }
  assert.equal((await party.post('/api/nodes/nothing/annotations', { kind: 'note', text: 'x' })).status, 404);
  assert.equal((await party.get('/api/nodes/nothing/annotations')).status, 404);
  assert.deepEqual(await standing(party), []);
});

test('[AT4] a secret in a note is a marker wherever the note is seen, and nowhere on the disk or in the log', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await RealService.start({ dataDir, flags: AUTH });
  t.after(() => service.stop());
  const [admin, party] = [
    new Party(service.readers, ADMIN),
    await Party.of(service.readers, 'default', ['sender', 'admin']),
  ];
  await begin(party);
  const { nodeId } = await annotate(party, { kind: 'note', text: `ask ${SECRET}` });
  assert.match((await standing(party))[0]?.text ?? '', /^ask \[EMAIL:/);
  for (const path of [
    `/api/nodes/${nodeId}`,
    `/api/nodes/${STEP}`,
    '/api/graph?taskIds=T1',
    ...['otlp', 'thoughtflow', 'mermaid', 'dot', 'd2'].map(
      (format) => `/api/graph?taskIds=T1&format=${format}`,
    ),
    '/api/audit?limit=10',
  ]) {
    const answer = await (path.startsWith('/api/audit') ? admin : party).get(path);
    assert.ok(answer.status === 200 && !answer.text.includes(SECRET), `${path} ${answer.status}`);
    if (path.includes('format') && !path.includes('thoughtflow'))
      assert.match(answer.text, /UserAnnotation/, path);
  }
  assert.ok(!service.log.includes(SECRET));
  const { entries } = JSON.parse((await admin.get('/api/audit?limit=1')).text) as { entries: object[] };
  assert.partialDeepStrictEqual(entries[0], { action: 'annotate', node: STEP, why: 'note', outcome: 'done' });
  await service.stop();
  assert.deepEqual(await filesWith(dataDir, SECRET), []);
});

test('[AT5] an annotation outlives a restart, comes to a task that has left memory, and goes with the task', async (t) => {
  const dataDir = await temporaryFolder(t);
  let service = await RealService.start({ dataDir, flags: AUTH });
  t.after(() => service.stop());
  let party = await Party.of(service.readers, 'default', ['sender', 'admin']);
  const next = async (): Promise<void> => {
    await service.stop();
    service = await RealService.start({ dataDir, flags: AUTH });
    party = party.at(service.readers);
  };
  await begin(party);
  const first = await annotate(party, { kind: 'note', text: 'one', id: 'one' });
  await next();
  assert.deepEqual(await annotate(party, { kind: 'note', text: 'one', id: 'one' }), first);
  await party.send('/api/prune', { olderThanMinutes: 0 });
  assert.deepEqual(
    (await standing(party)).map(({ text }) => text),
    ['one'],
    'archived',
  );
  await annotate(party, { kind: 'question', text: 'two' });
  await next();
  await party.send('/api/prune', { olderThanMinutes: 0 });
  await annotate(party, { kind: 'note', text: 'three', replaces: first.id });
  await until('all came back with it', async () => (await standing(party)).length === 2);
  assert.deepEqual(
    (await standing(party)).map(({ kind, text }) => [kind, text]),
    [
      ['question', 'two'],
      ['note', 'three'],
    ],
  );
  await party.send('/api/erase', { taskId: 'T1' });
  assert.equal((await party.get(`/api/nodes/${first.nodeId}`)).status, 404);
  assert.equal((await party.post(WAY, { kind: 'note', text: 'x' })).status, 404);
});

test('[AT6] nothing of it is seen or said from another project', async (t) => {
  const service = await RealService.of(t, AUTH);
  const [mine, theirs] = [
    await Party.of(service.readers, 'mine', ['sender', 'operator']),
    await Party.of(service.readers, 'theirs', ['sender', 'operator']),
  ];
  await begin(mine);
  const { nodeId } = await annotate(mine, { kind: 'note', text: 'ours' });
  assert.equal((await theirs.post(WAY, { kind: 'note', text: 'x' })).status, 404);
  for (const path of [WAY, `/api/nodes/${nodeId}`]) assert.equal((await theirs.get(path)).status, 404);
});

test('[AT7] a step of a thought is annotated itself, and its call leads to what was said', async (t) => {
  const service = await RealService.of(t);
  const party = new Party(service.readers, '');
  await party.send('/api/cot', {
    ...CALL,
    text: '1. I look.\n2. I write.\n3. I test.',
    timestamp: Date.now(),
  });
  const { nodes } = await service.graph('taskIds=T1&collapse=none');
  const thought = nodes.find(({ type }) => type === 'REASONING');
  assert.ok(thought);
  const way = `/api/nodes/${thought.id}/annotations`;
  const { nodeId } = await annotate(party, { kind: 'verdict', verdict: 'wrong' }, way);
  assert.equal((await standing(party, way))[0]?.nodeId, nodeId);
  assert.deepEqual(await standing(party), []);
  const after: ExplanationGraph = await service.graph('taskIds=T1&collapse=none');
  assert.ok(after.edges.some(({ from, to }) => from === STEP && to === nodeId));
  const marked: readonly ExplanationNode[] = after.nodes.filter(({ details }) => details?.['annotations']);
  assert.deepEqual(
    marked.map(({ id }) => id),
    [thought.id],
  );
  await annotate(party, { kind: 'note', text: 'of the call' });
  assert.deepEqual(
    (await standing(party)).map(({ text }) => text),
    ['of the call'],
  );
  assert.equal((await standing(party, way)).length, 1);
});
