import type { z } from 'zod';
import { expectation, valueKind } from './expectation.ts';
import type { ConfigProblem, Layer } from './layers.ts';
import { didYouMean } from './names.ts';
import { tlsObject } from './tls.ts';
import { unknownKeys } from './unknown-keys.ts';
import { configSchema, SECRET_KEYS, type ConfigKey, type ServiceConfig } from './schema.ts';

/** Checks that only other parts of the program can make. */
export interface ForeignChecks {
  /** What is wrong with a redaction pattern; undefined when nothing is. */
  readonly checkPattern?: (pattern: string) => string | undefined;
  /** The names that `disabledRules` may hold; unchecked when absent. */
  readonly ruleNames?: readonly string[];
}

/** Everything that is wrong with the values of one layer, whether or not a later layer replaces them. */
export function checkLayer(layer: Layer, checks: ForeignChecks): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const [key, { path, value, where }] of layer.entries) {
    for (const problem of checkValue(key, value, checks))
      problems.push({ path: path + problem.path, message: problem.message + (where?.(problem.path) ?? '') });
  }
  return problems;
}

/** Keys whose schema has the words for all that may be wrong inside. */
const WITH_OWN_WORDS: ReadonlySet<ConfigKey> = new Set(['kafka', 'projects', 'people', 'guards', 'gateway']);

/** `path` of a problem is below the key: empty, or such as `[1]`. */
function checkValue(key: ConfigKey, value: unknown, checks: ForeignChecks): ConfigProblem[] {
  const result = configSchema.shape[key].safeParse(value);
  if (WITH_OWN_WORDS.has(key)) return insideProblems(result.error?.issues ?? []);
  if (key === 'tls' && value !== 'terminated' && value !== undefined)
    return insideProblems(tlsObject.safeParse(value).error?.issues ?? []);
  if (!result.success || value === undefined || value === null) {
    const wanted = `must be ${expectation(key)}`;
    const indexes = new Set(result.error?.issues.map(({ path: [index] }) => index));
    if (!Array.isArray(value) || indexes.has(undefined))
      return [{ path: '', message: `${wanted}${got(key, value)}` }];
    const unfit = Array.from(indexes, (index) => ({
      path: `[${String(index)}]`,
      message: unknownKeyOf(result.error?.issues ?? [], index) ?? `does not fit: ${key} ${wanted}`,
    }));
    return key === 'redactionPatterns' ? [...unfit, ...checkPatterns(value, checks)] : unfit;
  }
  if (key === 'redactionPatterns') return checkPatterns(value, checks);
  if (key === 'typeRules') return checkTypeRules(value, checks.checkPattern);
  if (key === 'disabledRules' && checks.ruleNames) return checkRuleNames(value, checks.ruleNames);
  return [];
}

/** Of a list of objects only `typeRules` comes here. */
function unknownKeyOf(
  issues: readonly z.core.$ZodIssue[],
  index: PropertyKey | undefined,
): string | undefined {
  const fields = `the keys of a rule are type and one of ${RULE_FIELDS.join(', ')}`;
  const issue = issues.find(({ code, path: [at] }) => at === index && code === 'unrecognized_keys');
  return issue && unknownKeys(issue, fields);
}

/** Of a key that is an object: what is wrong in it, each by its place. The schema has the words. */
function insideProblems(issues: readonly z.core.$ZodIssue[]): ConfigProblem[] {
  const problems = issues.map(({ path, message }) => ({
    path: path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join(''),
    message,
  }));
  return problems;
}

/** Numbers and booleans are shown; text may be a secret that got into the wrong place. */
function got(key: ConfigKey, value: unknown): string {
  if (SECRET_KEYS.has(key) || valueKind(key) === 'list' || typeof value === 'string') return '';
  if (key === 'visibility' && typeof value === 'object' && value !== null && !Array.isArray(value)) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return `, not ${value}`;
  if (value === null) return ', not null';
  return `, not ${Array.isArray(value) ? 'a list' : 'an object'}`;
}

/** Items that are no text are told of by the schema. */
function checkPatterns(patterns: unknown, { checkPattern }: ForeignChecks): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const [index, pattern] of (patterns as readonly unknown[]).entries()) {
    const wrong = typeof pattern === 'string' ? checkPattern?.(pattern) : undefined;
    if (wrong !== undefined)
      problems.push({ path: `[${index}]`, message: `is not a usable regular expression: ${wrong}` });
  }
  return problems;
}

const RULE_FIELDS = ['toolName', 'command', 'spanName', 'agent'] as const;

function checkTypeRules(rules: unknown, check: ForeignChecks['checkPattern']): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const [index, rule] of (rules as ServiceConfig['typeRules']).entries()) {
    const fields = RULE_FIELDS.filter((field) => rule[field] !== undefined);
    if (fields.length !== 1)
      problems.push({ path: `[${index}]`, message: `must have exactly one of ${RULE_FIELDS.join(', ')}` });
    for (const field of fields) {
      const wrong = check?.(rule[field] ?? '');
      if (wrong === undefined) continue;
      problems.push({ path: `[${index}].${field}`, message: `is not a usable regular expression: ${wrong}` });
    }
  }
  return problems;
}

function checkRuleNames(names: unknown, known: readonly string[]): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const [index, name] of (names as readonly string[]).entries()) {
    if (known.includes(name)) continue;
    const near = didYouMean(name, known);
    const hint = near === undefined ? `the rules are ${known.join(', ')}` : `did you mean ${near}?`;
    problems.push({ path: `[${index}]`, message: `is not the name of a redaction rule: ${hint}` });
  }
  return problems;
}
