import type { CellIdentity } from '../../model/cell-identity.ts';
import { clip } from '../../model/one-line.ts';
import { CELL_STATES, type CellCounts } from '../../telemetry/instruments.ts';

/** In which respects a cell that answers is not as it should be; it is served all the same. */
export type CellOddity = 'not_ready' | 'other_version' | 'other_settings' | 'clock_off' | 'restarted_empty';

/** What a gateway thinks of one of its cells. */
export interface CellVerdict {
  /** `unknown` before it was asked for the first time. `draining`: it takes nothing new, and still answers readers. */
  readonly state: 'unknown' | 'well' | 'away' | 'draining';
  /** Since when that is so; milliseconds since the Unix epoch. */
  readonly since: number;
  /** Why it is away, for people, behind its name; undefined while it is not. */
  readonly reason: string | undefined;
  /** It is away as it refuses the gateway's key; what senders send with theirs it takes all the same. */
  readonly isRefusal: boolean;
  /** In the order of their names. */
  readonly oddities: readonly CellOddity[];
  /** What it said of itself last; its `now` is not kept up. Undefined as long as it said nothing. */
  readonly identity: CellIdentity | undefined;
}

/** How many cells are in each state, and have each oddity; one cell may be counted by several, and is `well` only without oddities. */
export function countCells(verdicts: Iterable<CellVerdict>): CellCounts {
  const counts = Object.fromEntries(CELL_STATES.map((state) => [state, 0])) as Record<
    keyof CellCounts,
    number
  >;
  for (const { state, oddities } of verdicts) {
    if (state !== 'well' || oddities.length === 0) counts[state]++;
    for (const oddity of oddities) counts[oddity]++;
  }
  return counts;
}

/** Of the reasons that a cell gives so much is told. */
const MAX_REASON_CHARS = 300;

const ODD: Readonly<Record<Exclude<CellOddity, 'not_ready'>, string>> = {
  other_version: 'is of another version than this gateway',
  other_settings: 'has other settings than most cells, so it shows the same otherwise',
  clock_off: 'has a clock that differs by more than 5 seconds',
  restarted_empty: 'was started anew with nothing of what it had',
};

/** What people should know of a cell, one sentence for each; empty while it is well. */
export function cellNotices(
  name: string,
  { state, since, reason, oddities, identity }: CellVerdict,
): readonly string[] {
  const odd = (oddity: CellOddity): string =>
    oddity === 'not_ready'
      ? `is not ready: ${clip(identity?.reasons.join('; ') ?? '', MAX_REASON_CHARS)}`
      : ODD[oddity];
  const notices = oddities.map((oddity) => `cell ${name} ${odd(oddity)}`);
  if (state === 'away') {
    // Of one that said nothing yet this gateway has nothing to show.
    const shown = identity === undefined ? '' : ', what it has is shown as it was';
    notices.unshift(
      `cell ${name} is away since ${new Date(since).toISOString()}${shown}: it ${reason ?? ''}`,
    );
  }
  if (state === 'draining') notices.unshift(`cell ${name} is being stopped: it takes nothing new`);
  return notices;
}
