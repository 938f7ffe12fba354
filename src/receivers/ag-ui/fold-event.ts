import type { KeptText } from '../../model/ag-ui-events.ts';
import {
  failRun,
  failSubagent,
  finishRun,
  finishStep,
  finishSubagent,
  otherEvent,
  startRun,
  startStep,
  startSubagent,
} from './fold-runs.ts';
import {
  endMessage,
  endReasoning,
  endSpan,
  endText,
  messageOf,
  reasoningOf,
  sayMessage,
  sayReasoning,
  startMessage,
  startReasoning,
  startSpan,
} from './fold-texts.ts';
import {
  argue,
  endArguments,
  finishArguments,
  pieceOfArguments,
  startTool,
  takeResult,
  toolOf,
} from './fold-tools.ts';
import type { AgUiEvent } from './read-event.ts';
import { RunContext, type Taking } from './run-context.ts';
import { keepInLane, thingOf, type Thing } from './run.ts';

/** @returns where the text is that the event brought */
type Fold = (context: RunContext) => KeptText | undefined;

const FOLDS: { readonly [type: string]: Fold } = {
  RUN_STARTED: startRun,
  RUN_FINISHED: finishRun,
  RUN_ERROR: failRun,
  STEP_STARTED: startStep,
  STEP_FINISHED: finishStep,
  SUBAGENT_STARTED: startSubagent,
  SUBAGENT_FINISHED: finishSubagent,
  SUBAGENT_ERROR: failSubagent,
  TEXT_MESSAGE_START: startMessage,
  TEXT_MESSAGE_CONTENT: sayMessage,
  TEXT_MESSAGE_END: endMessage,
  TEXT_MESSAGE_CHUNK: (context) =>
    context.say(chunkOf(context, 'message', 'messageId', messageOf), context.fields['delta']),
  REASONING_START: startSpan,
  REASONING_END: endSpan,
  REASONING_MESSAGE_START: startReasoning,
  REASONING_MESSAGE_CONTENT: sayReasoning,
  REASONING_MESSAGE_END: endReasoning,
  REASONING_MESSAGE_CHUNK: (context) =>
    context.say(chunkOf(context, 'reasoning', 'messageId', reasoningOf), context.fields['delta']),
  REASONING_ENCRYPTED_VALUE: () => undefined,
  TOOL_CALL_START: startTool,
  TOOL_CALL_ARGS: argue,
  TOOL_CALL_CHUNK: (context) => pieceOfArguments(context, chunkOf(context, 'tool', 'toolCallId', toolOf)),
  TOOL_CALL_END: endArguments,
  TOOL_CALL_RESULT: takeResult,
  // What they say is among the events of the run alone: they are the state of a program, no steps.
  STATE_SNAPSHOT: () => undefined,
  STATE_DELTA: () => undefined,
  MESSAGES_SNAPSHOT: () => undefined,
  ACTIVITY_DELTA: () => undefined,
  RAW: () => undefined,
  ACTIVITY_SNAPSHOT: otherEvent,
  CUSTOM: otherEvent,
};

/** Those of AG-UI 1.0. */
export const EVENT_TYPES: readonly string[] = Object.keys(FOLDS);

/** Events beside the conversation, which chunks may stand around. */
const BESIDE: ReadonlySet<string> = new Set(['RAW', 'CUSTOM', 'REASONING_ENCRYPTED_VALUE']);

/** Takes an event into its run. Nothing is refused: what comes in no order, twice or after the end still has a place. */
export function foldEvent(taking: Taking, event: AgUiEvent): void {
  const context = new RunContext(taking, event);
  const isChunk = event.type.endsWith('_CHUNK');
  if (!isChunk && !BESIDE.has(event.type)) endChunk(context);
  const fold = Object.hasOwn(FOLDS, event.type) ? FOLDS[event.type] : undefined;
  const text = (fold ?? otherEvent)(context);
  noteEncrypted(context);
  taking.run.log.add(event, text, taking.received);
}

/** What a chunk goes on with: that of its id, else the last one in its lane. */
function chunkOf(
  context: RunContext,
  kind: Thing['kind'],
  field: 'messageId' | 'toolCallId',
  open: (context: RunContext, id: string) => Thing,
): Thing {
  const { run, lane } = context;
  const last = run.chunks.get(lane);
  const id = context.id(field) ?? (last?.kind === kind ? last.id : `chunk-${context.nextNumber()}`);
  if (last && (last.kind !== kind || last.id !== id)) endChunk(context);
  const known = thingOf(run, kind, id);
  const thing = known?.isOpen === true ? known : open(context, id);
  keepInLane(run.chunks, lane, thing);
  return thing;
}

/** The next event of another kind ends it. */
function endChunk(context: RunContext): void {
  const { run, lane } = context;
  const last = run.chunks.get(lane);
  if (!last) return;
  run.chunks.delete(lane);
  const thing = thingOf(run, last.kind, last.id);
  if (thing?.kind === 'tool') finishArguments(context, thing);
  else endText(context, thing);
}

/** Where something encrypted was, the step that it belongs to says so, and the root where none is named. */
function noteEncrypted(context: RunContext): void {
  const { run, event, records, at } = context;
  if (event.encrypted.length === 0) return;
  const id = context.id('entityId') ?? '';
  const named = thingOf(run, 'reasoning', id) ?? thingOf(run, 'message', id) ?? thingOf(run, 'tool', id);
  const told = event.encrypted.map(({ chars, sha256 }) => `${chars} characters, sha256 ${sha256}`);
  records.note(run, named ?? { spanId: run.rootSpanId }, `encrypted ${context.nextNumber()}`, at, {
    'agui.encrypted': told,
  });
}
