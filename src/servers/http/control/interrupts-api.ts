import type { Principal } from '../../../access/principal.ts';
import type { InterruptState } from '../../../model/interrupt.ts';

interface Given {
  readonly [field: string]: unknown;
}

/** What a sender is told of its own interrupt: nothing of the graph. */
export interface OwnInterrupt {
  readonly id: string;
  /** So many agents. */
  readonly told: number;
}

/** Asks agents to stop. What is given is unchecked: `{reason, message?, id?}`. */
export interface InterruptsApi {
  /** @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION when the step has ended, RESOURCE_EXHAUSTED */
  step(nodeId: string, given: Given, by: Principal): Promise<InterruptState>;
  /** What of a task runs, or the task as a whole where an agent waits for it. @throws as `step` */
  task(taskId: string, given: Given, by: Principal): Promise<InterruptState>;
  /** A sender's own agents, by `agent`, `taskId`, `traceId` or `nodeId`. @throws BoundaryError INVALID_ARGUMENT, RESOURCE_EXHAUSTED */
  own(given: Given, by: Principal): Promise<OwnInterrupt>;
  /** @throws BoundaryError NOT_FOUND */
  state(id: string, by: Principal): InterruptState | Promise<InterruptState>;
}
