import { RE2JS } from 're2js';
import { invalid } from '../base/boundary-error.ts';
import type { NodeType } from '../model/node.ts';
import type { Pattern, TypeRule, TypeRuleField } from './derived-types.ts';

/** A rule as users write it: a type, and one of the fields with a regular expression in JS syntax. */
export type TypeRuleSpec = { readonly type: NodeType } & {
  readonly [Field in TypeRuleField]?: string | undefined;
};

const FIELDS: readonly TypeRuleField[] = ['toolName', 'command', 'spanName', 'agent'];
const MAX_PATTERN_CHARS = 1000;
/** Each is tried on every step; they run in linear time, yet not for nothing. */
export const MAX_TYPE_RULES = 64;

/**
 * Users' rules, ready to run in time linear in the text.
 *
 * @throws BoundaryError INVALID_ARGUMENT that names the rule and what is wrong with it
 */
export function compileTypeRules(specs: readonly TypeRuleSpec[]): readonly TypeRule[] {
  if (specs.length > MAX_TYPE_RULES)
    throw invalid(`typeRules has ${specs.length} rules; at most ${MAX_TYPE_RULES} are allowed`);
  return specs.map((spec, index) => {
    const fields = FIELDS.filter((field) => spec[field] !== undefined);
    const [field] = fields;
    if (field === undefined || fields.length > 1)
      throw invalid(`typeRules[${index}] needs exactly one of ${FIELDS.join(', ')}`);
    return { type: spec.type, field, pattern: compile(spec[field] ?? '', `typeRules[${index}].${field}`) };
  });
}

function compile(pattern: string, where: string): Pattern {
  if (pattern === '' || pattern.length > MAX_PATTERN_CHARS)
    throw invalid(`${where} needs 1 to ${MAX_PATTERN_CHARS} characters`);
  try {
    // The syntax is that of JS; what only backtracking can match is refused by the linear engine.
    void new RegExp(pattern);
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return { test: (text) => compiled.matcher(text).find() };
  } catch {
    throw invalid(
      `${where} is no regular expression that runs in linear time: check its syntax, and use no look-around and no back-references`,
    );
  }
}
