import { blobsIn } from './blobs.ts';
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
  /** For rules that look further behind their hints than the others. */
  private readonly rows: Scanner;
  private readonly places: OpenPlaces;
  private readonly users: readonly UserRule[];
  private readonly ranks = new Map<string, number>();
  private suspects: readonly number[] = NO_PLACES;

  /** @param rules the first ones name what several find @param names only makes the scan notice members' names */
  constructor(rules: readonly Rule[], names: Rule, users: readonly UserRule[]) {
    this.places = new OpenPlaces(rules);
    this.scanner = new Scanner([...rules, names]);
    this.rows = new Scanner(rules.filter(({ reachesRows }) => reachesRows));
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

  /** @param within where the text may differ from one that was searched; anywhere without */
  private detect(text: string, decodings: number, within?: readonly Span[]): readonly Finding[] {
    let found = this.scan(text, within);
    const { jsonSuspects: suspects, hadNonAscii } = this.scanner;
    const normal = hadNonAscii ? normalise(text) : undefined;
    if (normal)
      found = [...found, ...inOriginal(normal, this.scan(normal.text, normal.changed(found, within)))];
    if (decodings < MAX_DECODINGS && !isAllHidden(text, found)) {
      const decoded = normal
        ? this.decoded(normal.text, decodings + 1, normal.inView(found), within && normal.inView(within))
        : this.decoded(text, decodings + 1, found, within);
      if (decoded.length > 0) found = [...found, ...(normal ? inOriginal(normal, decoded) : decoded)];
    }
    this.suspects = suspects;
    return found;
  }

  private scan(text: string, within: readonly Span[] | undefined): readonly Finding[] {
    if (!within) return this.scanner.scan(text);
    const parts = around(within, text.length);
    const found = this.scanner.scan(text, parts);
    const above = before(parts);
    return above.length === 0 ? found : [...found, ...this.rows.scan(text, above)];
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
    const found = plain
      ? [...inOriginal(plain, this.detect(plain.text, decodings, plain.changed(known, within)))]
      : [];
    for (const blob of blobs) {
      if (within?.some((span) => blob.start <= span.end && span.start <= blob.end) === false) continue;
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
 * its hint and MAX_LOOK_BACK before it. Only keys are longer, whose beginning was found before the change, and tables.
 */
function around(places: readonly Span[], length: number): readonly Span[] {
  const wide: { start: number; end: number }[] = [];
  for (const place of places) {
    const start = Math.max(0, place.start - MAX_LOOK_AHEAD);
    const end = Math.min(length, place.end + MAX_LOOK_BACK);
    const last = wide.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else wide.push({ start, end });
  }
  return wide;
}

/** What lies in front of these parts, as far as the head of a table may be from its last row. */
function before(parts: readonly Span[]): readonly Span[] {
  let end = 0;
  return parts.flatMap((part) => {
    const start = Math.max(end, part.start - MAX_TABLE);
    end = part.end;
    return start < part.start ? [{ start, end: part.start }] : [];
  });
}

/** 64 rows of 800 characters. */
const MAX_TABLE = 51_200;
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
