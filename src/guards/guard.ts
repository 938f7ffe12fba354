/** What a guard may limit; each is reached when its figure is as large. */
export const GUARD_LIMITS = [
  'runningSeconds',
  'tokens',
  'costUsd',
  'depth',
  'handovers',
  'sameStep',
  'stepsPerMinute',
  'nothingNewSeconds',
] as const;
export type GuardLimit = (typeof GUARD_LIMITS)[number];

export type GuardLimits = { readonly [limit in GuardLimit]?: number | undefined };

/** A rule of the configuration that warns, or has somebody stopped, by itself. */
export interface Guard {
  readonly name: string;
  /** Whose tasks these are; those of the default project if absent. */
  readonly project?: string | undefined;
  /** Whose steps count; everybody's if absent. */
  readonly agents?: readonly string[] | undefined;
  /** Of which tasks; of all if absent. */
  readonly tasks?: readonly string[] | undefined;
  /** Are the figures those of a task, or of each agent in it? */
  readonly per: 'task' | 'agent';
  readonly limits: GuardLimits;
  readonly action: 'warn' | 'interrupt';
  readonly dryRun: boolean;
  readonly coolDownSeconds: number;
}

/** Does one of the patterns, in which `*` stands for anything, fit the whole text? In linear time. */
export function fitsAny(patterns: readonly string[] | undefined, text: string): boolean {
  return patterns === undefined || patterns.some((pattern) => fits(pattern, text));
}

function fits(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
