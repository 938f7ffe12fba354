import { idKeys, type Run } from './run.ts';

/** Runs with one id that are told apart; where there are more, it says nothing. */
export const MAX_MEANT = 16;

/** The event may be of one run or of another: it is of none. */
export const UNCLEAR = 'unclear';

export interface Meaning {
  /** Of what the event is about. */
  readonly ids: readonly string[];
  /** Runs from before its body that have one of them, as they are now; those that go on at the end, and the last one last. */
  readonly known: readonly Run[];
  /** The run of its body that has one of them, and is over. */
  readonly own: Run | undefined;
  /** The run that goes on, or that the body began, and is the event's where nothing speaks for another one. */
  readonly goesOn: Run | undefined;
  /** A run began in the body. */
  readonly hasBegun: boolean;
  /** All runs of the sender are of one task. */
  readonly isOneTask: boolean;
  /** No more than one run of the sender goes on. */
  readonly isAlone: boolean;
  readonly isChunk: boolean;
}

/**
 * The run of an event whose sender names none, by the ids of what it is about. Ids are no names: programs use theirs again
 * (`msg-1`, `call_0`), so one that another run has as well says nothing where that may be the one of somebody else.
 * @returns undefined: the one that goes on
 */
export function runMeant(meaning: Meaning): Run | typeof UNCLEAR | undefined {
  const { ids, known, own, goesOn, hasBegun, isAlone, isChunk } = meaning;
  const open = known.filter(({ isOver }) => !isOver);
  if (open.length > 0) {
    if (hasBegun || known.length > MAX_MEANT) return UNCLEAR;
    const waiting = open.filter((run) => ids.some((id) => isOpen(run, id)));
    if (waiting.length === 1) return waiting[0];
    return open.length === 1 && isAlone ? open[0] : UNCLEAR;
  }
  if (isChunk && goesOn) return undefined;
  if (own) return own;
  const over = known.filter((run) => run.isOver);
  const last = over.at(-1);
  if (!last) return undefined;
  const isSame = (run: Run): boolean => isOneConversation(run, goesOn ?? last, meaning);
  if (goesOn) return over.findLast(isSame);
  return isAlone && over.every(isSame) ? last : UNCLEAR;
}

/** Is something of that id under way, so that more of it is to come? */
function isOpen(run: Run, id: string): boolean {
  return idKeys(id).some((key) => run.things.get(key)?.isOpen === true);
}

/** An answer may come in a later run than what it answers. */
function isOneConversation(one: Run, other: Run, { isOneTask }: Meaning): boolean {
  const thread = one.attributes['agui.thread'];
  return isOneTask || one === other || (thread !== undefined && thread === other.attributes['agui.thread']);
}
