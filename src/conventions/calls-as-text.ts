import { isObject, type JsonObject } from '../base/json.ts';
import { parseJson } from './json.ts';

/**
 * Tool calls that stand as JSON text where the text of a message belongs, as Koog writes them: in an answer, and in the
 * history each before its result, both in the role `tool`.
 *
 * @returns undefined for any other text
 */
export function callsInText(content: unknown): readonly JsonObject[] | undefined {
  if (typeof content !== 'string' || !content.startsWith('[{') || !content.includes('"function"'))
    return undefined;
  const calls = parseJson(content);
  return Array.isArray(calls) && calls.every(isCall) ? calls : undefined;
}

function isCall(item: unknown): item is JsonObject {
  return isObject(item) && typeof item['id'] === 'string' && isObject(item['function']);
}

/**
 * The newest messages of a history, whose calls come before their results one by one, as others write them: all calls
 * in one message of the model, then the results with the ids of their calls.
 *
 * @param messages from the last one back
 */
export function newestUntangled(messages: Iterable<JsonObject>): readonly JsonObject[] | undefined {
  const calls: JsonObject[] = [];
  const results: JsonObject[] = [];
  let result: JsonObject | undefined;
  for (const message of messages) {
    if (message['role'] !== 'tool') break;
    const asked = callsInText(message['content']);
    if (asked === undefined) {
      if (result !== undefined) return undefined;
      result = message;
      continue;
    }
    if (result === undefined) return undefined;
    results.unshift({ tool_call_id: asked[0]?.['id'], ...result });
    calls.unshift(...asked);
    result = undefined;
  }
  if (calls.length === 0 || result !== undefined) return undefined;
  return [{ role: 'assistant', tool_calls: calls }, ...results];
}
