import type { KeptText } from '../../model/ag-ui-events.ts';
import { boundText } from '../bounded-values.ts';
import { endText, messageOf } from './fold-texts.ts';
import type { RunContext } from './run-context.ts';
import { keep, keepInLane, MAX_UNREAD, thingOf, type Thing } from './run.ts';

/** Tool calls: a step from the call to its result, asked for by what the model said, read by what it says next. */

export function startTool(context: RunContext): undefined {
  toolOf(context, context.id('toolCallId') ?? '');
}

export function argue(context: RunContext): KeptText {
  return pieceOfArguments(context, toolOf(context, context.id('toolCallId') ?? ''));
}

/** Held until they are whole: a secret may be cut in two by the pieces. What is too long is cut. */
export function pieceOfArguments(context: RunContext, tool: Thing): KeptText {
  const { delta } = context.fields;
  const piece = typeof delta === 'string' ? delta : '';
  const max = context.bounds.limits.maxStringChars;
  // One more than is kept, so that it is seen and said that something is missing.
  if (piece !== '' && tool.args.length <= max)
    keep(context.run, { ...tool, args: (tool.args + piece).slice(0, max + 1) });
  return { span: tool.spanId, field: 'toolArguments', chars: piece.length };
}

export function endArguments(context: RunContext): undefined {
  finishArguments(context, toolOf(context, context.id('toolCallId') ?? ''));
}

/** The arguments are whole; the tool may still run. */
export function finishArguments(context: RunContext, tool: Thing): Thing {
  if (tool.args === '') return tool;
  return context.change({ ...tool, args: '' }, { 'agui.arguments': boundText(tool.args, context.bounds) });
}

export function takeResult(context: RunContext): KeptText | undefined {
  const { run, fields } = context;
  const id = context.id('toolCallId') ?? '';
  const known = thingOf(run, 'tool', id);
  const isMeant = known !== undefined && (known.isOpen || known.isRecalled === true);
  const called = isMeant ? { ...known, isOpen: true, isRecalled: false } : openTool(context, id);
  const tool = finishArguments(context, called);
  const { content, error } = fields;
  const isText = typeof content === 'string';
  context.close(tool, {
    ...(content !== undefined && { 'agui.result': isText ? content : JSON.stringify(content) }),
    ...(typeof error === 'string' && { 'agui.error': error }),
  });
  const turn = run.turns.get(tool.lane);
  run.turns.delete(tool.lane);
  // What a model asked for has run: it said what it had to say.
  if (turn?.kind === 'message') endText(context, thingOf(run, 'message', turn.id));
  const unread = [...(run.unread.get(tool.lane) ?? []), callId(tool)];
  keepInLane(run.unread, tool.lane, unread.slice(-MAX_UNREAD));
  return isText ? { span: tool.spanId, field: 'toolResult', chars: content.length } : undefined;
}

/** A call that has ended is the one that is meant by what comes of it later, unless it begins again. */
export function toolOf(context: RunContext, id: string): Thing {
  const known = thingOf(context.run, 'tool', id);
  if (known && (known.isOpen || context.event.type !== 'TOOL_CALL_START')) return known;
  return openTool(context, id);
}

function openTool(context: RunContext, id: string): Thing {
  const { run, lane } = context;
  const name = context.id('toolCallName');
  const asker = askerOf(context);
  const tool = context.open('tool', id, {
    name: name ?? 'tool call',
    attributes: { ...(name !== undefined && { 'agui.tool': name }) },
  });
  const call = callId(tool);
  const named = keep(run, { ...tool, attributes: { ...tool.attributes, 'agui.call': call } });
  context.records.thing(run, named);
  if (asker) {
    context.records.note(run, asker, `asks ${call}`, tool.start, { 'agui.asked': [call] });
    keepInLane(run.turns, lane, asker);
  }
  return named;
}

/**
 * The message that the sender names, else what the model said or thought last. Where it has only read results since, a turn
 * without words leads from them to this call.
 */
function askerOf(context: RunContext): Thing | undefined {
  const { run, lane } = context;
  const parent = context.id('parentMessageId');
  if (parent !== undefined) {
    const known = thingOf(run, 'message', parent);
    if (known && known.says !== 'prompt') return known;
    return wordless(context, parent);
  }
  const turn = run.turns.get(lane);
  if (turn || !run.unread.has(lane)) return turn;
  return wordless(context, `turn-${context.nextNumber()}`);
}

/** Its message may still come. */
function wordless(context: RunContext, id: string): Thing {
  return messageOf(context, id, context.id('toolCallName') ?? 'a tool');
}

/** Ids that are used again name another call. */
function callId({ id, n }: Thing): string {
  return n === 0 ? id : `${id}#${n + 1}`;
}
