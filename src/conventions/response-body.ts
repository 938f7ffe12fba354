import { isObject, type JsonObject } from '../base/json.ts';
import { isSameModel } from '../model/model-name.ts';
import type { Usage } from './convention.ts';
import { parseJson } from './json.ts';
import { countOf } from './read.ts';

/**
 * What a provider's body, as JSON text, says around the answer: found by its key at either end of the body, as parsing
 * a long answer costs more than all the rest. A key in an answer's own text can't be mistaken, as its quotes are
 * escaped there.
 */
const WINDOW = 4096;

const MODEL = /"model(?:_name|Name|_id|Version)?"\s{0,4}:\s{0,4}"([^"\\]{1,256})"/;
const FINISH = /"(?:finish_reason|finishReason|stop_reason|done_reason)"\s{0,4}:\s{0,4}"([^"\\]{1,64})"/;

/** The model that a request body, or the parameters of a call, name. */
export function modelIn(body: unknown): string | undefined {
  return atEnds(body, MODEL);
}

/** What the answer says of itself in another way than its span: `gpt-4o-2024-08-06` of `gpt-4o`. */
export function answeringModel(body: unknown, named: string | undefined): string | undefined {
  const model = modelIn(body);
  return model !== undefined && (named === undefined || isSameModel(model, named)) ? model : undefined;
}

export function finishReasonsIn(body: unknown): readonly string[] | undefined {
  const reason = atEnds(body, FINISH);
  return reason === undefined ? undefined : [reason];
}

function atEnds(body: unknown, pattern: RegExp): string | undefined {
  if (typeof body !== 'string') return undefined;
  if (body.length <= WINDOW) return pattern.exec(body)?.[1];
  return (pattern.exec(body.slice(0, WINDOW)) ?? pattern.exec(body.slice(-WINDOW)))?.[1];
}

/** Far more than any provider writes into a usage. */
const MAX_USAGE_CHARS = 2048;
const USAGE_KEYS = ['"usage"', '"token_usage"', '"usage_metadata"'];

/** The tokens that a body counts, where its span has no attributes for them. */
export function usageIn(body: unknown): Usage | undefined {
  if (typeof body !== 'string') return undefined;
  for (const key of USAGE_KEYS) {
    // Searching forwards in the end of the body; a usage before a long answer is not looked for.
    const from = Math.max(0, body.length - WINDOW);
    const at = body.indexOf(key, from);
    const open = at < 0 ? -1 : body.indexOf('{', at + key.length);
    if (open < 0 || open - at > key.length + 4) continue;
    const usage = usageOf(objectAt(body, open));
    if (usage !== undefined) return usage;
  }
  return undefined;
}

/** The object that begins there. */
function objectAt(text: string, open: number): JsonObject | undefined {
  let depth = 0;
  const max = Math.min(text.length, open + MAX_USAGE_CHARS);
  for (let i = open; i < max; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x7b) depth++;
    else if (code === 0x7d && --depth === 0) {
      const parsed = parseJson(text.slice(open, i + 1));
      return isObject(parsed) ? parsed : undefined;
    }
  }
  return undefined;
}

function usageOf(usage: JsonObject | undefined): Usage | undefined {
  if (usage === undefined) return undefined;
  const tokensIn = countOf(usage['prompt_tokens'] ?? usage['input_tokens']);
  const tokensOut = countOf(usage['completion_tokens'] ?? usage['output_tokens']);
  if (tokensIn === undefined && tokensOut === undefined) return undefined;
  const input =
    usage['prompt_tokens_details'] ?? usage['input_tokens_details'] ?? usage['input_token_details'];
  const output =
    usage['completion_tokens_details'] ?? usage['output_tokens_details'] ?? usage['output_token_details'];
  const read = countOf(usage['cache_read_input_tokens']);
  const written = countOf(usage['cache_creation_input_tokens']);
  return {
    // Anthropic counts what it read from and wrote to its cache beside the input.
    tokensIn: tokensIn === undefined ? undefined : tokensIn + (read ?? 0) + (written ?? 0),
    tokensOut,
    cacheReadTokens: read ?? countIn(input, ['cached_tokens', 'cache_read']),
    cacheWriteTokens: written ?? countIn(input, ['cache_creation']),
    reasoningTokens: countIn(output, ['reasoning_tokens', 'reasoning']),
  };
}

function countIn(details: unknown, fields: readonly string[]): number | undefined {
  if (!isObject(details)) return undefined;
  for (const field of fields) {
    const count = countOf(details[field]);
    if (count !== undefined) return count;
  }
  return undefined;
}
