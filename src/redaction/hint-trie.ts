import { assert } from '../base/assert.ts';
import { unitsOf } from '../base/units.ts';
import type { Rule } from './rule.ts';

/** Characters that hints are made of. */
const HINT_CHARACTERS = /^[a-z0-9,;\-_:/@=+.<>[{("?&% $~'\\)\]}*`|\p{Cc}\u0080-\uffff]{3,}$/u;

/**
 * The scan sees characters as one of 32 classes: 1 to 26 are letters of either case, and what is not listed is 0. What is
 * beyond ASCII is spread over the letters, since any of these can be in a hint and none begins a number or an address.
 */
export const DIGIT = 27;
export const AT = 28;
export const COLON = 29;
export const SIGN = 30;
const SPACE = 31;
export const CLASSES = new Uint8Array(65_536);
for (let unit = 0x80; unit < CLASSES.length; unit++) CLASSES[unit] = 1 + (unit % 26);
for (let i = 0; i < 26; i++) CLASSES[65 + i] = CLASSES[97 + i] = i + 1;
for (const digit of '0123456789') CLASSES[digit.charCodeAt(0)] = DIGIT;
for (const sign of `-_/=+.<"?&%$~'\\)]}`) CLASSES[sign.charCodeAt(0)] = SIGN;
CLASSES['@'.charCodeAt(0)] = AT;
CLASSES[':'.charCodeAt(0)] = COLON;
CLASSES[' '.charCodeAt(0)] = SPACE;

/** Three classes in a row are a number below this. */
export const TRIPLES = 1 << 15;
export const TRIPLE_MASK = TRIPLES - 1;

/** The classes of the characters at `at` and the two behind it. */
export function tripleAt(units: Uint16Array, at: number): number {
  return (classAt(units, at) << 10) | (classAt(units, at + 1) << 5) | classAt(units, at + 2);
}

export function classAt(units: Uint16Array, at: number): number {
  return CLASSES[units[at] as number] as number;
}

/** A literal, and the rules whose hint it is. */
export interface Hint {
  readonly units: Uint16Array;
  readonly wordStart: boolean;
  readonly rules: Rule[];
}

/** @param hints by their literals and whether these must begin a word */
export function addHint(hints: Map<string, Hint>, literal: string, rule: Rule): void {
  assert(HINT_CHARACTERS.test(literal), `hint of ${rule.id}: ${literal}`);
  const { wordStart = false } = rule;
  const name = `${wordStart} ${literal}`;
  const known = hints.get(name);
  if (known) known.rules.push(rule);
  else hints.set(name, { units: unitsOf(literal).slice(0, literal.length), wordStart, rules: [rule] });
}

/** The hints that begin with the same classes. */
interface Node {
  readonly hints: readonly Hint[];
  readonly depth: number;
}

/** The least and the most characters of a hint that are hashed: `mayBegin` compares these alone. */
const MIN_BEGINNING = 3;
const MAX_BEGINNING = 5;
const HASH_BITS = 16;

/**
 * All hints by the classes of their characters. Each node has a bit for each class that goes on from it, and its children lie
 * in their order, so that all of it stays in the processor's caches.
 */
export class HintTrie {
  /** By the classes of the first three characters; 0 where no hint begins so. */
  private readonly roots = new Uint16Array(TRIPLES);
  /** By the hash of a beginning: a bit for its length. */
  private readonly beginnings = new Uint8Array(1 << HASH_BITS);
  private readonly masks: Uint32Array;
  private readonly firsts: Uint16Array;
  /** In the order of their nodes: a hint belongs to the node at which it ends, or is the only one left. */
  private readonly hints: Hint[] = [];
  /** By node: the number of its first hint. */
  private readonly hintStarts: Uint16Array;
  /** All literals in the order of their hints, and by hint where its own begins. */
  private readonly literals: Uint16Array;
  private readonly literalStarts: Uint32Array;

  constructor(hints: readonly Hint[]) {
    const nodes: Node[] = [{ hints: [], depth: 0 }];
    for (const [triple, alike] of Map.groupBy(hints, ({ units }) => tripleAt(units, 0)))
      this.roots[triple] = nodes.push({ hints: alike, depth: 3 }) - 1;
    for (const { units } of hints) {
      const length = Math.min(units.length, MAX_BEGINNING);
      let hash = hashOf(units, 0);
      for (let i = MIN_BEGINNING; i < length; i++) hash = hashed(hash, units[i] as number);
      const place = hash >>> (32 - HASH_BITS);
      this.beginnings[place] = (this.beginnings[place] as number) | (1 << (length - MIN_BEGINNING));
    }
    const masks: number[] = [0];
    const firsts: number[] = [0];
    const hintStarts: number[] = [0];
    for (let i = 1; i < nodes.length; i++) {
      const { hints: alike, depth } = nodes[i] as Node;
      // A hint that is alone needs no further nodes: it is compared with the text.
      const isEnd = ({ units }: Hint): boolean => alike.length === 1 || units.length === depth;
      hintStarts.push(this.hints.length);
      this.hints.push(...alike.filter(isEnd));
      firsts.push(nodes.length);
      const next = Map.groupBy(
        alike.filter((hint) => !isEnd(hint)),
        ({ units }) => classAt(units, depth),
      );
      let mask = 0;
      for (const [kind, longer] of [...next].sort(([a], [b]) => a - b)) {
        mask |= 1 << kind;
        nodes.push({ hints: longer, depth: depth + 1 });
      }
      masks.push(mask);
    }
    assert(Math.max(nodes.length, this.hints.length) < 1 << 16, 'numbers of nodes and hints have 16 bits');
    this.masks = Uint32Array.from(masks);
    this.firsts = Uint16Array.from(firsts);
    this.hintStarts = Uint16Array.from([...hintStarts, this.hints.length]);
    this.literals = Uint16Array.from(this.hints.flatMap(({ units }) => [...units]));
    let end = 0;
    this.literalStarts = Uint32Array.from([0, ...this.hints.map(({ units }) => (end += units.length))]);
  }

  /** Whether a hint may stand at `at`: 1 or 0, without a branch. */
  mayBegin(units: Uint16Array, at: number): number {
    const { beginnings } = this;
    const three = hashOf(units, at);
    const four = hashed(three, lower(units[at + 3] as number));
    const five = hashed(four, lower(units[at + 4] as number));
    return (
      ((beginnings[three >>> (32 - HASH_BITS)] as number) |
        ((beginnings[four >>> (32 - HASH_BITS)] as number) >>> 1) |
        ((beginnings[five >>> (32 - HASH_BITS)] as number) >>> 2)) &
      1
    );
  }

  /** The node of the classes of the three characters at `at`; 0 for none. */
  rootAt(units: Uint16Array, at: number): number {
    return this.roots[tripleAt(units, at)] as number;
  }

  /** The node behind `node` where a character of this class follows; 0 for none. */
  child(node: number, kind: number): number {
    const mask = this.masks[node] as number;
    if (((mask >>> kind) & 1) === 0) return 0;
    return (this.firsts[node] as number) + bitsIn(mask & ((1 << kind) - 1));
  }

  /** The number of the first hint of `node`; its hints end below `firstHint(node + 1)`. */
  firstHint(node: number): number {
    return this.hintStarts[node] as number;
  }

  hint(number: number): Hint {
    return this.hints[number] as Hint;
  }

  stands(number: number, units: Uint16Array, at: number): boolean {
    const { literals } = this;
    const start = this.literalStarts[number] as number;
    const shift = at - start;
    // The last characters differ more often than the first ones.
    for (let k = (this.literalStarts[number + 1] as number) - 1; k >= start; k--)
      if (lower(units[k + shift] as number) !== literals[k]) return false;
    return true;
  }
}

function hashOf(units: Uint16Array, at: number): number {
  return hashed(
    hashed(hashed(0, lower(units[at] as number)), lower(units[at + 1] as number)),
    lower(units[at + 2] as number),
  );
}

function hashed(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x9e37_79b1);
}

function bitsIn(mask: number): number {
  let bits = mask - ((mask >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** Without a branch. */
function lower(unit: number): number {
  return unit + ((((64 - unit) & (unit - 91)) >>> 31) << 5);
}
