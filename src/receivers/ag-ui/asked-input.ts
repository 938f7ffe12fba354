import { isObject } from '../../base/json.ts';
import type { AttributeValue } from '../../model/attributes.ts';
import type { Bounds } from '../bounds.ts';
import { boundObject } from '../bounded-values.ts';
import { boundedId } from '../events/event-fields.ts';

/** What a run is asked, read of the messages of its input (RunAgentInput): by the agent that repeats it, or by who sends it. */
export interface Asked {
  /** What the user said last. */
  readonly prompt: string | undefined;
  /** The calls whose results are new with this run: those after the last word of the model. */
  readonly results: readonly string[];
}

/** Results of the tools that a client ran itself, told with the next run. */
const MAX_RESULTS = 256;
const STARTED = 'RUN_STARTED';
/** A stream may begin with it, and with nothing before it. */
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** @param input a RunAgentInput */
export function askedIn(input: AttributeValue | undefined): Asked {
  const messages =
    isObject(input) && Array.isArray(input['messages']) ? (input['messages'] as unknown[]) : [];
  return { prompt: lastUserText(messages), results: newResults(messages) };
}

/**
 * Reads an input that stands among events: before the beginning of its run it says what that is asked. undefined for what is
 * none. @throws BoundaryError INVALID_ARGUMENT
 */
export function readAsked(value: unknown, bounds: Bounds): Asked | undefined {
  if (!isObject(value) || 'type' in value || !Array.isArray(value['messages'])) return undefined;
  const { runId, messages } = value;
  if (typeof runId !== 'string') return undefined;
  boundedId('runId', runId);
  return askedIn(boundObject({ messages }, bounds));
}

/**
 * For agents that do not repeat the input in RUN_STARTED: puts what a client asked before the frame that begins the run.
 * @param input as the client sent it
 */
export function tellAsked(input: Buffer): (frames: Buffer) => Buffer {
  let frame = frameOf(input);
  return (frames) => {
    if (frame === undefined || !frames.includes(STARTED)) return frames;
    const told = Buffer.concat([
      frame,
      frames.indexOf(BYTE_ORDER_MARK) === 0 ? frames.subarray(BYTE_ORDER_MARK.length) : frames,
    ]);
    frame = undefined;
    return told;
  };
}

/** As much of the input as is read of it; undefined when that is nothing. What is wrong with an input its agent says. */
function frameOf(input: Buffer): Buffer | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(input.toString('utf8'));
  } catch {
    return undefined;
  }
  if (!isObject(parsed) || typeof parsed['runId'] !== 'string') return undefined;
  const { prompt, results } = askedIn(parsed as AttributeValue);
  const messages = [
    ...(prompt === undefined ? [] : [{ role: 'user', content: prompt }]),
    ...results.map((toolCallId) => ({ role: 'tool', toolCallId })),
  ];
  if (messages.length === 0) return undefined;
  return Buffer.from(`data: ${JSON.stringify({ runId: parsed['runId'], messages })}\n\n`);
}

function lastUserText(messages: readonly unknown[]): string | undefined {
  const last = messages.findLast((message) => isObject(message) && message['role'] === 'user');
  if (!isObject(last)) return undefined;
  const { content } = last;
  if (typeof content === 'string') return content === '' ? undefined : content;
  if (!Array.isArray(content)) return undefined;
  const texts = (content as readonly unknown[]).map((part) => (isObject(part) ? part['text'] : undefined));
  return texts.filter((text) => typeof text === 'string' && text !== '').join('\n') || undefined;
}

function newResults(messages: readonly unknown[]): readonly string[] {
  const since = messages.findLastIndex((message) => isObject(message) && message['role'] === 'assistant');
  return messages
    .slice(since + 1)
    .flatMap((message) => {
      const id = isObject(message) && message['role'] === 'tool' ? message['toolCallId'] : undefined;
      return typeof id === 'string' && id !== '' ? id : [];
    })
    .slice(0, MAX_RESULTS);
}
