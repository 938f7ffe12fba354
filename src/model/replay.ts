import type { ExplanationNode } from './node.ts';

/** What a replay is told as when it begins. */
export interface ReplayStarted {
  /** The task that it plays into. */
  readonly taskId: string;
  readonly replayOf: string;
  /** 1: as recorded; 0: at once. */
  readonly speed: number;
  /** Nodes that will be shown. */
  readonly steps: number;
  /** How long it takes. */
  readonly durationMs: number;
}

/** Before the number of a replay of a task, in the id of the task that it plays into. */
export function replayPrefix(taskId: string): string {
  return `${taskId}~replay-`;
}

/** Is a task another one, or made of it by replays? */
export function isOfTask(id: string, taskId: string): boolean {
  return id === taskId || id.startsWith(replayPrefix(taskId));
}

/** Are these the nodes of a task that was played again? It is nothing new. */
export function isReplay(nodes: readonly ExplanationNode[]): boolean {
  return nodes.some(({ details }) => details?.['replayOf'] !== undefined);
}
