import type { Interrupt, Delivering, InterruptTarget } from '../../model/interrupt.ts';

/** A run of AG-UI that is passed on at this moment. */
export interface PassedRun {
  /** On whose behalf. */
  readonly who: string;
  readonly taskId: string;
  readonly runId: string;
  /** As the client named it. */
  readonly agent: string | undefined;
  /** Ends it, for the agent and for its client. @param why for the client */
  readonly abort: (why: string) => void;
}

/** Runs that come through the proxy: the service holds the connection to their agent, and ends it. */
export class PassedRuns implements InterruptTarget {
  readonly way = 'ag-ui';
  private readonly runs = new Set<PassedRun>();

  /** @returns ends it */
  begin(run: PassedRun): () => void {
    this.runs.add(run);
    return () => void this.runs.delete(run);
  }

  canReach(interrupt: Pick<Interrupt, 'about' | 'onlyOf'>): boolean {
    return [...this.runs].some((run) => isMeant(interrupt, run));
  }

  send(interrupt: Interrupt, { told }: Delivering): void {
    const { reason, message, about } = interrupt;
    for (const run of this.runs) {
      if (!isMeant(interrupt, run)) continue;
      const take = told(run.agent ?? about.agent);
      run.abort(message === undefined ? `interrupted: ${reason}` : `interrupted: ${reason}: ${message}`);
      take({ status: 'stopping', message: 'its run is aborted' });
    }
  }
}

function isMeant({ about, onlyOf }: Pick<Interrupt, 'about' | 'onlyOf'>, run: PassedRun): boolean {
  if (onlyOf !== undefined && onlyOf !== run.who) return false;
  return about.taskId === run.taskId && (about.runId === undefined || about.runId === run.runId);
}
