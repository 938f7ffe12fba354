import type { Principal } from '../../access/principal.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { InterruptState } from '../../model/interrupt.ts';
import { refusalOf, withId, type Act, type CellActs } from './cell-acts.ts';
import { mergedInterrupt } from './merged-interrupt.ts';

type Given = { readonly [field: string]: unknown };

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
    const homes = await this.homesOf(taskId, by);
    if (homes.length === 0) return (await this.acts.atFirst(this.acts.names(by), act)) as InterruptState;
    return this.merged(homes, act);
  }

  /** A sender's own agents: at the cells that have the task, else at all, since they may wait anywhere. */
  async own(given: Given, by: Principal): Promise<{ readonly id: string; readonly told: number }> {
    const act = post('/api/control/interrupt', withId(given), by);
    const { taskId } = given;
    const homes = typeof taskId === 'string' && taskId !== '' ? await this.homesOf(taskId, by) : [];
    const { done, refused } = await this.acts.atEach(homes.length > 0 ? homes : this.acts.names(by), act);
    const answers = done.map(({ answer }) => answer as { readonly id: string; readonly told: number });
    const [first] = answers;
    if (!first) throw refusalOf(refused);
    // Who waits at the gateway waits at each of them.
    return { id: first.id, told: Math.max(...answers.map(({ told }) => told)) };
  }

  async state(id: string, by: Principal): Promise<InterruptState> {
    const path = `/api/interrupts/${encodeURIComponent(id)}`;
    return this.merged(this.acts.names(by), { method: 'GET', path, by });
  }

  private async merged(names: readonly string[], act: Act): Promise<InterruptState> {
    const { done, refused } = await this.acts.atEach(names, act);
    if (done.length === 0) throw refusalOf(refused);
    return mergedInterrupt(done.map(({ answer }) => answer as InterruptState));
  }

  /** None where no cell that answers has it. */
  private async homesOf(taskId: string, by: Principal): Promise<readonly string[]> {
    try {
      return await this.acts.homesOfTask(taskId, by);
    } catch (error) {
      const { code } = BoundaryError.from(error);
      if (code === 'NOT_FOUND' || code === 'UNAVAILABLE') return [];
      throw error;
    }
  }
}

function post(path: string, body: object, by: Principal): Act {
  return { method: 'POST', path, body, by };
}
