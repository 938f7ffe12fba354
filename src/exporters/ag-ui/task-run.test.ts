import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce, NEVER_OVER } from '../../base/in-turns.ts';
import type { StepTexts } from '../../model/facts.ts';
import { edgeId } from '../../model/ids.ts';
import type { EdgeRelation, Evidence, ExplanationEdge, ExplanationNode } from '../../model/node.ts';
import type { TaskEvent } from './events.ts';
import { TaskRun } from './task-run.ts';

const START = Date.parse('2026-03-01T10:00:00.000Z');
const IDS = { threadId: 'T', runId: 'R' };

function node(id: string, at: number, fields: Partial<ExplanationNode> = {}): ExplanationNode {
  return {
    id,
    timestamp: new Date(START + at).toISOString(),
    agent: 'Coder',
    type: 'OTHER',
    name: id,
    title: id,
    taskId: 'T',
    state: 'ENDED',
    status: 'OK',
    latencyMs: 10,
    ...fields,
  };
}

function edge(
  from: string,
  to: string,
  relation: EdgeRelation = 'NEXT_STEP',
  evidence: Evidence = 'parentSpanId',
): ExplanationEdge {
  return { id: edgeId(from, relation, to), from, to, relation, evidence };
}

/** The events of what is new. */
function told(
  run: TaskRun,
  nodes: readonly ExplanationNode[],
  edges: readonly ExplanationEdge[] = [],
  texts: { readonly [nodeId: string]: StepTexts } = {},
): readonly TaskEvent[] {
  const timestamp = new Date(START).toISOString();
  const changed = run.change({
    addedNodes: nodes,
    addedEdges: edges,
    removedNodeIds: [],
    removedEdgeIds: [],
    timestamp,
  });
  const moments = atOnce(run.takeMoments(NEVER_OVER));
  return [...changed, ...moments.flatMap((moment) => run.tell(moment, texts[moment.node.id]))];
}

function finished(run: TaskRun): readonly TaskEvent[] {
  return run.finish(atOnce(run.sumUp(NEVER_OVER)));
}

/** In a line each: what tells events from one another. */
function lines(events: readonly TaskEvent[]): readonly string[] {
  return events.map((event) => {
    const {
      type,
      metadata: _metadata,
      timestamp: _timestamp,
      ...rest
    } = event as TaskEvent & {
      readonly [field: string]: unknown;
    };
    const fields = Object.entries(rest).filter(([name]) => name !== 'value');
    return [
      type,
      ...fields.map(
        ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      ),
    ].join(' ');
  });
}

const model = { type: 'LLM_CALL', model: 'gpt-4o', tokensIn: 10, tokensOut: 5 } as const;

test('[AG21] thoughts, answers, tool calls and steps are told in the order of their times, with ids of their own', () => {
  const run = new TaskRun(IDS);
  const events = [
    ...run.begin(),
    ...told(
      run,
      [
        node('root', 0, { latencyMs: 100 }),
        node('call', 10, { ...model }),
        node('tool', 30, { type: 'TOOL_CALL', details: { toolName: 'search' } }),
        node('asked', 0, { type: 'USER_QUERY', promptSummary: 'why?' }),
      ],
      [edge('root', 'call'), edge('root', 'tool'), edge('call', 'tool', 'TRIGGERED', 'toolCallId')],
      {
        call: { reasoning: 'I look.', completion: 'Searching' },
        tool: { toolArguments: '{"q":1}', toolResult: 'found' },
      },
    ),
    ...finished(run),
  ];
  assert.deepEqual(lines(events), [
    'RUN_STARTED threadId=T runId=R protocolVersion=1.0',
    'CUSTOM name=explain.graph_update',
    'STEP_STARTED stepName=root',
    'TEXT_MESSAGE_START messageId=text:asked role=user name=Coder',
    'TEXT_MESSAGE_CONTENT messageId=text:asked delta=why?',
    'TEXT_MESSAGE_END messageId=text:asked',
    'STEP_STARTED stepName=call',
    'REASONING_START messageId=thinking:reasoning:call',
    'REASONING_MESSAGE_START messageId=reasoning:call role=reasoning',
    'REASONING_MESSAGE_CONTENT messageId=reasoning:call delta=I look.',
    'REASONING_MESSAGE_END messageId=reasoning:call',
    'REASONING_END messageId=thinking:reasoning:call',
    'TEXT_MESSAGE_START messageId=text:call role=assistant name=Coder',
    'TEXT_MESSAGE_CONTENT messageId=text:call delta=Searching',
    'TEXT_MESSAGE_END messageId=text:call',
    'STEP_FINISHED stepName=call',
    'TOOL_CALL_START toolCallId=call:tool toolCallName=search parentMessageId=text:call',
    'TOOL_CALL_ARGS toolCallId=call:tool delta={"q":1}',
    'TOOL_CALL_END toolCallId=call:tool',
    'TOOL_CALL_RESULT messageId=result:tool toolCallId=call:tool content=found role=tool',
    'STEP_FINISHED stepName=root',
    'RUN_FINISHED threadId=T runId=R outcome={"type":"success"} usage=[{"model":"gpt-4o","inputTokens":10,"outputTokens":5,"totalTokens":15}]',
  ]);
});

test('[AG22] each event that begins or ends something has the data of its node, and the edges into it, under one key', () => {
  const run = new TaskRun(IDS);
  const events = told(
    run,
    [node('root', 0), node('tool', 1, { type: 'TOOL_CALL', costUsd: 0.5 })],
    [edge('root', 'tool')],
  );
  const start = events.find(({ type }) => type === 'TOOL_CALL_START');
  assert.deepEqual(Object.keys(start?.metadata ?? {}), ['explain']);
  assert.deepEqual(start?.metadata?.explain, {
    ...node('tool', 1, { type: 'TOOL_CALL', costUsd: 0.5 }),
    edges: [{ id: 'root>NEXT_STEP>tool', from: 'root', relation: 'NEXT_STEP', evidence: 'parentSpanId' }],
  });
});

test('[AG23] a thought that grows is told by its deltas, and one that turned out otherwise as another message', () => {
  const run = new TaskRun(IDS);
  const open = node('call', 0, { ...model, state: 'RUNNING' });
  told(run, [open], [], { call: { reasoning: 'I lo' } });
  const more = told(run, [{ ...open, latencyMs: 20 }], [], { call: { reasoning: 'I look at' } });
  assert.deepEqual(lines(more).slice(1), ['REASONING_MESSAGE_CONTENT messageId=reasoning:call delta=ok at']);
  const other = told(run, [{ ...open, latencyMs: 30 }], [], { call: { reasoning: '[SECRET:1] at' } });
  assert.deepEqual(lines(other).slice(1), [
    'REASONING_MESSAGE_END messageId=reasoning:call',
    'REASONING_END messageId=thinking:reasoning:call',
    'REASONING_START messageId=thinking:reasoning#2:call',
    'REASONING_MESSAGE_START messageId=reasoning#2:call role=reasoning',
    'REASONING_MESSAGE_CONTENT messageId=reasoning#2:call delta=[SECRET:1] at',
  ]);
  const [, , , start] = other.slice(1);
  const { replaces } = Object(start?.metadata?.explain) as { readonly replaces?: string };
  assert.equal(replaces, 'reasoning:call');
  const last = told(run, [{ ...open, state: 'ENDED' }], [], {
    call: { reasoning: '[SECRET:1] at', completion: 'done' },
  });
  assert.deepEqual(lines(last).slice(1), [
    'REASONING_MESSAGE_END messageId=reasoning#2:call',
    'REASONING_END messageId=thinking:reasoning#2:call',
    'TEXT_MESSAGE_START messageId=text:call role=assistant name=Coder',
    'TEXT_MESSAGE_CONTENT messageId=text:call delta=done',
    'TEXT_MESSAGE_END messageId=text:call',
    'STEP_FINISHED stepName=call',
  ]);
});

test('[AG23] a delta ends within no character, and the next begins where it ended', () => {
  const run = new TaskRun(IDS);
  const open = node('call', 0, { ...model, state: 'RUNNING' });
  told(run, [open], [], { call: { reasoning: 'a\ud83d' } });
  const more = told(run, [{ ...open, latencyMs: 20 }], [], { call: { reasoning: 'a\ud83d\ude00b' } });
  assert.deepEqual(lines(more).slice(1), ['REASONING_MESSAGE_CONTENT messageId=reasoning:call delta=😀b']);
});

test('[AG24] what another agent does within a step is its sub-agent’s, and fails as that does', () => {
  const run = new TaskRun(IDS);
  const events = told(
    run,
    [
      node('root', 0, { latencyMs: 100 }),
      node('ask', 10, { type: 'TOOL_CALL', latencyMs: 50 }),
      node('critic', 20, { agent: 'Critic', latencyMs: 20, status: 'ERROR', title: 'no key' }),
      node('inside', 25, { agent: 'Critic', ...model, latencyMs: 5 }),
    ],
    [edge('root', 'ask'), edge('ask', 'critic'), edge('critic', 'inside')],
  );
  assert.deepEqual(lines(events).slice(1), [
    'STEP_STARTED stepName=root',
    'TOOL_CALL_START toolCallId=call:ask toolCallName=ask',
    'TOOL_CALL_END toolCallId=call:ask',
    'SUBAGENT_STARTED subagentRunId=agent:1:Critic name=Critic parentToolCallId=call:ask',
    'STEP_STARTED stepName=critic subagentRunId=agent:1:Critic',
    'STEP_STARTED stepName=inside subagentRunId=agent:1:Critic',
    'STEP_FINISHED stepName=inside subagentRunId=agent:1:Critic',
    'STEP_FINISHED stepName=critic subagentRunId=agent:1:Critic',
    'SUBAGENT_ERROR subagentRunId=agent:1:Critic message=no key',
    'TOOL_CALL_RESULT messageId=result:ask toolCallId=call:ask content= role=tool',
    'STEP_FINISHED stepName=root',
  ]);
});

test('[AG21] steps of one name that are open at the same time are numbered', () => {
  const run = new TaskRun(IDS);
  const events = told(run, [node('a', 0, { name: 'plan' }), node('b', 5, { name: 'plan' })]);
  assert.deepEqual(lines(events).slice(1), [
    'STEP_STARTED stepName=plan',
    'STEP_STARTED stepName=plan (2)',
    'STEP_FINISHED stepName=plan',
    'STEP_FINISHED stepName=plan (2)',
  ]);
});

test('[AG25] conformance 4: a failed task ends with RUN_ERROR, and one that recovered does not', () => {
  const failed = new TaskRun(IDS);
  told(failed, [node('root', 0, { status: 'ERROR', title: 'no such file' })]);
  assert.deepEqual(lines(finished(failed)), ['RUN_ERROR code=task_failed message=no such file']);
  const recovered = new TaskRun(IDS);
  told(
    recovered,
    [
      node('root', 0, { latencyMs: 100 }),
      node('a', 1, { name: 'test', status: 'ERROR' }),
      node('b', 20, { name: 'test' }),
    ],
    [edge('root', 'a'), edge('root', 'b')],
  );
  assert.match(lines(finished(recovered)).at(-1) ?? '', /^RUN_FINISHED/);
});

test('[AG25] what is still open ends before the run does', () => {
  const run = new TaskRun(IDS);
  const inside = node('inside', 1, { agent: 'Critic', ...model, state: 'RUNNING' });
  told(run, [node('root', 0, { state: 'RUNNING' }), inside], [edge('root', 'inside')], {
    inside: { reasoning: 'hm' },
  });
  assert.deepEqual(lines(run.breakOff('unavailable', 'the service stops')), [
    'REASONING_MESSAGE_END messageId=reasoning:inside subagentRunId=agent:1:Critic',
    'REASONING_END messageId=thinking:reasoning:inside subagentRunId=agent:1:Critic',
    'STEP_FINISHED stepName=inside subagentRunId=agent:1:Critic',
    'SUBAGENT_FINISHED subagentRunId=agent:1:Critic outcome={"type":"success"}',
    'STEP_FINISHED stepName=root',
    'RUN_ERROR code=unavailable message=the service stops',
  ]);
});
