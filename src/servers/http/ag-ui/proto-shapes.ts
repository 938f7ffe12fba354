import type { JsonObject } from '../../../base/json.ts';

/**
 * Where the protobuf messages of AG-UI are cut otherwise than its JSON: a content is a text or parts, an outcome a word
 * and what belongs to it.
 */

/** The fields of an event as those of its message. */
export function asProtoEvent(event: JsonObject): JsonObject {
  switch (event['type']) {
    case 'RUN_FINISHED':
    case 'SUBAGENT_FINISHED': {
      const { type, ...rest } = objectOf(event['outcome']);
      return { ...event, ...rest, outcome: type };
    }
    case 'TOOL_CALL_RESULT':
      return withContentParts(event);
    case 'MESSAGES_SNAPSHOT':
      return { ...event, messages: listOf(event['messages']).map(asProtoMessage) };
    case 'RUN_STARTED': {
      const { input } = event;
      if (input === undefined) return event;
      const messages = listOf(objectOf(input)['messages']).map(asProtoMessage);
      return { ...event, input: { ...objectOf(input), messages } };
    }
    default:
      return event;
  }
}

function asProtoMessage(message: unknown): JsonObject {
  const fields = objectOf(message);
  if (fields['role'] !== 'activity') return withContentParts(fields);
  return { ...fields, content: undefined, activityContent: fields['content'] };
}

function withContentParts(fields: JsonObject): JsonObject {
  const { content } = fields;
  if (!Array.isArray(content)) return fields;
  return { ...fields, content: undefined, contentParts: content.map(asProtoPart) };
}

function asProtoPart(part: unknown): JsonObject {
  const { type, source, ...rest } = objectOf(part);
  const { type: from, ...where } = objectOf(source);
  return {
    [String(type)]: source === undefined ? rest : { ...rest, source: { [String(from)]: where } },
  };
}

function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
