import { isObject } from '../base/json.ts';
import type { Capability, PayloadPattern } from './capability.ts';

/** One is written by hand; all keys are written with each change of one. */
export const MAX_CAPABILITIES = 50;
const MAX_CHARS = 1_000;
const MAX_DEPTH = 8;

const KIND = /^(?:\*|[\w:-]+(?:\/[\w:-]+)*(?:\/\*)?)$/;

/** @returns the capability, or what is wrong with it: words of the rule, none of what was given */
export function readCapability(given: unknown): Capability | string {
  if (!isObject(given)) return 'must be an object such as {"kind": "reasoning/*"}';
  const { kind, payload, ...rest } = given;
  if (Object.keys(rest).length > 0) return 'has only kind and payload';
  if (typeof kind !== 'string' || !KIND.test(kind))
    return 'kind must be a kind of message with "/" between its words, such as "reasoning/thought", or end in "/*", or be "*": "!", "?", "**", "/…/", "*" in other places and lists are not known to a gateway of MEW';
  if (payload === undefined) return bounded({ kind });
  if (kind === '*')
    return 'kind "*" takes no payload: a gateway of MEW would not look at it; name kinds, such as "reasoning/*"';
  const problem = problemIn(payload, 1);
  return problem === undefined ? bounded({ kind, payload: payload as PayloadPattern }) : `payload ${problem}`;
}

function bounded(capability: Capability): Capability | string {
  return JSON.stringify(capability).length > MAX_CHARS
    ? `must have at most ${MAX_CHARS} characters`
    : capability;
}

function problemIn(pattern: unknown, depth: number): string | undefined {
  if (!isObject(pattern))
    return 'must have texts and objects alone: a gateway of MEW does not look at numbers, true, false, null and lists';
  if (depth > MAX_DEPTH) return `must not be deeper than ${MAX_DEPTH}`;
  for (const [field, value] of Object.entries(pattern)) {
    if (field.startsWith('$') || field.includes('*'))
      return 'must name its fields: "$.…", "**" and "*" in names are not known to a gateway of MEW';
    const problem = typeof value === 'string' ? problemOfText(value) : problemIn(value, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** What the gateway would take for a plain text, and its library for a pattern, is none that anybody means. */
function problemOfText(text: string): string | undefined {
  if (/\*./s.test(text) || /^!.*\*$/s.test(text))
    return 'values may have "*" only at their end, and not after "!": a gateway of MEW knows no other';
  if (/^\/.+\/$/s.test(text))
    return 'values must not be "/…/": a gateway of MEW knows no such expressions; "/…/*" is what begins so';
  return undefined;
}
