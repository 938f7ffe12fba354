import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplanationNode } from '../../src/model/node.ts';
import { epochMs } from '../../src/model/time.ts';
import { cot } from '../support/records.ts';
import { makeSpan } from '../support/world.ts';
import { RealService, temporaryFolder } from './real-service.ts';

const START = epochMs(1_750_000_000_000);
const RULES = JSON.stringify({ 'quiet-agent': 'hidden', BriefAgent: 'summary', '*': 'full' });
/** A thought of two steps, of which the first is longer than a summary. */
const thought = (word: string): string =>
  `First line ${word}first${' and so on'.repeat(30)}.\n\nSecond line ${word}second.`;
const FORMATS = ['json', 'mermaid', 'dot', 'd2', 'cytoscape', 'graphology', 'd3', 'otlp'];

/** All that readers are given, of nodes in memory or archived. */
async function allThatIsRead(service: RealService, nodes: readonly ExplanationNode[]): Promise<string> {
  const paths = [
    '/api/graph?collapse=none',
    '/api/graph',
    ...FORMATS.map((format) => `/api/graph?format=${format}`),
    ...nodes.map(({ id }) => `/api/nodes/${encodeURIComponent(id)}`),
    '/api/tasks',
    '/api/summary?taskId=T',
    '/api/why?taskId=T',
    '/api/search?text=line',
    '/api/compare?a=T&b=T',
  ];
  const answers = paths.map(async (path) => `${path}\n${await (await fetch(service.readers + path)).text()}`);
  const run = await fetch(`${service.readers}/ag-ui/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ threadId: 'T', runId: 'again', state: {}, messages: [], tools: [], context: [] }),
  });
  return [...(await Promise.all(answers)), await run.text()].join('\n');
}

/** One agent's thought on each way in. */
function agentEvents(word: string): readonly object[] {
  return [
    { type: 'RUN_STARTED', threadId: 'th', runId: `run ${word}` },
    { type: 'REASONING_MESSAGE_START', messageId: `m${word}`, role: 'reasoning' },
    { type: 'REASONING_MESSAGE_CONTENT', messageId: `m${word}`, delta: thought(`${word}agui`) },
    { type: 'REASONING_MESSAGE_END', messageId: `m${word}` },
    { type: 'RAW', event: { thinking: thought(`${word}raw`) } },
    {
      type: 'MESSAGES_SNAPSHOT',
      messages: [{ id: `m${word}`, role: 'reasoning', content: thought(`${word}snap`) }],
    },
    { type: 'RUN_FINISHED', threadId: 'th', runId: `run ${word}` },
  ];
}

test('[AG12] of an agent that is hidden nothing that it thought is read anywhere, of one with a summary the first line', async (t) => {
  const service = await RealService.start({
    dataDir: await temporaryFolder(t),
    flags: ['--visibility', RULES],
  });
  t.after(() => service.stop());
  const agents = [
    ['QuietAgent', 'quietword'],
    ['BriefAgent', 'briefword'],
    ['OpenAgent', 'openword'],
  ] as const;
  for (const [i, [agent, word]] of agents.entries()) {
    const parts = [{ type: 'reasoning', content: thought(`${word}otlp`) }];
    const span = makeSpan({
      traceId: String(i + 1).repeat(32),
      start: START,
      name: 'chat m',
      status: 'ERROR',
      attrs: {
        taskID: 'T',
        'gen_ai.operation.name': 'chat',
        'gen_ai.agent.name': agent,
        'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts }]),
        reasoning: thought(`${word}attr`),
      },
    });
    const said = cot(`r${word}`, { agent, taskId: 'T' });
    await service.feed([
      span,
      {
        ...(said as object),
        kind: 'cot',
        requestId: `r${word}`,
        time: START,
        text: thought(`${word}cot`),
        tokens: undefined,
        final: true,
        summary: undefined,
        agent,
        model: undefined,
        taskId: 'T',
        traceId: undefined,
        spanId: undefined,
        sequence: undefined,
      },
    ]);
    const answer = await fetch(`${service.readers}/ag-ui/events?taskId=T&agent=${agent}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(agentEvents(word)),
    });
    assert.equal(answer.status, 202);
  }
  const { nodes } = await service.graph();
  const expectSeen = (read: string): void => {
    assert.deepEqual(read.match(/quietword[a-z]+(?:first|second)/g), null);
    assert.deepEqual(read.match(/briefword[a-z]+second/g), null);
    for (const way of ['cot', 'attr', 'agui']) {
      assert.match(read, new RegExp(`briefword${way}first`));
      assert.match(read, new RegExp(`openword${way}second`));
    }
    for (const step of ['briefword', 'quietword'])
      assert.ok(
        !nodes.some(
          ({ id, agent }) => id.startsWith('thought:') && agent.toLowerCase().includes(step.slice(0, 5)),
        ),
      );
  };
  expectSeen(await allThatIsRead(service, nodes));
  await fetch(`${service.readers}/api/prune`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ olderThanMinutes: 0 }),
  });
  expectSeen(await allThatIsRead(service, nodes));
});
