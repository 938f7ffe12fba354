import { GUARD_LIMITS, type GuardLimit, type GuardLimits } from './guard.ts';

/** What is known of the steps that a guard looks at. Times are epoch milliseconds. */
export interface Figures {
  /** How many steps run. */
  readonly running: number;
  /** When the first one began, and the last one began or ended. */
  readonly start: number;
  readonly end: number;
  /** When something came that does not repeat what was there. */
  readonly newAt: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly depth: number;
  readonly handovers: number;
  /** How many do the same as one another, at the most. */
  readonly sameStep: number;
  stepsInMinuteTo(now: number): number;
}

/** A limit that is reached. */
export interface Exceeded {
  readonly limit: GuardLimit;
  readonly figure: number;
  readonly bound: number;
}

const SECOND_MS = 1000;

const FIGURES: Readonly<Record<GuardLimit, (figures: Figures, now: number) => number>> = {
  runningSeconds: ({ running, start, end }, now) => ((running > 0 ? now : end) - start) / SECOND_MS,
  tokens: ({ tokens }) => tokens,
  costUsd: ({ costUsd }) => costUsd,
  depth: ({ depth }) => depth,
  handovers: ({ handovers }) => handovers,
  sameStep: ({ sameStep }) => sameStep,
  stepsPerMinute: (figures, now) => figures.stepsInMinuteTo(now),
  nothingNewSeconds: ({ running, newAt }, now) => (running > 0 ? (now - newAt) / SECOND_MS : 0),
};

/** The limits that are reached now. */
export function exceeded(limits: GuardLimits, figures: Figures, now: number): readonly Exceeded[] {
  return GUARD_LIMITS.flatMap((limit) => {
    const bound = limits[limit];
    const figure = bound === undefined ? 0 : FIGURES[limit](figures, now);
    return bound !== undefined && figure >= bound ? [{ limit, figure, bound }] : [];
  });
}

/** When a limit of time will be reached though nothing comes; those that are already are left out. */
export function reachedAt(limits: GuardLimits, { running, start, newAt }: Figures, now: number): number {
  const { runningSeconds, nothingNewSeconds } = limits;
  if (running === 0) return Infinity;
  const times = [
    start + (runningSeconds ?? Infinity) * SECOND_MS,
    newAt + (nothingNewSeconds ?? Infinity) * SECOND_MS,
  ];
  return Math.min(...times.filter((time) => time > now), Infinity);
}
