import type { Noticed } from './noticed.ts';

/** What steps over many tasks have to do with how these ended, what they cost and how long they took. */
export interface PatternsAnswer extends Noticed {
  /** By `p`, then by failed steps, then by cost. At most 200: the first by p, by failed steps, by cost and by latency. */
  readonly patterns: readonly Pattern[];
  /** The tasks that were looked at and have a step that matches: those with an ERROR, and the others that are over. */
  readonly tasks: { readonly failed: number; readonly passed: number };
  /** How many kinds were tested; `p` goes by it. */
  readonly tested: number;
  /** How to read the answer, for people. */
  readonly notice: string;
  /** There are more tasks, the older ones, or more kinds. */
  readonly truncated?: true;
}

/** A kind of step, of agent, of tool, of model or of type. */
export interface Pattern {
  readonly what: PatternKind;
  /** How many of the failed tasks have it, and of the passed ones. */
  readonly failed: number;
  readonly passed: number;
  /** How many steps are of it, and how many of these are an ERROR. */
  readonly steps: number;
  readonly errors: number;
  /** Sum of the steps that have one. */
  readonly costUsd?: number;
  /** Mean of the steps that have one and contain no steps. */
  readonly latencyMs?: number;
  /** Fisher's exact test, two-sided: is it as frequent in failed tasks as in passed ones? */
  readonly fisher: number;
  /** That, after Benjamini and Hochberg: of the patterns up to this one so large a share is there by chance. */
  readonly p: number;
}

/** One field: whatever has it. `type` and `agent` with `tool` or `name`: a step. Words with digits in a name are `#`. */
export interface PatternKind {
  readonly type?: string;
  readonly agent?: string;
  readonly tool?: string;
  readonly model?: string;
  readonly name?: string;
}

/** Which kind it is, for people: what it is a kind of, and its name. */
export function kindWords({
  type,
  agent,
  tool,
  model,
  name,
}: PatternKind): readonly [what: string, name: string] {
  if (type !== undefined && agent !== undefined) return ['step', `${agent} ${tool ?? name ?? type}`];
  if (tool !== undefined) return ['tool', tool];
  if (model !== undefined) return ['model', model];
  return agent === undefined ? ['type', type ?? ''] : ['agent', agent];
}

/** `p`, for people; where all tasks ended alike there is nothing that it could tell apart. */
export function chanceWords({ p }: Pattern, { failed, passed }: PatternsAnswer['tasks']): string {
  if (failed === 0 || passed === 0) return '–';
  return p < 0.001 ? '<0.001' : p.toFixed(3);
}
