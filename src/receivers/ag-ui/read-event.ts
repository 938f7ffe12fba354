import type { AttributeValue } from '../../model/attributes.ts';
import { parseTime, type EpochMs } from '../../model/time.ts';
import type { Bounds } from '../bounds.ts';
import { boundObject } from '../bounded-values.ts';
import { boundedId, itemOf, optionalId, own, wrong, type Item } from '../events/event-fields.ts';
import type { Asked } from './asked-input.ts';
import { hideEncrypted, type Encrypted } from './hide-encrypted.ts';

/** An event as it was sent, bounded, in today's spelling and without what is encrypted. */
export interface AgUiEvent {
  readonly type: string;
  /** All fields, the type among them. */
  readonly fields: { readonly [field: string]: AttributeValue };
  readonly time: EpochMs | undefined;
  readonly encrypted: readonly Encrypted[];
  /** Of the beginning of a run that does not repeat its input: what it is asked, where its sender says that besides. */
  readonly asked?: Asked;
  /** It comes after a RUN_STARTED that was refused, and names no run. */
  readonly isOfRefused?: true;
}

/** Spellings before 1.0. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['THINKING_START', 'REASONING_START'],
  ['THINKING_END', 'REASONING_END'],
  ['THINKING_TEXT_MESSAGE_START', 'REASONING_MESSAGE_START'],
  ['THINKING_TEXT_MESSAGE_CONTENT', 'REASONING_MESSAGE_CONTENT'],
  ['THINKING_TEXT_MESSAGE_END', 'REASONING_MESSAGE_END'],
]);

/** Ids without which an event says nothing. Reasoning may have none: before 1.0 it had not. */
const IDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    RUN_STARTED: ['runId'],
    STEP_STARTED: ['stepName'],
    STEP_FINISHED: ['stepName'],
    TEXT_MESSAGE_START: ['messageId'],
    TEXT_MESSAGE_CONTENT: ['messageId'],
    TEXT_MESSAGE_END: ['messageId'],
    TOOL_CALL_START: ['toolCallId', 'toolCallName'],
    TOOL_CALL_ARGS: ['toolCallId'],
    TOOL_CALL_END: ['toolCallId'],
    TOOL_CALL_RESULT: ['toolCallId'],
    REASONING_ENCRYPTED_VALUE: ['entityId'],
    SUBAGENT_STARTED: ['subagentRunId', 'name'],
    SUBAGENT_FINISHED: ['subagentRunId'],
    SUBAGENT_ERROR: ['subagentRunId'],
  }),
);
const OTHER_IDS = ['threadId', 'parentRunId', 'parentMessageId', 'parentSubagentRunId', 'parentToolCallId'];
/** All of them: a number stands for its digits. */
const ALL_IDS: ReadonlySet<string> = new Set([...[...IDS.values()].flat(), ...OTHER_IDS]);
const WITH_DELTA: ReadonlySet<string> = new Set([
  'TEXT_MESSAGE_CONTENT',
  'TOOL_CALL_ARGS',
  'REASONING_MESSAGE_CONTENT',
]);
/** Of which null is a value like others. */
const NULLABLE: ReadonlySet<string> = new Set(['value', 'snapshot', 'event']);

/** @param item parsed for this event alone @throws BoundaryError INVALID_ARGUMENT, naming the field */
export function readEvent(value: unknown, bounds: Bounds): AgUiEvent {
  const item = itemOf(value);
  const sent = own(item, 'type');
  if (typeof sent !== 'string' || sent === '') throw wrong('type', 'required, the name of an event of AG-UI');
  boundedId('type', sent);
  const type = RENAMED.get(sent) ?? sent;
  const encrypted = hideEncrypted(item);
  const fields: { [field: string]: AttributeValue } = { ...boundObject(withoutNulls(item), bounds), type };
  for (const field of ALL_IDS) {
    const id = boundedId(field, optionalId(item, field, bounds));
    if (id !== undefined) fields[field] = id;
    else if (IDS.get(type)?.includes(field) === true) throw wrong(field, `required by ${type}`);
  }
  checkDelta(type, fields);
  if (type === 'REASONING_MESSAGE_START') fields['role'] = 'reasoning';
  const time = parseTime(own(item, 'timestamp'));
  if (time === undefined) delete fields['timestamp'];
  else fields['timestamp'] = Math.floor(time);
  return { type, fields, time, encrypted };
}

function checkDelta(type: string, { delta }: { readonly [field: string]: AttributeValue }): void {
  if (typeof delta === 'string') return;
  if (WITH_DELTA.has(type)) throw wrong('delta', `required by ${type}, a string`);
  if (type.endsWith('_CHUNK') && delta !== undefined) throw wrong('delta', 'must be a string');
}

/** Before 1.0 what was absent was often null. */
function withoutNulls(item: Item): Item {
  return Object.fromEntries(
    Object.entries(item).filter(([field, value]) => value !== null || NULLABLE.has(field)),
  );
}
