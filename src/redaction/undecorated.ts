import { fitsAt } from './match-at.ts';
import type { Find, Rule, Span } from './rule.ts';
import { isPlainWord } from './rules/plain-words.ts';
import { View } from './view.ts';

/**
 * A name and its value as a reader sees them, without what only sets them off: emphasis and code of Markdown, elements of
 * HTML and XML, colours of terminals, quotes of three signs, cells of a row, a line of its own.
 */

/** A rule that looks behind a name for a value looks back no further. */
const BEFORE = 128;
/** So far behind the beginning of a name what sets it and its value off is seen. */
const HEAD = 300;
/** No value behind a name, with what it is judged by, is longer. */
const AHEAD = 1200;
/** What sets off more than one name in a row is no name. */
const MAX_TOKENS = 8;
/** So much of a text may stand between the beginning of a name and the sign that joins it to a value. */
const MAX_NAME = 80;
/** In the clause that begins with a name: what sets it off, before or behind the sign that joins it to a value, or the value. */
const SIGN = new RegExp(
  String.raw`(?:[^.,;(){}[\]!?\r\n<>|*\x60~_\u001b]|_(?=[a-z\d])){0,48}?(?:${[
    String.raw`[*\x60~_]{1,6}\s{0,4}(?:[:：=|<]|-[->]|[\r\n\\]|$)`,
    String.raw`[:：=][*\x60~_]{0,6}\s{0,4}(?:[*\x60~_\r\n\\]|$)`,
    String.raw`\s(?:[*_~]{0,3}\x60|\*{1,3}|_{1,3})(?:[^\s*]|$)`,
    String.raw`\u001b|\\{1,4}(?:(?:e|033|x1b|u001b)\[|n(?:\s|\\{1,4}n){0,8}(?:[*\x60~]|\\{0,4}$))`,
    String.raw`<(?:[a-z/]|$)|\||\r?\n|(?:\\{0,4}"){3}|'{3}|["']\s{1,8}[\w:-]{0,20}(?:=|$)`,
  ].join('|')})`,
  'iy',
);

/** A line break and white space, also as JSON writes them. */
const BREAK = String.raw`(?:\r?\n|\\{1,4}(?:r\\{1,4})?n)`;
const GAP = String.raw`(?:\s|\\{1,4}[nrt])`;
const TOKEN = new RegExp(
  String.raw`(?=[\s\\<|*~_"'\x60\u001b])(?:${[
    String.raw`((?:\u001b|\\{1,4}(?:e|033|x1b|u001b))\[[\d;]{0,12}(?:[A-Za-z]|$))`,
    String.raw`((?<![=\s])["']\s{1,8}(?:[\w:-]{1,20}=(?:"[^"<>\n]{0,60}"|'[^'<>\n]{0,60}')\s{1,8}){0,2}(?:value\s?=\s?(?=["']|$)|[\w:-]{0,20}(?:=(?:["'][^"'<>\n]{0,60})?)?$))`,
    String.raw`${GAP}{0,16}<(?:(\/?)([a-z][a-z\d]{0,15})(?:\s[^<>]{0,120}|\/)?(?:>${GAP}{0,16}|$)|\/?$)`,
    String.raw`([ \t]{0,40}\|[ \t]{0,40})`,
    String.raw`([ \t]{0,8}${BREAK}${GAP}{0,16})((?:\x60{3,4}|~{3,4})[\w-]{0,16}(?:[ \t]{0,4}${BREAK}[ \t]{0,16}|$))?`,
    String.raw`((?:\\{0,4}"){3}|''')`,
    String.raw`(\x60{1,3})`,
    String.raw`(?:\*{1,3}|~~|(?<![\w\u00c0-\uffff])_{1,2}(?=[a-z\d\u00c0-\uffff"'\x60*])|(?<=[a-z\d\u00c0-\uffff:：="'\x60*])_{1,2}(?=[\s:：=.,;)]|$))`,
  ].join('|')})`,
  'gi',
);

/** Elements that stand beside or below what they follow, and those that begin something else. */
const NEXT_ROW =
  /^(?:tr|table|thead|tbody|th|ul|ol|li|a|button|option|select|label|form|h\d|script|style|input)$/i;
const JOINT = /[:：=]|->/g;
/** The line holds a value and nothing else: no setting either, as of a file in which the one before it is empty. */
const ALONE =
  /(?!(?:[A-Z][A-Z\d]*_[A-Z\d_]{1,60}|[a-z]{2,20}(?:[._-][a-z]{2,20}){1,6})=[^=\s])(?:[^\s\\]{0,200}|[a-z]{3,8}(?: [a-z]{0,8}){0,24})[ \t]{0,8}(?:\r?\n|\\|$)/y;
const IN_A_ROW = /[^|\r\n]{0,200}(?:\||$)/y;

/** A name and what follows it, read without what sets them off. */
interface Reading {
  readonly view: View;
  /** Where the name begins in the view. */
  readonly at: number;
  /** Where the view begins in the text. */
  readonly from: number;
  /** Only its place, no sign, says that what follows is the value. */
  readonly isLoose: boolean;
}

/**
 * The same rule, whose value may also be set off from its name, or both from the text. Of one whose value stands before
 * its hint nothing is read in another way: the signs are looked for behind the hint.
 */
export function alsoDecorated(rule: Rule): Rule {
  return rule.before ? rule : { ...rule, find: orDecorated(rule.find) };
}

function orDecorated(find: Find): Find {
  const isOpen = (text: string, at: number): boolean => {
    if (find.isOpen?.(text, at) !== false) return true;
    const reading = readAt(text, at);
    return reading !== undefined && find.isOpen(reading.view.text, reading.at);
  };
  const either = (text: string, at: number): Span | undefined => {
    const plain = find(text, at);
    if (plain) return plain;
    const reading = readAt(text, at);
    const found = reading && find(reading.view.text, reading.at);
    if (!found || found.start < reading.at) return undefined;
    // Beside a name of a column or a field there are other such names.
    const value = reading.view.text.slice(found.start, found.end);
    if (reading.isLoose && isPlainWord(value)) return undefined;
    const { start, end } = reading.view.toOrigin(found);
    return { start: reading.from + start, end: reading.from + end };
  };
  return Object.assign(either, find.isOpen && { isOpen });
}

const NO_PLACE = { text: '', at: -1, reading: undefined };
/** Of the place that was read last: rules that share a hint ask about it one after another. */
let last: { readonly text: string; readonly at: number; readonly reading: Reading | undefined } = NO_PLACE;

/** Nothing of a text is remembered when it is done. */
export function forgetReading(): void {
  last = NO_PLACE;
}

/** undefined where nothing sets off what stands at `at`. */
function readAt(text: string, at: number): Reading | undefined {
  if (last.at !== at || last.text !== text) last = { text, at, reading: readingAt(text, at) };
  return last.reading;
}

function readingAt(text: string, at: number): Reading | undefined {
  if (!fitsAt(SIGN, text, at)) return undefined;
  const from = Math.max(0, at - BEFORE);
  const reader = new Reader(text.slice(from, at + AHEAD), at - from);
  return reader.isChanged ? { view: reader.view(), at: at - from, from, isLoose: reader.isLoose } : undefined;
}

/** Reads from a name on to the beginning of its value, and the emphasis of that. */
class Reader {
  isLoose = false;
  private readonly text: string;
  private readonly name: number;
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private readonly originStarts: number[] = [];
  private readonly originEnds: number[] = [];
  private result = '';
  private copied = 0;
  /** A sign or a place says that what follows is the value. */
  private isJoined = false;
  private hasBegun = false;
  /** Elements that were opened behind the beginning of the name. */
  private depth = 0;
  private isBehindElement = false;
  private isInCode = false;

  constructor(text: string, name: number) {
    this.text = text;
    this.name = name;
    const head = text.slice(0, name + HEAD);
    TOKEN.lastIndex = name;
    let tokens = 0;
    for (let match = TOKEN.exec(head); match && tokens < MAX_TOKENS; match = TOKEN.exec(head)) {
      tokens++;
      this.pass(Math.max(this.copied, name), match.index);
      if (!this.isJoined && match.index - name > MAX_NAME) break;
      const plain = this.plain(match);
      if (plain === undefined) break;
      this.rewrite(match.index, match.index + match[0].length, plain);
    }
  }

  get isChanged(): boolean {
    return this.starts.length > 0;
  }

  view(): View {
    return new View(this.result + this.text.slice(this.copied), {
      viewStart: this.starts,
      viewEnd: this.ends,
      originStart: this.originStarts,
      originEnd: this.originEnds,
    });
  }

  /** Notes what the text says between two things that set off. */
  private pass(from: number, to: number): void {
    const words = this.text.slice(from, to);
    if (words.trim() === '') return;
    this.isBehindElement = false;
    let value = this.isJoined ? 0 : -1;
    JOINT.lastIndex = 0;
    if (!this.isJoined) for (const joint of words.matchAll(JOINT)) value = joint.index + joint[0].length;
    if (value < 0) return;
    this.isJoined = true;
    if (words.slice(value).trim() !== '') this.hasBegun = true;
  }

  private rewrite(start: number, end: number, plain: string): void {
    this.result += this.text.slice(this.copied, start);
    this.starts.push(this.result.length);
    this.result += plain;
    this.ends.push(this.result.length);
    this.originStarts.push(start);
    this.originEnds.push(end);
    this.copied = end;
  }

  /** What stands for it; undefined: what is behind it is another matter. */
  private plain(match: RegExpExecArray): string | undefined {
    const [token, colour, attribute, end, element, bar, line, fence, quotes, code] = match;
    if (colour !== undefined) return '';
    if (quotes !== undefined) return '"';
    if (code !== undefined) return this.quote(match.index, token);
    if (attribute !== undefined) return this.hasBegun ? undefined : this.join('":');
    if (element !== undefined) return this.element(end === '/', element, /[\s\\]/.test(token) ? ' ' : '');
    if (bar !== undefined) return this.isCellBehind(match.index + token.length) ? this.join(': ') : undefined;
    if (line !== undefined) return this.line(match.index + token.length, fence !== undefined);
    return '';
  }

  private join(joint: string): string | undefined {
    if (this.hasBegun) return undefined;
    if (this.isJoined) return ' ';
    this.isJoined = true;
    this.isLoose = joint !== '":';
    return joint;
  }

  private quote(at: number, code: string): string {
    const behind = this.text.charAt(at + code.length);
    const isClosing = /^[\s\\:：=.,;)|<*_]?$/.test(behind) && /[^\s]/.test(this.text.charAt(at - 1));
    if (!isClosing) this.isInCode = true;
    else if (!this.isInCode) return '';
    return '"';
  }

  private element(isEnd: boolean, name: string, gap: string): string | undefined {
    if (this.hasBegun) return undefined;
    if (isEnd) {
      if (this.depth > 0) return undefined;
      this.isBehindElement = true;
      return gap;
    }
    const isBreak = /^br$/i.test(name);
    if (!isBreak && (NEXT_ROW.test(name) || this.depth > 3)) return undefined;
    if (!isBreak) this.depth++;
    return isBreak || this.isBehindElement ? this.join(': ') : gap;
  }

  /** Whether a row of a table goes on with another cell, and the row is the name's. */
  private isCellBehind(at: number): boolean {
    const line = this.text.slice(0, this.name);
    if (!/(?:^|\n|\\n|")[ \t]{0,8}\|[^\n]*$/.test(line) || /["'][^|]*$/.test(line)) return false;
    return fitsAt(IN_A_ROW, this.text, at);
  }

  private line(at: number, isFence: boolean): string | undefined {
    if (this.hasBegun) return undefined;
    if (!isFence && !fitsAt(ALONE, this.text, at)) return undefined;
    if (this.isJoined) {
      this.isLoose ||= !isFence;
      return ' ';
    }
    return isFence || /^[`*]?$/.test(this.text.charAt(at)) ? this.join(': ') : undefined;
  }
}
