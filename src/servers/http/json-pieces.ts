/** Items of a list that become JSON in one step: well under a millisecond. */
const STEP_ITEMS = 200;
/** Characters, about: what is sent together costs less than what is sent alone. */
const PIECE_CHARS = 64 * 1024;

/** The JSON of a large value, piece by piece: each is made when it is asked for. Joined they are what JSON.stringify says. */
export function jsonPieces(value: object): Generator<string, void> {
  return joined(steps(value));
}

/** The same text in fewer pieces. */
export function* joined(texts: Iterable<string>): Generator<string, void> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < PIECE_CHARS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** Objects are walked field by field down to the lists in them, and these some items at a time. */
function* steps(value: unknown): Generator<string, void> {
  if (Array.isArray(value)) {
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
