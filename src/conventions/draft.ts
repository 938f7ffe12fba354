import type { Details, PartialStep, Texts, Usage } from './convention.ts';

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

/** A step while conventions fill it, strongest first: what one has said, no later one changes. */
export interface Draft extends Writable<Omit<PartialStep, 'details' | 'texts' | 'usage' | 'heard'>> {
  /** The first to count tokens counts them all: two conventions' ways of counting are never mixed. */
  usage: Writable<Usage>;
  details: Writable<Details>;
  texts: Writable<Texts>;
  /** A convention has spoken. */
  isBegun?: true | undefined;
  /** `texts.prompt` was written by a user. */
  byUser?: true | undefined;
  /** `texts.prompt` came as a text without a role. */
  isPlain?: true | undefined;
  /** What the model was told since it last spoke, and what it said then. */
  heardTexts?: readonly string[] | undefined;
  /** Who decided the type, the model, the tokens. */
  typeBy?: string | undefined;
  modelBy?: string | undefined;
  usageBy?: string | undefined;
  /** Who said `container` without a type: holds when nobody says a type. */
  vaguelyContainer?: string | undefined;
  /** `field: stronger≠weaker`. */
  contradictions?: string[] | undefined;
}

export function newDraft(): Draft {
  return { usage: {}, details: {}, texts: {} };
}
