/** Thrown when an invariant of the program itself is broken: a bug, never bad input. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Stops at once where going on would mean working with a state that must not exist. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** For the default branch of an exhaustive switch. */
export function unreachable(value: never): never {
  throw new InvariantError(`unreachable: ${String(value)}`);
}
