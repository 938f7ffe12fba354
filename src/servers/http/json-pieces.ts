import type { ListOf } from '../../exporters/lists.ts';

/** Items of a list that become JSON in one step: well under a millisecond. */
const STEP_ITEMS = 200;
/** Characters, about: what is sent together costs less than what is sent alone. */
const PIECE_CHARS = 64 * 1024;

/** The JSON of a large value, piece by piece: each is made when it is asked for. Joined they are what JSON.stringify says. */
export function jsonPieces(value: object): Generator<string, void> {
  return joined(steps(value));
}

/** A list whose items are made when they become JSON. */
class LazyList<A, B> {
  private readonly items: readonly A[];
  private readonly make: (item: A) => B;

  constructor(items: readonly A[], make: (item: A) => B) {
    this.items = items;
    this.make = make;
  }

  get length(): number {
    return this.items.length;
  }

  slice(from: number, to: number): readonly B[] {
    return this.items.slice(from, to).map(this.make);
  }
}

/** For values of which nothing is asked but their JSON, by `jsonPieces`. */
export const madeWhenWritten: ListOf = <A, B>(items: readonly A[], make: (item: A) => B) =>
  new LazyList(items, make) as unknown as readonly B[];

/** The same text in fewer pieces. An empty one stays: it is a place to rest. */
export function* joined(texts: Iterable<string>): Generator<string, void> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (text !== '' && piece.length < PIECE_CHARS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** Objects are walked field by field down to the lists in them, and these some items at a time. */
function* steps(value: unknown): Generator<string, void> {
  if (Array.isArray(value) || value instanceof LazyList) {
    yield '[';
    for (let at = 0; at < value.length; at += STEP_ITEMS) {
      const items = JSON.stringify(value.slice(at, at + STEP_ITEMS)).slice(1, -1);
      yield at === 0 ? items : `,${items}`;
    }
    yield ']';
  } else if (typeof value === 'object' && value !== null) {
    let between = '{';
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined) continue;
      yield `${between}${JSON.stringify(name)}:`;
      yield* steps(field);
      between = ',';
    }
    yield between === '{' ? '{}' : '}';
  } else yield JSON.stringify(value);
}
