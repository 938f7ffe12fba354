/** A pattern of messages of MEW, as its gateway has them: what matches may be said. */
export interface Capability {
  /** A kind; `*` for all; or ending in `/*`, for all that are below it. */
  readonly kind: string;
  /** Each of its fields must be in the payload. */
  readonly payload?: PayloadPattern | undefined;
}

export interface PayloadPattern {
  /** The value itself; `!value`, any other or none; ending in `*`, what begins so; or what a field within must be. */
  readonly [field: string]: string | PayloadPattern;
}

/** As much of a message as patterns see. */
export interface Sayable {
  readonly kind: string;
  readonly payload: unknown;
}

/** Kinds have two or three words. */
const MAX_TOLD_CHARS = 200;

/** May it be said by who has these capabilities? Who has no list may say everything. */
export function maySay(capabilities: readonly Capability[] | undefined, message: Sayable): boolean {
  return capabilities === undefined || capabilities.some((one) => covers(one, message));
}

/** @param needed what its capabilities would have to hold */
export function whyNot(needed: Capability): string {
  const isShort = needed.kind.length <= MAX_TOLD_CHARS;
  return `the capabilities of this key do not allow ${
    isShort ? `${needed.kind}: it would need ${JSON.stringify(needed)}` : 'a kind as long as this'
  }`;
}

function covers({ kind, payload }: Capability, message: Sayable): boolean {
  return coversKind(kind, message.kind) && (payload === undefined || coversPayload(payload, message.payload));
}

function coversKind(pattern: string, kind: string): boolean {
  if (pattern === '*') return true;
  return pattern.endsWith('/*') ? kind.startsWith(pattern.slice(0, -1)) : kind === pattern;
}

function coversPayload(pattern: PayloadPattern, payload: unknown): boolean {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return false;
  return Object.entries(pattern).every(([field, wanted]) => {
    const value: unknown = Object.hasOwn(payload, field) ? (payload as Fields)[field] : undefined;
    return typeof wanted === 'string' ? coversText(wanted, value) : coversPayload(wanted, value);
  });
}

interface Fields {
  readonly [field: string]: unknown;
}

function coversText(wanted: string, value: unknown): boolean {
  if (wanted.startsWith('!')) return value !== wanted.slice(1);
  if (!wanted.endsWith('*')) return value === wanted;
  return typeof value === 'string' && value !== '' && value.startsWith(wanted.slice(0, -1));
}
