import { MatcherInput, RE2JS } from 're2js';
import { CountedText } from './counted-text.ts';
import type { Rule, Span } from './rule.ts';

/** The two patterns of the spec's default configuration: served by built-in rules of the same purpose. */
export const SPEC_PATTERNS: readonly string[] = [
  String.raw`[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}`,
  String.raw`api_key\s*=\s*['\"][A-Za-z0-9_-]{20,}['\"]`,
];

const MAX_PATTERN_LENGTH = 1000;
/** All searches of a pattern may go through a text so many times; ordinary patterns do once. */
const MAX_PASSES = 32;
/** The engine asks for a character as the present, the last and the next one. */
const READS_A_PASS = 3;
/** In a short text the engine tries each instruction at each place, up to so many; two reads each. */
const MAX_TRIED = 262_144;

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
  } catch (error) {
    return `is not valid, ${reasonOf(error)}: patterns are those of JavaScript without lookaround and backreferences`;
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

/** V8 says it behind the pattern, which may hold what is to be hidden. */
function reasonOf(error: unknown): string {
  const said = error instanceof Error ? error.message : '';
  const reason = /: ([\w ]{1,80})$/.exec(said)?.[1];
  return reason === undefined ? 'it cannot be read' : reason.toLowerCase();
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

/**
 * Each search is linear, but one that looks on to the end of the text for an open tail (`a(?:.*z)?`) and finds none is
 * repeated behind each match. What all of them read is bounded; from the match with which that is used up the rest of
 * the text is hidden.
 */
function allMatches(compiled: RE2JS, text: string): readonly Span[] {
  const spans: Span[] = [];
  const counted = new CountedText(text);
  const tried = Math.min(compiled.programSize() * text.length, MAX_TRIED);
  const mayRead = READS_A_PASS * MAX_PASSES * text.length + 2 * tried;
  const matcher = compiled.matcher(MatcherInput.utf16(counted));
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    if (counted.read > mayRead) return [...spans, { start, end: text.length }];
    if (end > start) spans.push({ start, end });
  }
  return spans;
}
