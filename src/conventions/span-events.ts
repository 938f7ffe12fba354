import { isObject, type JsonObject } from '../base/json.ts';
import type { AttributeValue, Attributes } from '../model/attributes.ts';
import type { SpanEvent } from '../model/records.ts';
import { structure } from './json.ts';

/** What is read of the events of a span. */
interface Told {
  readonly events: readonly Pick<SpanEvent, 'name' | 'attributes'>[];
}

/** Messages and answers that a sender told as events of the span. */
export interface ToldByEvents {
  /** In the order of the conversation. */
  readonly messages: readonly JsonObject[];
  readonly choices: readonly JsonObject[];
  /** The attributes of an event that tells of the whole call at once. */
  readonly details: Attributes | undefined;
}

const ROLES: ReadonlyMap<string, string> = new Map([
  ['gen_ai.system.message', 'system'],
  ['gen_ai.user.message', 'user'],
  ['gen_ai.assistant.message', 'assistant'],
  ['gen_ai.tool.message', 'tool'],
]);
const WHOLE = new Set([
  'gen_ai.client.inference.operation.details',
  'gen_ai.content.prompt',
  'gen_ai.content.completion',
]);

/** What the span's events hold of its conversation, as the GenAI conventions had it before messages were attributes. */
export function toldByEvents({ events }: Told): ToldByEvents | undefined {
  if (events.length === 0) return undefined;
  const messages: JsonObject[] = [];
  const choices: JsonObject[] = [];
  let details: Map<string, AttributeValue> | undefined;
  for (const { name, attributes } of events) {
    const role = ROLES.get(name);
    if (role !== undefined) messages.push(messageOf(attributes, role));
    else if (name === 'gen_ai.choice') choices.push(messageOf(attributes, 'assistant'));
    else if (WHOLE.has(name)) details = new Map([...(details ?? []), ...attributes]);
  }
  if (messages.length + choices.length === 0 && details === undefined) return undefined;
  return { messages, choices, details };
}

const FIELDS = ['content', 'tool_calls', 'id', 'tool_call_id', 'finish_reason', 'reasoning_content'] as const;

/** The fields of a message stand in the event, each by itself, or as a whole under `message` or `gen_ai.event.content`. */
function messageOf(a: Attributes, role: string): JsonObject {
  const whole = a.get('message') ?? a.get('gen_ai.event.content') ?? a.get('body');
  const body = whole === undefined ? undefined : (structure(whole) ?? whole);
  const message: Record<string, unknown> = { role };
  for (const field of FIELDS) {
    const value = a.get(field) ?? a.get(`gen_ai.${field}`);
    if (value !== undefined) message[field] = structure(value) ?? value;
  }
  if (body === undefined) return message;
  return isObject(body) ? { ...message, ...body, role } : { ...message, content: body };
}
