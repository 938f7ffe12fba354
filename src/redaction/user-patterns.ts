import { RE2JS } from 're2js';
import type { Rule, Span } from './rule.ts';

/** The two patterns of the spec's default configuration: served by built-in rules of the same purpose. */
export const SPEC_PATTERNS: readonly string[] = [
  String.raw`[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}`,
  String.raw`api_key\s*=\s*['\"][A-Za-z0-9_-]{20,}['\"]`,
];

const MAX_PATTERN_LENGTH = 1000;

/** @returns why the pattern can't be used, or undefined. The pattern is in JS RegExp syntax. */
export function checkUserPattern(pattern: string): string | undefined {
  const compiled = compile(pattern);
  return typeof compiled === 'string' ? compiled : undefined;
}

function compile(pattern: string): RE2JS | string {
  if (pattern.length > MAX_PATTERN_LENGTH) return `is longer than ${MAX_PATTERN_LENGTH} characters`;
  if (pattern.length === 0) return 'is empty, so it would match everywhere';
  try {
    // The syntax is checked as JS first: the message then speaks of what the user wrote.
    void new RegExp(pattern);
  } catch {
    return 'is not a valid regular expression';
  }
  const construct = unsupported(pattern);
  if (construct) return `uses ${construct}, which needs backtracking; the linear-time engine has none`;
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return ['', ' ', 'a', '0', '\n', 'a b'].some((probe) => matchesEmpty(compiled, probe))
      ? 'can match the empty text, so it would match everywhere'
      : compiled;
  } catch {
    return 'can not be run in linear time; a repetition may count to 1000 at most';
  }
}

function unsupported(pattern: string): string | undefined {
  // Escapes and character classes are taken out first: in them these signs are literal.
  const bare = pattern.replace(/\\[^k\d]/g, '').replace(/\[(?:\\.|[^\]\\])*\]/g, '');
  if (/\(\?<?[=!]/.test(bare)) return bare.includes('(?<') ? 'a lookbehind' : 'a lookahead';
  return /\\[1-9]|\\k</.test(bare) ? 'a backreference' : undefined;
}

function matchesEmpty(compiled: RE2JS, probe: string): boolean {
  const matcher = compiled.matcher(probe);
  return matcher.find() && matcher.end() === matcher.start();
}

/** A user's pattern as a rule of its own, run over the whole text. */
export interface UserRule {
  readonly rule: Rule;
  readonly findAll: (text: string) => readonly Span[];
}

/**
 * Rules of the user's patterns, ids `user.0`, `user.1` …; those of the spec's defaults are left out.
 * @throws Error when one of them did not pass checkUserPattern
 */
export function userRules(patterns: readonly string[]): readonly UserRule[] {
  return patterns.flatMap((pattern, index) => {
    if (SPEC_PATTERNS.includes(pattern)) return [];
    const compiled = compile(pattern);
    if (typeof compiled === 'string') throw new Error(`redactionPatterns[${index}] ${compiled}`);
    const rule: Rule = {
      id: `user.${index}`,
      kind: 'CUSTOM',
      find: () => undefined,
      examples: { hits: [], misses: [] },
    };
    return [{ rule, findAll: (text) => allMatches(compiled, text) }];
  });
}

function allMatches(compiled: RE2JS, text: string): readonly Span[] {
  const spans: Span[] = [];
  const matcher = compiled.matcher(text);
  while (matcher.find()) {
    if (matcher.end() > matcher.start()) spans.push({ start: matcher.start(), end: matcher.end() });
  }
  return spans;
}
