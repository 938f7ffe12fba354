import { EDGE_RELATIONS, EVIDENCE, NODE_STATUSES, NODE_TYPES } from '../../src/model/node.ts';
import type { Draw } from './draw.ts';
import { mutatedJson } from './mutate-json.ts';
import { hostileJson, hostileText, hostileTime, nodeId, SECRETS, taskId } from './values.ts';

/** Few ids, so that what is told meets what was told before, of this run and of others. */
const RUNS = 25;
const THINGS = 12;

type Fields = { readonly [field: string]: unknown };

export function runId(draw: Draw): string {
  return draw.chance(0.97) ? `run-${draw.int(RUNS)}` : hostileText(draw);
}

const thing = (draw: Draw): string => (draw.chance(0.97) ? `thing-${draw.int(THINGS)}` : hostileText(draw));
const thread = (draw: Draw): string => (draw.chance(0.5) ? taskId(draw) : `thread-${draw.int(5)}`);
const said = (draw: Draw): Fields => ({ messageId: thing(draw), delta: delta(draw) });
const named = (draw: Draw): Fields => ({ messageId: thing(draw) });
const call = (draw: Draw): Fields => ({ toolCallId: thing(draw) });

/** What each event of AG-UI has, spellings before 1.0 and one that nobody knows among them. */
const EVENTS: { readonly [type: string]: (draw: Draw) => Fields } = {
  RUN_STARTED: (draw) => ({
    threadId: thread(draw),
    runId: runId(draw),
    ...(draw.chance(0.2) && { parentRunId: runId(draw) }),
    ...(draw.chance(0.3) && { input: runInput(draw) }),
  }),
  RUN_FINISHED: (draw) => ({
    threadId: thread(draw),
    runId: runId(draw),
    ...(draw.chance(0.3) && { result: hostileJson(draw) }),
    ...(draw.chance(0.3) && { outcome: { type: draw.pick(['success', 'interrupt', '']) } }),
    ...(draw.chance(0.3) && { usage: [{ model: hostileText(draw), inputTokens: draw.int(99) }] }),
  }),
  RUN_ERROR: (draw) => ({ message: hostileText(draw), code: hostileText(draw) }),
  STEP_STARTED: (draw) => ({ stepName: thing(draw) }),
  STEP_FINISHED: (draw) => ({ stepName: thing(draw) }),
  TEXT_MESSAGE_START: (draw) => ({
    ...named(draw),
    role: draw.pick(['assistant', 'user', 'system', 'tool']),
  }),
  TEXT_MESSAGE_CONTENT: said,
  TEXT_MESSAGE_END: named,
  TEXT_MESSAGE_CHUNK: (draw) => ({ ...(draw.chance(0.5) && named(draw)), delta: delta(draw) }),
  TOOL_CALL_START: (draw) => ({
    ...call(draw),
    toolCallName: draw.pick(['search', 'write_file', hostileText(draw)]),
    ...(draw.chance(0.3) && { parentMessageId: thing(draw) }),
  }),
  TOOL_CALL_ARGS: (draw) => ({ ...call(draw), delta: delta(draw) }),
  TOOL_CALL_END: call,
  TOOL_CALL_CHUNK: (draw) => ({
    ...(draw.chance(0.5) && { ...call(draw), toolCallName: 'search' }),
    delta: delta(draw),
  }),
  TOOL_CALL_RESULT: (draw) => ({
    ...call(draw),
    messageId: thing(draw),
    content: draw.chance(0.7) ? delta(draw) : [{ type: 'text', text: delta(draw) }],
  }),
  STATE_SNAPSHOT: (draw) => ({ snapshot: hostileJson(draw) }),
  STATE_DELTA: (draw) => ({ delta: patches(draw) }),
  MESSAGES_SNAPSHOT: (draw) => ({ messages: messages(draw) }),
  ACTIVITY_SNAPSHOT: (draw) => ({ ...named(draw), activityType: 'PLAN', content: hostileJson(draw) }),
  ACTIVITY_DELTA: (draw) => ({ ...named(draw), activityType: 'PLAN', patch: patches(draw) }),
  RAW: (draw) => ({ event: hostileJson(draw), source: hostileText(draw) }),
  CUSTOM: (draw) => ({ name: hostileText(draw), value: hostileJson(draw) }),
  REASONING_START: named,
  REASONING_MESSAGE_START: (draw) => ({ ...named(draw), role: 'reasoning' }),
  REASONING_MESSAGE_CONTENT: said,
  REASONING_MESSAGE_END: named,
  REASONING_MESSAGE_CHUNK: said,
  REASONING_END: named,
  REASONING_ENCRYPTED_VALUE: (draw) => ({
    entityId: thing(draw),
    subtype: draw.pick(['message', 'tool-call']),
    encryptedValue: delta(draw),
  }),
  SUBAGENT_STARTED: (draw) => ({ subagentRunId: thing(draw), name: hostileText(draw) }),
  SUBAGENT_FINISHED: (draw) => ({ subagentRunId: thing(draw) }),
  SUBAGENT_ERROR: (draw) => ({ subagentRunId: thing(draw), message: hostileText(draw) }),
  THINKING_START: (draw) => ({ title: hostileText(draw) }),
  THINKING_TEXT_MESSAGE_START: () => ({}),
  THINKING_TEXT_MESSAGE_CONTENT: (draw) => ({ delta: delta(draw) }),
  THINKING_TEXT_MESSAGE_END: () => ({}),
  THINKING_END: () => ({}),
  NOT_YET_INVENTED: (draw) => ({ anything: hostileJson(draw) }),
};
const TYPES = Object.keys(EVENTS);
const MOST_EVENTS = 40;

/** Events of a run, or of several: mostly with a beginning and an end, and some of them damaged. */
export function agUiEvents(draw: Draw): readonly unknown[] {
  if (draw.chance(0.08)) return toldTask(draw);
  const events = draw.list(draw.between(1, MOST_EVENTS), () => event(draw, draw.pick(TYPES)));
  if (draw.chance(0.7)) events.unshift(event(draw, 'RUN_STARTED'));
  if (draw.chance(0.5)) events.push(event(draw, draw.chance(0.8) ? 'RUN_FINISHED' : 'RUN_ERROR'));
  const changed = mutatedJson(draw, events);
  return Array.isArray(changed) ? changed : [changed];
}

function event(draw: Draw, type: string): Fields {
  return {
    type,
    ...EVENTS[type]?.(draw),
    ...(draw.chance(0.3) && { timestamp: hostileTime(draw) }),
    ...(draw.chance(0.1) && { subagentRunId: thing(draw) }),
    ...(draw.chance(0.05) && { metadata: hostileJson(draw) }),
    ...(draw.chance(0.05) && { rawEvent: hostileJson(draw) }),
  };
}

/** As `POST /ag-ui/run` tells a task: its graph comes in as it was. */
function toldTask(draw: Draw): readonly unknown[] {
  const id = taskId(draw);
  const ids = draw.list(draw.between(1, 8), () => nodeId(draw));
  const node = (of: string): Fields => ({
    id: of,
    taskId: id,
    type: draw.pick(NODE_TYPES),
    status: draw.pick(NODE_STATUSES),
    state: draw.pick(['RUNNING', 'ENDED', 'ABANDONED']),
    timestamp: '2025-06-20T14:23:45.123Z',
    agent: hostileText(draw),
    name: hostileText(draw),
    title: hostileText(draw),
  });
  const edge = (): Fields => ({
    id: `${draw.pick(ids)}→${draw.pick(ids)}`,
    from: draw.pick(ids),
    to: draw.pick(ids),
    relation: draw.pick(EDGE_RELATIONS),
    evidence: draw.pick(EVIDENCE),
  });
  const update = (): Fields => ({
    type: 'CUSTOM',
    name: 'explain.graph_update',
    value: {
      addedNodes: ids.filter(() => draw.chance(0.6)).map(node),
      addedEdges: draw.list(draw.int(10), edge),
      removedNodeIds: ids.filter(() => draw.chance(0.1)),
      removedEdgeIds: [],
    },
  });
  const events = [
    { type: 'RUN_STARTED', threadId: id, runId: runId(draw), metadata: { explain: { taskId: id } } },
    ...draw.list(draw.between(1, 3), update),
    { type: 'TEXT_MESSAGE_START', messageId: 'm', metadata: { explain: { id: draw.pick(ids) } } },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: delta(draw) },
    { type: 'RUN_FINISHED', threadId: id, runId: runId(draw) },
  ];
  const changed = mutatedJson(draw, events);
  return Array.isArray(changed) ? changed : [changed];
}

/** What a client asks a run with. */
export function runInput(draw: Draw): Fields {
  return {
    threadId: thread(draw),
    runId: runId(draw),
    state: hostileJson(draw),
    messages: messages(draw),
    tools: [],
    context: [],
    forwardedProps: hostileJson(draw),
  };
}

function messages(draw: Draw): readonly Fields[] {
  return draw.list(draw.int(5), () => ({
    id: thing(draw),
    role: draw.pick(['user', 'assistant', 'tool', 'reasoning', hostileText(draw)]),
    content: draw.chance(0.7) ? delta(draw) : [{ type: 'text', text: delta(draw) }],
    ...(draw.chance(0.2) && { toolCallId: thing(draw) }),
    ...(draw.chance(0.1) && { encryptedValue: hostileText(draw) }),
  }));
}

function patches(draw: Draw): readonly Fields[] {
  return draw.list(draw.int(4), () => ({
    op: draw.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', '']),
    path: draw.pick(['/a', '/a/0', '', '/__proto__/x', '/~2', hostileText(draw)]),
    value: hostileJson(draw),
  }));
}

/** A piece of a text with secrets in it, cut anywhere. */
function delta(draw: Draw): string {
  if (draw.chance(0.15)) return hostileText(draw);
  const at = draw.int(SECRETS.length);
  return SECRETS.slice(at, at + draw.between(1, 20));
}

/** Events as a body: one object, an array, one a line, or server-sent events. */
export function eventsText(draw: Draw, events: readonly unknown[]): readonly [type: string, text: string] {
  const texts = events.map((one) => JSON.stringify(one) ?? 'null');
  switch (draw.weighted({ stream: 4, lines: 3, array: 2, single: 1 })) {
    case 'stream':
      return [
        'text/event-stream',
        texts
          .map((text) => {
            const end = draw.chance(0.9) ? '\n\n' : draw.pick(['\r\n\r\n', '\r\r', '\n']);
            return `${draw.chance(0.05) ? ': a comment\nevent: x\nid: 1\n' : ''}data: ${text}${end}`;
          })
          .join(''),
      ];
    case 'lines':
      return [
        'application/x-ndjson',
        texts.map((text) => `${text}${draw.chance(0.97) ? '\n' : '\n\n'}`).join(''),
      ];
    case 'array':
      return ['application/json', `[${texts.join(',')}]`];
    case 'single':
      return ['application/json', texts[0] ?? ''];
  }
}
