/** A group that is referred to is hardly longer. */
const MAX_REFERRED = 64;
/** UTF-16 units of a code point. */
const UNITS_OF_POINT = 2;

const GROUP = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/y;
const ATOM =
  /\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|k<[^>]*>|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[^])|\[(?:\\[^]|[^\]\\])*\]|[^]/y;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y;
const NO_WIDTH = /^(?:[$^]|\\[bB])$/;
const BACK_REFERENCE = /^\\(?:[1-9]|k<)/;

/**
 * How many UTF-16 units a pattern looks at from where it begins, at most: what it matches, and what it only looks ahead to.
 * Infinity where nothing bounds that.
 */
export function reachOf(pattern: RegExp): number {
  return new Reader(pattern.source, pattern.flags.includes('u')).alternatives();
}

/** Reads the syntax of ECMAScript's patterns without the `v` flag. */
class Reader {
  private readonly source: string;
  private readonly width: number;
  private at = 0;

  constructor(source: string, isUnicode: boolean) {
    this.source = source;
    this.width = isUnicode ? UNITS_OF_POINT : 1;
  }

  alternatives(): number {
    let longest = 0;
    let length = 0;
    while (this.at < this.source.length && this.source[this.at] !== ')') {
      if (this.source[this.at] === '|') {
        longest = Math.max(longest, length);
        length = 0;
        this.at++;
      } else length += this.term();
    }
    return Math.max(longest, length);
  }

  private term(): number {
    const length = this.atom();
    QUANTIFIER.lastIndex = this.at;
    const found = QUANTIFIER.exec(this.source);
    if (!found) return length;
    this.at += found[0].length;
    const [quantifier, least, comma, most] = found;
    if (quantifier.startsWith('?') || length === 0) return length;
    if (least === undefined || (comma !== '' && most === '')) return Infinity;
    return length * Number(comma === '' ? least : most);
  }

  private atom(): number {
    const group = this.take(GROUP);
    if (group !== '') {
      const length = this.alternatives();
      this.at++;
      return group === '(?<=' || group === '(?<!' ? 0 : length;
    }
    const atom = this.take(ATOM);
    if (NO_WIDTH.test(atom)) return 0;
    return BACK_REFERENCE.test(atom) ? MAX_REFERRED : this.width;
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source)?.[0] ?? '';
    this.at += found.length;
    return found;
  }
}
