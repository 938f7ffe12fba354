import { firstLine } from './one-line.ts';

/** One way that was considered: a plan, a candidate answer. */
export interface Alternative {
  readonly text?: string;
  /** Of an ensemble that voted. */
  readonly votes?: number;
  readonly score?: number;
}

/** What a thought says about itself by tags (founding spec 10.2) and by the confidence figures that agents write. */
export interface ThoughtTags {
  readonly why?: string;
  readonly how?: string;
  readonly alternatives?: readonly Alternative[];
  /** 0 to 1. */
  readonly confidence?: number;
}

/** A tag's text, in characters: `details` stay small, and the whole text is kept beside them. */
const MAX_TAG_CHARS = 300;
/** Plans of one decision that are told apart. */
export const MAX_ALTERNATIVES = 16;
/** Tags and figures are looked for up to here. */
export const MAX_SEARCHED_CHARS = 64 * 1024;
/** Tags of one text; the first of each name counts, alternatives add up. */
const MAX_TAGS = 64;

/** Cheap enough to ask of every text. */
const ANY_SIGN = /[{<[](?:why|how|alternatives?)\b|confiden/i;
const TAG = /([{<[])(why|how|alternatives?)([}>\]]|\s{0,4}:)/gi;
const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '<': '>', '[': ']' };

/**
 * Tags as `{why} …`, `{why: …}`, `<why>…</why>` or `[why] …`, and `confidence: 0.82`, `Confidence = 85%`,
 * `(confidence 7/10)`. A tag without an end reaches to the next tag or blank line. Undefined when there is none.
 * Linear in the text's length.
 */
export function thoughtTags(text: string): ThoughtTags | undefined {
  const searched = text.slice(0, MAX_SEARCHED_CHARS);
  if (!ANY_SIGN.test(searched)) return undefined;
  const found: { why?: string; how?: string; alternatives?: readonly Alternative[]; confidence?: number } =
    {};
  const alternatives: Alternative[] = [];
  for (const [name, body] of taggedTexts(searched)) {
    if (name === 'why') found.why ??= clipped(body);
    else if (name === 'how') found.how ??= clipped(body);
    else alternatives.push(...alternativesOf(body, name === 'alternatives'));
  }
  if (alternatives.length > 0) found.alternatives = alternatives.slice(0, MAX_ALTERNATIVES);
  const confidence = confidenceOf(searched);
  if (confidence !== undefined) found.confidence = confidence;
  return Object.keys(found).length === 0 ? undefined : found;
}

function* taggedTexts(text: string): Generator<readonly [name: string, body: string]> {
  const tags = [];
  for (const tag of text.matchAll(TAG)) {
    // `{why>` is no tag.
    const [, opener = '', , end = ''] = tag;
    if (end.endsWith(':') ? opener !== '<' : end === CLOSERS[opener]) tags.push(tag);
    if (tags.length === MAX_TAGS) break;
  }
  for (const [index, tag] of tags.entries()) {
    const [whole, opener = '', name = '', end = ''] = tag;
    const body = text.slice(tag.index + whole.length, tags[index + 1]?.index);
    const trimmed = bodyOf(body, opener, name, end.endsWith(':'));
    if (trimmed !== '') yield [name.toLowerCase(), trimmed];
  }
}

/** @param body up to the next tag @param isInside the text stands inside the tag's own brackets */
function bodyOf(body: string, opener: string, name: string, isInside: boolean): string {
  if (isInside) return body.slice(0, endOf(body, CLOSERS[opener] ?? '')).trim();
  const closing = endOf(body.toLowerCase(), `${opener}/${name.toLowerCase()}${CLOSERS[opener] ?? ''}`);
  if (closing < body.length) return body.slice(0, closing).trim();
  const started = body.trimStart();
  const blank = /\n[ \t]{0,64}\n/.exec(started);
  return started.slice(0, blank?.index).trim();
}

function endOf(text: string, mark: string): number {
  const at = text.indexOf(mark);
  return at < 0 ? text.length : at;
}

function clipped(text: string): string {
  return firstLine(text, MAX_TAG_CHARS);
}

const ITEM = /^\s{0,32}(?:[-*\u2022]|\(?(?:\d{1,3}|[a-hA-H])[.):])\s{1,8}(.*)$/;

/** The items of a list, else parts between semicolons, else one whole. */
function alternativesOf(body: string, isList: boolean): Alternative[] {
  const lines = body.split('\n').slice(0, MAX_ALTERNATIVES * 8);
  const items = lines.filter((line) => ITEM.test(line)).length;
  if (items === 0) {
    const parts = isList ? (lines.length > 1 ? lines : body.split(/[;|]/, MAX_ALTERNATIVES)) : [body];
    return parts
      .map((part) => part.trim())
      .filter((part) => part !== '' && !ONLY_CONFIDENCE.test(part))
      .map(alternativeOf);
  }
  const texts: string[] = [];
  for (const line of lines) {
    const item = ITEM.exec(line)?.[1];
    if (item !== undefined) texts.push(item);
    else if (texts.length > 0) texts.push(`${texts.pop() ?? ''} ${line}`);
  }
  return texts.map(alternativeOf);
}

/** A line about all of the alternatives, and none itself. */
const ONLY_CONFIDENCE =
  /^[*_\s]{0,4}(?:overall )?confidence(?: (?:level|score))?[*_]{0,2}\s{0,4}[:=][*_\s\d.%/]{0,24}$/i;

const VOTES = /\b(?:votes?\s{0,4}[:=]\s{0,4}(\d{1,6})|(\d{1,6})\s{1,4}votes?)\b/i;
const SCORE =
  /\b(?:score|confidence|probability)\s{0,4}[:=]?\s{0,4}(\d{1,3}(?:\.\d{1,9})?)(?![\d.]{0,9}[%/\d])/i;

function alternativeOf(text: string): Alternative {
  const window = text.slice(0, MAX_TAG_CHARS * 4);
  const [, after, before] = VOTES.exec(window) ?? [];
  const score = SCORE.exec(window)?.[1];
  const votes = after ?? before;
  return {
    text: clipped(window),
    ...(votes === undefined ? {} : { votes: Number(votes) }),
    ...(score === undefined ? {} : { score: Number(score) }),
  };
}

const CONFIDENCE =
  /\bconfidence(?:[ _-](?:level|score))?["'*]{0,3}\s{0,4}(?:[:=]|is|of)?\s{0,4}["'*]{0,3}\s{0,4}(\d{1,3}(?:\.\d{1,9})?)\s{0,2}(%|\/\s{0,2}(?:10|100|5)\b)?/gi;

/** The last figure: what the agent ended with. Undefined when it is not on a scale that can be told. */
function confidenceOf(text: string): number | undefined {
  let last: number | undefined;
  for (const [, figure = '', scale = ''] of text.matchAll(CONFIDENCE)) {
    const full = scale === '' ? 1 : scale === '%' ? 100 : Number(scale.slice(1).trim());
    const share = Number(figure) / full;
    if (share >= 0 && share <= 1) last = Number(share.toPrecision(6));
  }
  return last;
}
