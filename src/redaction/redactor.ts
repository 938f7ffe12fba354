import { hkdfSync } from 'node:crypto';
import { assert } from '../base/assert.ts';
import { isJson } from '../base/json.ts';
import type { AttributeValue } from '../model/attributes.ts';
import { describesSecret } from './about-secrets.ts';
import { isSpace } from './characters.ts';
import { openNumber } from './number-start.ts';
import { cutCodeBlocks } from './code-blocks.ts';
import { openBlob } from './blobs.ts';
import { Detector, inOriginal } from './detector.ts';
import {
  BESIDE_NAME,
  endsLikeJson,
  holdsValueBeside,
  looksLikeJson,
  mayHoldEscapedJson,
  openMember,
  redactJson,
  withoutEscapes,
} from './json-text.ts';
import { isMarker, MarkerMaker, TAG_LENGTH } from './marker.ts';
import { nameRule } from './name-finder.ts';
import type { NameFinder } from './name-finder.ts';
import { MAX_MATCH } from './rule.ts';
import type { Kind, Rule, Span } from './rule.ts';
import type { RedactionReport } from './report.ts';
import { BUILTIN_RULES } from './rules/builtin.ts';
import type { Finding } from './scanner.ts';
import { classifyKey } from './sensitive-keys.ts';
import type { KeyClass } from './sensitive-keys.ts';
import { acrossParts } from './text-parts.ts';
import { userRules } from './user-patterns.ts';
import { rewritten } from './view.ts';
import type { View } from './view.ts';
import { ShownMarkers } from './shown-markers.ts';
import { KEY_RULE, keyNameRule, wholeKind } from './whole-values.ts';

export interface RedactorOptions {
  /** 32 bytes; the same value gets the same marker under the same key. */
  readonly key: Uint8Array;
  /** Writes tags, of which `ShownMarkers` makes the markers that readers see. */
  readonly tags?: boolean;
  /** `redactionPatterns` of the configuration, each of which passed checkUserPattern. */
  readonly userPatterns?: readonly string[];
  readonly safeKeys?: readonly string[];
  readonly sensitiveKeys?: readonly string[];
  /** Ids of built-in or user rules that are switched off. */
  readonly disabledRules?: readonly string[];
  /** Fenced code blocks are cut to so many characters. */
  readonly maxCodeSnippetChars: number;
  /** `off`: the built-in rules for names and addresses of people are left out. Default `context`. */
  readonly names?: 'context' | 'off';
  /** Find further names. */
  readonly nameFinders?: readonly NameFinder[];
  /** Instead of BUILTIN_RULES; for tests. */
  readonly rules?: readonly Rule[];
}

const noReport: RedactionReport = { hidden() {} };

/** JSON in a string in JSON in a string …: deeper ones are scanned as text. */
const MAX_JSON_LEVELS = 4;
/** Nothing that a rule finds is shorter. */
const MIN_TEXT = 4;
/** Shorter texts rarely hold a value twice. */
const MIN_REPEATING = 2000;
/** More different values than nearly all texts hold. */
const MAX_REMEMBERED_VALUES = 1000;
/** Names repeat: their class and redaction are remembered. Both bounds keep the memory below about 4 MB. */
const MAX_KEYS = 10_000;
const MAX_KEY_LENGTH = 200;

/** A member's or attribute's name, looked at once. */
export interface KeyInfo {
  /** The name without secrets: the same string when there is none. */
  readonly name: string;
  readonly class: KeyClass;
  /** In a text the name would have the rules hide what is assigned to it. */
  readonly announces: boolean;
  /** Its value is the id of a span or of a trace, or a list of them. */
  readonly namesSpans: boolean;
}

/** Without an escape. */
const PLAIN_NAME = /^"([^"\\]*)"\s{0,8}:/;

/** What any rule for assigned values takes for one, and no other rule does. */
const PROBE = 'Xk29vQ7zRt4pLm8w';
/** Reasoning in an answer, without which the answer is shown. */
const THINK = '<think';
const THINK_BLOCK = /<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/g;
/** Names of ids, by which records are joined. */
const ID_NAME = /(?:^|[._-])(?:id|ID)$|[a-z]I[dD]$/;
const NAME_OF_SPANS =
  /(?:^|[._-])(?:depends[._]?on|dependsOn|(?:span|trace|parent)[._-]?(?:id|ID|Id)s?)$|[a-z](?:Span|Trace)I[dD]s?$/;

export function createRedactor(options: RedactorOptions): Redactor {
  return new Redactor(options);
}

/** Redacts single texts and values. Keeps no text, except names without a finding. */
export class Redactor {
  /** There are rules besides the built-in ones, and how far those look is unknown. */
  readonly hasUserRules: boolean;
  private readonly options: RedactorOptions;
  private readonly markers: MarkerMaker;
  private readonly ids: ShownMarkers;
  private readonly detector: Detector;
  private readonly keys = new Map<string, KeyInfo>();
  /** Markers of the text at hand, by kind and value. */
  private made: Map<string, string> | undefined;

  constructor(options: RedactorOptions) {
    assert(options.key.length === 32, 'the marker key has 32 bytes');
    const disabled = new Set(options.disabledRules);
    const rules = (options.rules ?? BUILTIN_RULES).filter(
      ({ id, kind }) =>
        !disabled.has(id) && !(options.names === 'off' && (kind === 'PERSON' || kind === 'ADDRESS')),
    );
    this.options = options;
    this.markers =
      options.tags === true ? new MarkerMaker(this.keyFor('tags'), TAG_LENGTH) : new MarkerMaker(options.key);
    this.ids = new ShownMarkers(options.key);
    const users = [
      ...userRules(options.userPatterns ?? []),
      ...(options.nameFinders ?? []).map(nameRule),
    ].filter((user) => !disabled.has(user.rule.id));
    this.hasUserRules = users.length > 0;
    this.detector = new Detector(rules, keyNameRule(options.sensitiveKeys ?? []), users);
  }

  /** A string of any kind: JSON in it is walked, long code blocks are cut. The same string when nothing is hidden. */
  redactText(text: string, report: RedactionReport = noReport): string {
    if (text.length < MIN_TEXT) return text;
    if (text.length < MIN_REPEATING) return this.redactLevel(text, report, 0);
    // In a long text values repeat. Nothing of it is remembered when the text is done.
    try {
      this.made = new Map();
      return this.redactLevel(text, report, 0);
    } finally {
      this.made = undefined;
    }
  }

  /** The value of an attribute or member called `key`; `value` is a string or a number. */
  redactMember(info: KeyInfo, value: string | number, report: RedactionReport): string | number {
    if (info.class !== 'plain') {
      const whole = this.hideWhole(info, value, report);
      if (whole !== undefined) return whole;
    }
    if (typeof value !== 'string') return value;
    return info.announces ? this.redactAssigned(info.name, value, report) : this.redactText(value, report);
  }

  /** For the whole list or object under a sensitive name. */
  redactCollection(info: KeyInfo, value: AttributeValue, report: RedactionReport): string | undefined {
    if (info.class !== 'password' && info.class !== 'secret') return undefined;
    if (typeof value === 'object' && value !== null && describesSecret(value)) return undefined;
    const source = JSON.stringify(value);
    report.hidden(KEY_RULE, source.length);
    return this.hide('SECRET', source);
  }

  keyInfo(key: string, report: RedactionReport = noReport): KeyInfo {
    const known = this.keys.get(key);
    if (known) return known;
    const name = key.length < MIN_TEXT ? key : this.scanned(key, key.includes(THINK), report);
    const info = {
      name,
      class: classifyKey(key, this.options),
      announces: this.announces(key),
      namesSpans: NAME_OF_SPANS.test(key),
    };
    // A name with a finding is not kept: it is rare, and it is private. One with a blank may be a sentence.
    if (name === key && key.length <= MAX_KEY_LENGTH && !key.includes(' ')) {
      if (this.keys.size >= MAX_KEYS) this.keys.clear();
      this.keys.set(key, info);
    }
    return info;
  }

  /**
   * What is to be hidden in a plain text, in order and without overlaps.
   * @param breaks line breaks that are read as if they were not there, besides
   */
  findings(text: string, breaks: readonly number[] = []): readonly Finding[] {
    return breaks.length === 0 ? this.detector.findings(text) : this.detector.findingsAcross(text, breaks);
  }

  /** As `findings` of a whole text; where it may be JSON that was cut off, it is read without its escapes, too. */
  findingsOfWhole(text: string, breaks: readonly number[] = []): readonly Finding[] {
    return this.withCutOff(text, this.findings(text, breaks));
  }

  /** From where on a text that grows may yet turn out to hold something private; see `Detector`. */
  openFrom(text: string, from: number, breaks: readonly number[]): number {
    return this.detector.openFrom(text, from, breaks);
  }

  /** The head of a list or a table that may go on behind the end of the text. */
  openHead(text: string): Span | undefined {
    return this.detector.openHead(text);
  }

  /** The part [from, to) of a text with its findings replaced by markers. */
  render(
    text: string,
    findings: readonly Finding[],
    from: number,
    to: number,
    report: RedactionReport,
  ): string {
    let result = '';
    let copied = from;
    for (const finding of findings) {
      if (finding.end <= from) continue;
      if (finding.start >= to) break;
      // A finding that crosses the range is hidden in it as far as it reaches.
      const start = Math.max(finding.start, from);
      const end = Math.min(finding.end, to);
      result += text.slice(copied, start) + this.shown(finding.rule.kind, text.slice(start, end));
      report.hidden(finding.rule.id, end - start);
      copied = end;
    }
    return copied === from ? text.slice(from, to) : result + text.slice(copied, to);
  }

  cutCode(text: string): string {
    return cutCodeBlocks(text, this.options.maxCodeSnippetChars);
  }

  get maxCodeSnippetChars(): number {
    return this.options.maxCodeSnippetChars;
  }

  /** A key for another purpose, made of the markers' key. */
  keyFor(purpose: string): Uint8Array {
    return new Uint8Array(hkdfSync('sha256', this.options.key, '', purpose, 32));
  }

  /** A redacted id as it is kept and shown: with markers of ids. */
  ownId(id: string): string {
    return this.ids.id(id);
  }

  hide(kind: Kind, value: string): string {
    const { made } = this;
    if (!made) return this.markers.make(kind, value);
    const name = `${kind}:${value}`;
    const known = made.get(name);
    if (known !== undefined) return known;
    const marker = this.markers.make(kind, value);
    if (made.size < MAX_REMEMBERED_VALUES) made.set(name, marker);
    return marker;
  }

  /** What stands for a value: its marker, and of what is opaque how long it was. */
  private shown(kind: Kind, value: string): string {
    const marker = this.hide(kind, value);
    return kind === 'OPAQUE' ? `${marker} of ${value.length} characters` : marker;
  }

  /** In incomplete JSON: the offset of the first member that only a walk of the complete JSON could hide. */
  openMember(text: string): number | undefined {
    return openMember(text, (name) => this.keyInfo(name).class !== 'plain' || this.keyInfo(name).announces);
  }

  /**
   * Where an unfinished secret starts at the end of `text`, if one may.
   * @param findings of the text
   */
  openSecret(text: string, findings: readonly Finding[]): number | undefined {
    const hidden = findings.at(-1)?.end ?? 0;
    const number = openNumber(text, hidden);
    if (number !== undefined) return number;
    if (isSpace(text.charCodeAt(text.length - 1))) return undefined;
    return openBlob(text);
  }

  /** Where a value begins that the text ends in and that rules will hide if it goes on; see `Detector`. */
  openValue(text: string, breaks: readonly number[], findings: readonly Finding[]): number | undefined {
    return this.detector.openValue(text, breaks, findings);
  }

  /** As the rules read `name: value` in a text. */
  private redactAssigned(name: string, value: string, report: RedactionReport): string {
    const member = JSON.parse(this.redactText(JSON.stringify({ [name]: value }), report)) as object;
    return String(Object.values(member)[0]);
  }

  private announces(key: string): boolean {
    if (ID_NAME.test(key) || this.options.safeKeys?.includes(key) === true) return false;
    const text = JSON.stringify({ [key]: PROBE });
    return this.findings(text).some(({ end }) => end === text.length - 2);
  }

  private redactLevel(text: string, report: RedactionReport, level: number): string {
    const hasThoughts = text.includes(THINK);
    if (level < MAX_JSON_LEVELS && looksLikeJson(text) && endsLikeJson(text)) {
      const view = withoutEscapes(text);
      const read = this.findings(view?.text ?? text);
      const found = view ? inOriginal(view, read) : read;
      const redacted = this.redactAsJson(text, view, found, hasThoughts, report, level);
      if (redacted !== undefined) return redacted;
      // What is no JSON after all was searched as a text, or as it reads without escapes.
      if (!hasThoughts) {
        const all = view ? this.detector.together(text, this.findings(text), found) : found;
        return this.cutCode(this.hidden(text, all, report));
      }
    }
    return this.cutCode(this.scanned(text, hasThoughts, report));
  }

  private scanned(text: string, hasThoughts: boolean, report: RedactionReport): string {
    const thoughtless = hasThoughts ? rewritten(text, THINK_BLOCK, () => '') : undefined;
    const findings = thoughtless ? this.detector.findingsIn(text, thoughtless) : this.findings(text);
    return this.hidden(text, this.withCutOff(text, findings), report);
  }

  private withCutOff(text: string, found: readonly Finding[]): readonly Finding[] {
    const view = looksLikeJson(text) ? withoutEscapes(text) : undefined;
    return view ? this.detector.together(text, found, inOriginal(view, this.findings(view.text))) : found;
  }

  private hidden(text: string, findings: readonly Finding[], report: RedactionReport): string {
    return findings.length === 0 ? text : this.render(text, findings, 0, text.length, report);
  }

  /** undefined: it is no JSON after all. */
  private redactAsJson(
    text: string,
    view: View | undefined,
    found: readonly Finding[],
    hasThoughts: boolean,
    report: RedactionReport,
    level: number,
  ): string | undefined {
    const places = this.detector.jsonSuspects.filter((at) => !this.isInPlainName(view?.text ?? text, at));
    const suspects = view ? places.map((at) => view.toOrigin({ start: at, end: at }).start) : places;
    const hasNested = mayHoldEscapedJson(text);
    const hasBeside = view !== undefined && holdsValueBeside(text);
    let parses: boolean | undefined;
    const isWholeJson = (): boolean => (parses ??= isJson(text));
    const across = acrossParts(this, text, isWholeJson, report);
    const isPlain = found.length === 0 && suspects.length === 0 && !hasNested && !hasBeside;
    const clean = isPlain && across.size === 0 && !hasThoughts;
    const isUncut =
      text.length <= this.options.maxCodeSnippetChars || !(text.includes('```') || text.includes('~~~'));
    // What is no JSON reads as it is written, which the view does not.
    if (clean && isUncut && !view) return text;
    if (!isWholeJson()) return undefined;
    if (clean && isUncut) return text;
    let next = 0;
    let nextSuspect = 0;
    // Literals come in the order of the text, as the findings and the suspects do.
    const isSuspect = ({ start, end }: Span): boolean => {
      while ((suspects[nextSuspect] ?? Infinity) < start) nextSuspect++;
      return (suspects[nextSuspect] ?? Infinity) < end;
    };
    return redactJson(text, {
      key: (name) => this.keyInfo(name, report).name,
      text: (value, name, literal) => {
        while ((found[next]?.end ?? Infinity) <= literal.start + 1) next++;
        const finding = found[next];
        const isFound = finding !== undefined && finding.start < literal.end - 1;
        if (isFound && isWhole(finding, literal) && (finding.rule.kind === 'OPAQUE' || !looksLikeJson(value)))
          return this.inContext(text, finding, value, literal, report);
        const assigned = this.assigned(text, name, value, literal);
        if (assigned) return this.inContext(text, assigned, value, literal, report);
        const part = across.get(literal.start) ?? value;
        const mustLook =
          isSuspect(literal) ||
          isFound ||
          hasThoughts ||
          part !== value ||
          (hasNested && value.includes('\\') && looksLikeJson(value)) ||
          value.length > this.options.maxCodeSnippetChars;
        if (!mustLook) return value;
        const redacted = part.length < MIN_TEXT ? part : this.redactLevel(part, report, level + 1);
        if (redacted !== value) return redacted;
        return isFound ? this.inContext(text, finding, value, literal, report) : value;
      },
      isSensitive: (name) => this.keyInfo(name).class !== 'plain',
      whole: (name, source) => this.hideSource(this.keyInfo(name), source, report),
    });
  }

  /** What the name of its member, or of the one beside it, announces, though escapes or line breaks stand in between. */
  private assigned(text: string, name: string, value: string, literal: Span): Finding | undefined {
    const length = literal.end - literal.start - 2;
    if (length > MAX_MATCH || isMarker(value)) return undefined;
    const isBeside = name.toLowerCase() === BESIDE_NAME && length > value.length;
    if (!isBeside && !this.keyInfo(name).announces) return undefined;
    const before = isBeside
      ? text.slice(Math.max(0, literal.start - MAX_KEY_LENGTH), literal.start)
      : `${JSON.stringify(name)}:`;
    const start = before.length + 1;
    const finding = this.findings(before + text.slice(literal.start, literal.end)).find(
      (item) => item.start === start && item.end === start + length,
    );
    return finding && { rule: finding.rule, start: literal.start + 1, end: literal.end - 1 };
  }

  /** Whether a place in JSON is in the name of a member that is left, and its value as well. */
  private isInPlainName(text: string, at: number): boolean {
    const from = Math.max(0, at - MAX_KEY_LENGTH);
    const open = text.slice(from, at + 1).lastIndexOf('"');
    const name = open < 0 ? undefined : PLAIN_NAME.exec(text.slice(from + open, at + MAX_KEY_LENGTH))?.[1];
    if (name === undefined) return false;
    const info = this.keyInfo(name);
    return info.class === 'plain' && info.name === name && !info.announces;
  }

  /** Hides a value that only its context gives away, such as the name of its member. */
  private inContext(
    text: string,
    finding: Finding,
    value: string,
    literal: Span,
    report: RedactionReport,
  ): string {
    if (isMarker(value)) return value;
    const isVerbatim = literal.end - literal.start - 2 === value.length;
    if (isVerbatim) return this.render(text, [finding], literal.start + 1, literal.end - 1, report);
    report.hidden(finding.rule.id, value.length);
    return this.shown(finding.rule.kind, value);
  }

  private hideSource(info: KeyInfo, source: string, report: RedactionReport): string | undefined {
    const value = JSON.parse(source) as AttributeValue;
    if (typeof value === 'string' || typeof value === 'number') return this.hideWhole(info, value, report);
    return typeof value === 'object' && value !== null
      ? this.redactCollection(info, value, report)
      : undefined;
  }

  private hideWhole(info: KeyInfo, value: string | number, report: RedactionReport): string | undefined {
    const text = String(value);
    const kind = wholeKind(info.class, text, typeof value === 'number');
    if (kind === undefined) return undefined;
    report.hidden(KEY_RULE, text.length);
    return this.hide(kind, text);
  }
}

function isWhole({ start, end }: Finding, literal: Span): boolean {
  return start <= literal.start + 1 && end >= literal.end - 1;
}
