import type { Principal } from '../../access/principal.ts';
import type { InterruptState } from '../../model/interrupt.ts';
import { ifFound, withId, type Act, type CellActs } from './cell-acts.ts';
import { mergedInterrupt } from './merged-interrupt.ts';

type Given = { readonly [field: string]: unknown };

interface Told {
  readonly id: string;
  readonly told: number;
}

/** Asks agents to stop, by whichever cells know them. Unchecked: the cells look at what is given. */
export class InterruptAtCells {
  private readonly acts: CellActs;

  constructor(acts: CellActs) {
    this.acts = acts;
  }

  async step(nodeId: string, given: Given, by: Principal): Promise<InterruptState> {
    const path = `/api/nodes/${encodeURIComponent(nodeId)}/interrupt`;
    return (await this.acts.atNode(nodeId, post(path, withId(given), by))) as InterruptState;
  }

  /** At all cells that have a part of it. Where none has, at the first where an agent waits for it. */
  async task(taskId: string, given: Given, by: Principal): Promise<InterruptState> {
    const act = post(`/api/tasks/${encodeURIComponent(taskId)}/interrupt`, withId(given), by);
    const homes = await ifFound(this.acts.homesOfTask(taskId, by));
    return homes ? this.merged(act, homes) : ((await this.acts.atFirst(act)) as InterruptState);
  }

  /** A sender's own agents: at the cells that have the task, else at all, since they may wait anywhere. */
  async own(given: Given, by: Principal): Promise<Told> {
    const act = post('/api/control/interrupt', withId(given), by);
    const { taskId } = given;
    const isOfTask = typeof taskId === 'string' && taskId !== '';
    const homes = isOfTask ? await ifFound(this.acts.homesOfTask(taskId, by)) : undefined;
    const { done } = await this.acts.atEach(act, homes);
    const [first, ...others] = done.map(({ answer }) => answer as Told) as [Told, ...Told[]];
    // Who waits at the gateway waits at each of them.
    return { id: first.id, told: Math.max(first.told, ...others.map(({ told }) => told)) };
  }

  async state(id: string, by: Principal): Promise<InterruptState> {
    const path = `/api/interrupts/${encodeURIComponent(id)}`;
    return this.merged({ method: 'GET', path, by });
  }

  private async merged(act: Act, names?: readonly string[]): Promise<InterruptState> {
    const { done } = await this.acts.atEach(act, names);
    return mergedInterrupt(done.map(({ answer }) => answer as InterruptState));
  }
}

function post(path: string, body: object, by: Principal): Act {
  return { method: 'POST', path, body, by };
}
