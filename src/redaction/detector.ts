import { blobsIn } from './blobs.ts';
import type { Blob } from './blobs.ts';
import { isAlnum } from './characters.ts';
import { hasEscapes, unescaped } from './escapes.ts';
import { blank, isGlued, mergeFindings } from './findings.ts';
import { normalise } from './normalise.ts';
import { OpenPlaces } from './open-places.ts';
import { MAX_BEFORE_VALUE } from './open-values.ts';
import type { Rule, Span } from './rule.ts';
import { NO_FINDINGS, Scanner } from './scanner.ts';
import type { Finding } from './scanner.ts';
import type { UserRule } from './user-patterns.ts';
import { View } from './view.ts';

/** Codes within codes are read so deeply: `%2540`, base64 of JSON with `\u0040`. */
const MAX_DECODINGS = 2;
/** Before a place in a text that was decided, so much tells about what follows. */
const MAX_BEFORE = 256;
const NO_PLACES: readonly number[] = [];
const NO_SPANS: readonly Span[] = [];
const NON_ASCII = /[^\0-\x7f]/;
/** A code that is not whole yet, as `escapes.ts` reads them. */
const OPEN_CODE =
  /(?:%(?:[0-7]?|[c-f][0-9a-f]?(?:%[89ab]?[0-9a-f]?){0,3})|&(?:#x?[0-9a-f]*|[a-z]{0,8})|\\{1,4}(?:[ux][{0-9a-f]*)?)$/i;
const MAX_CODE = 16;
/** Each round can only reveal values next to the findings of the round before. */
const MAX_ROUNDS = 3;

/**
 * Finds what is to be hidden in a plain text: as it is written, as it reads without disguise, and as it decodes.
 * A text costs at most seven scans of its length, and one when nothing in it is disguised or encoded.
 */
export class Detector {
  private readonly scanner: Scanner;
  private readonly places: OpenPlaces;
  /** Finds heads of lists and tables. */
  private readonly heads: Scanner;
  private readonly users: readonly UserRule[];
  private readonly ranks = new Map<string, number>();
  private suspects: readonly number[] = NO_PLACES;

  /** @param rules the first ones name what several find @param names only makes the scan notice members' names */
  constructor(rules: readonly Rule[], names: Rule, users: readonly UserRule[]) {
    this.places = new OpenPlaces(rules);
    this.scanner = new Scanner([...rules, names]);
    this.heads = new Scanner(rules.flatMap(ruleOfHeads));
    this.users = users;
    for (const rule of [...rules, ...users.map((user) => user.rule)])
      this.ranks.set(rule.id, this.ranks.size);
  }

  /** In order and without overlaps; NO_FINDINGS when clean. */
  findings(text: string): readonly Finding[] {
    const found = this.withUsers(text, this.detect(text, 0));
    if (found.length === 0) return NO_FINDINGS;
    // A scan of what is decoded says nothing about this text.
    const { suspects } = this;
    const settled = this.settled(text, this.merged(text, found));
    this.suspects = suspects;
    return settled;
  }

  /**
   * As `findings`, and what is found without line breaks that are none: those between two entries of one thought.
   * What only this finds may start behind the break, where the word that tells of it lies across.
   * @param breaks where they stand, in order
   */
  findingsAcross(text: string, breaks: readonly number[]): readonly Finding[] {
    return this.findingsIn(text, withoutBreaks(text, breaks));
  }

  /** As `findings`, and what is found in the text as it is also read. */
  findingsIn(text: string, joined: View): readonly Finding[] {
    return this.together(text, this.findings(text), inOriginal(joined, this.findings(joined.text)));
  }

  /** What was found in a text, and in the text as it is also read. */
  together(text: string, found: readonly Finding[], others: readonly Finding[]): readonly Finding[] {
    return others.length === 0 ? found : this.merged(text, [...found, ...others]);
  }

  /** Of the text of the last call, if it is JSON: places, in order, whose members and literals must be looked at one by one. */
  get jsonSuspects(): readonly number[] {
    return this.suspects;
  }

  /**
   * From where on something may yet be found that begins there, however the text goes on: what is before that place is
   * as it will be. `from` where that cannot be told.
   * @param from what is before it has been decided
   */
  openFrom(text: string, from: number, breaks: readonly number[]): number {
    // How far a rule of the user's looks is unknown.
    if (this.users.length > 0) return from;
    const open = this.openIn(text, from);
    if (breaks.length === 0 || open === from) return open;
    const joined = withoutBreaks(text, breaks);
    const before = breaks.filter((at) => at < from).length;
    const openJoined = this.openIn(joined.text, from - before);
    return Math.max(from, Math.min(open, joined.toOrigin({ start: openJoined, end: openJoined }).start));
  }

  private openIn(text: string, from: number): number {
    const behind = text.slice(Math.max(0, from - MAX_CODE));
    // What a code says is only known when it is whole, and may be part of anything.
    if (OPEN_CODE.test(behind.slice(-MAX_CODE)) || hasEscapes(behind)) return from;
    const open = this.places.first(text, from);
    const start = Math.max(0, from - MAX_BEFORE);
    const tail = text.slice(start);
    const plain = NON_ASCII.test(tail) ? normalise(tail) : undefined;
    if (!plain) return open;
    const decided = normalise(text.slice(start, from))?.text.length ?? from - start;
    const openPlain = this.openIn(plain.text, decided);
    return Math.max(from, Math.min(open, start + plain.toOrigin({ start: openPlain, end: openPlain }).start));
  }

  /** The first head of a list or a table that may go on behind the end of the text. */
  openHead(text: string): Span | undefined {
    const [first] = this.heads.scan(text);
    return first;
  }

  /**
   * Where a value begins that the text ends in and that is hidden when the text goes on as values do.
   * @param hidden what is found in the text as it is
   */
  openValue(text: string, breaks: readonly number[], hidden: readonly Finding[]): number | undefined {
    const from = Math.max(0, text.length - MAX_BEFORE_VALUE);
    const tail = text.slice(from);
    const within = breaks.filter((at) => at >= from).map((at) => at - from);
    const views = [
      normalise(tail),
      unescaped(tail),
      within.length > 0 ? withoutBreaks(tail, within) : undefined,
    ];
    const open = [tail, ...views].flatMap((view) => {
      if (view === undefined) return [];
      const spans = [...this.places.openValues(typeof view === 'string' ? view : view.text)];
      return typeof view === 'string' ? spans : spans.map((span) => view.toOrigin(span));
    });
    const starts = open
      .map(({ start, end }) => ({ start: from + start, end: Math.min(from + end, text.length) }))
      .filter(({ start, end }) => !hidden.some((known) => known.start <= start && known.end >= end))
      .map(({ start }) => start);
    return starts.length === 0 ? undefined : Math.min(...starts);
  }

  private withUsers(text: string, found: readonly Finding[]): readonly Finding[] {
    if (this.users.length === 0) return found;
    const all = [...found];
    for (const user of this.users) {
      for (const span of user.findAll(text)) all.push({ ...span, rule: user.rule });
    }
    return all;
  }

  /**
   * @param within where the text may differ from one that was searched; anywhere without
   * @param heads where in that one hints of rules stand that look further behind them
   */
  private detect(
    text: string,
    decodings: number,
    within?: readonly Span[],
    heads = NO_SPANS,
  ): readonly Finding[] {
    let found = this.scan(text, within, heads);
    const { jsonSuspects: suspects, hadNonAscii } = this.scanner;
    const normal = hadNonAscii ? normalise(text) : undefined;
    if (normal) {
      const known = normal.inView(this.scanner.heads);
      found = [...found, ...inOriginal(normal, this.scan(normal.text, normal.changed(found, within), known))];
    }
    if (decodings < MAX_DECODINGS && !isAllHidden(text, found)) {
      const decoded = normal
        ? this.decoded(normal.text, decodings + 1, normal.inView(found), within && normal.inView(within))
        : this.decoded(text, decodings + 1, found, within);
      if (decoded.length > 0) found = [...found, ...(normal ? inOriginal(normal, decoded) : decoded)];
    }
    this.suspects = suspects;
    return found;
  }

  private scan(
    text: string,
    within: readonly Span[] | undefined,
    heads: readonly Span[],
  ): readonly Finding[] {
    return this.scanner.scan(text, within && around(text, within), heads);
  }

  /** Findings in what the text's codes say, each placed at the whole of its code. */
  private decoded(
    text: string,
    decodings: number,
    known: readonly Span[],
    within: readonly Span[] | undefined,
  ): readonly Finding[] {
    const plain = unescaped(text);
    const blobs = blobsIn(text);
    if (!plain && blobs.length === 0) return NO_FINDINGS;
    const heads = plain ? plain.inView(this.scanner.heads) : NO_SPANS;
    const found = plain
      ? [...inOriginal(plain, this.detect(plain.text, decodings, plain.changed(known, within), heads))]
      : [];
    for (const blob of touching(blobs, within)) {
      const inner = this.merged(blob.text, this.detect(blob.text, decodings));
      if (inner.length === 0) continue;
      const rule = inner.reduce((best, item) => (this.rank(item) < this.rank(best) ? item : best)).rule;
      found.push({ rule, start: blob.start, end: blob.end });
    }
    return found;
  }

  private merged(text: string, found: readonly Finding[]): readonly Finding[] {
    return mergeFindings(text, found, (finding) => this.rank(finding));
  }

  private rank(finding: Finding): number {
    return this.ranks.get(finding.rule.id) ?? 0;
  }

  /**
   * A value adjacent to a hidden one becomes a match of its own once the marker is in place. Such texts are scanned again
   * with the hidden parts blanked, so that redacting the result finds nothing more.
   */
  private settled(text: string, first: readonly Finding[]): readonly Finding[] {
    let findings = first;
    for (let round = 0; round < MAX_ROUNDS && isGlued(text, findings); round++) {
      const blanked = blank(text, findings);
      const more = this.detect(blanked, 0, findings).filter(
        (item) => !blanked.slice(item.start, item.end).includes('\0'),
      );
      if (more.length === 0) break;
      findings = this.merged(text, [...findings, ...more]);
    }
    return findings;
  }
}

/** Finds the head of what the rule finds. */
function ruleOfHeads(rule: Rule): readonly Rule[] {
  const { headAt } = rule.find;
  return headAt ? [{ ...rule, kind: 'CUSTOM', find: headAt }] : [];
}

function withoutBreaks(text: string, breaks: readonly number[]): View {
  const at = breaks.map((place, i) => place - i);
  let joined = '';
  let copied = 0;
  for (const place of breaks) {
    joined += text.slice(copied, place);
    copied = place + 1;
  }
  const ends = breaks.map((place) => place + 1);
  return new View(joined + text.slice(copied), {
    viewStart: at,
    viewEnd: at,
    originStart: breaks,
    originEnd: ends,
  });
}

/**
 * Where hints are searched again after a text has changed in `places`: a rule looks at most MAX_LOOK_AHEAD characters behind
 * its hint and MAX_LOOK_BACK before it, or as far as a key goes. Only lists and tables are longer; these have heads.
 */
function around(text: string, places: readonly Span[]): readonly Span[] {
  const wide: { start: number; end: number }[] = [];
  for (const place of places) {
    const last = wide.at(-1);
    let start = Math.max(0, place.start - MAX_LOOK_AHEAD);
    while (start > (last?.end ?? 0) && isInKey(text.charCodeAt(start - 1))) start--;
    const end = Math.min(text.length, place.end + MAX_LOOK_BACK);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else wide.push({ start, end });
  }
  return wide;
}

/** Those that lie in one of these places. */
function touching(blobs: readonly Blob[], places: readonly Span[] | undefined): readonly Blob[] {
  if (!places) return blobs;
  let next = 0;
  return blobs.filter((blob) => {
    while ((places[next]?.end ?? Infinity) < blob.start) next++;
    return (places[next]?.start ?? Infinity) <= blob.end;
  });
}

/** Of keys, and of tokens of several parts. */
function isInKey(unit: number): boolean {
  return isAlnum(unit) || KEY_SIGNS.has(unit);
}

const KEY_SIGNS = new Set(Array.from('-_.+/=|~,', (sign) => sign.charCodeAt(0)));
const MAX_LOOK_AHEAD = 2048;
const MAX_LOOK_BACK = 512;

function isAllHidden(text: string, found: readonly Finding[]): boolean {
  for (const { start, end } of found) if (start === 0 && end === text.length) return true;
  return false;
}

export function inOriginal(view: View, found: readonly Finding[]): readonly Finding[] {
  return found.length === 0
    ? NO_FINDINGS
    : found.map((finding) => ({ rule: finding.rule, ...view.toOrigin(finding) }));
}
