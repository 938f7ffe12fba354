import { createContext, useContext } from 'react';
import type { LiveGraph } from '../../src/client/browser.ts';
import type { GraphStore } from './graph-store.ts';

/** What every view of a task is given. */
export interface TaskContext {
  readonly taskId: string;
  readonly store: GraphStore;
  readonly live: LiveGraph;
  /** The node shown in the panel. */
  readonly selected: string | undefined;
  readonly select: (nodeId: string | undefined) => void;
  /** Nodes of the way back that `why` shows, and its edges; undefined when nothing was asked. */
  readonly highlight: Highlight | undefined;
  /** Opens a SUMMARY in place; of a step that came out of one, closes it again. */
  readonly toggleSummary: (nodeId: string) => void;
}

export interface Highlight {
  readonly nodes: ReadonlySet<string>;
  readonly edges: ReadonlySet<string>;
  /** The candidates, strongest first. */
  readonly candidates: readonly string[];
}

const Context = createContext<TaskContext | undefined>(undefined);
export const TaskProvider = Context.Provider;

export function useTask(): TaskContext {
  const task = useContext(Context);
  if (!task) throw new Error('a view of a task stands outside of a task page');
  return task;
}
