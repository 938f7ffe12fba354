import type { Opening } from '../model/subscription-request.ts';
import type { ViewSpec } from './view-spec.ts';

/** How what a reader opens and closes changes what it asked for. The ids are checked to be ids. */
export interface ViewChanges {
  /** The spec with one summary opened. @throws BoundaryError NOT_FOUND */
  expanded(spec: ViewSpec, nodeId: string): ViewSpec;
  /** The spec with a summary closed again, named by itself or by one of its members. @throws BoundaryError NOT_FOUND */
  collapsed(spec: ViewSpec, nodeId: string): ViewSpec;
  /** The spec with every node of a task. */
  taskExpanded(spec: ViewSpec, taskId: string): ViewSpec;
  /** The spec with something opened or closed by name, whether it is there now or not. */
  opened(spec: ViewSpec, opening: Opening): ViewSpec;
  /** Is there such a task, as far as that can be said before it is shown? */
  mayHaveTask(taskId: string): boolean | Promise<boolean>;
  /** The task that a change of what is open is about, where the views before and after differ in it alone. */
  taskOf(nodeId: string, spec: ViewSpec): string | undefined;
}
