import type { Principal } from '../../access/principal.ts';
import type { ApprovalState } from '../../model/approval.ts';
import { ifFound, withId, type CellActs } from './cell-acts.ts';

type Given = { readonly [field: string]: unknown };

/** Of so many approvals it is known where they were asked for, so that the same one again is asked for there. */
const MAX_ASKED = 1_000;

/** What agents ask people to approve, at the cell that has the step or the task, so that both are in one graph. */
export class ApprovalsAtCells {
  private readonly acts: CellActs;
  private readonly cellOf: (traceId: string | undefined, name: string) => string | undefined;
  /** By who asked and their own id, the oldest first. */
  private readonly asked = new Map<string, string>();

  /** @param cellOf where what is of this trace, or else of this name, is sent to */
  constructor(acts: CellActs, cellOf: (traceId: string | undefined, name: string) => string | undefined) {
    this.acts = acts;
    this.cellOf = cellOf;
  }

  async ask(given: Given, by: Principal): Promise<ApprovalState> {
    const body = withId(given);
    const key = JSON.stringify([by.by, by.id, by.project, body['id']]);
    const names = this.acts.names(by);
    const before = this.asked.get(key);
    const cell =
      before !== undefined && names.includes(before) ? before : await this.homeOf(given, names, by);
    const path = '/api/control/approvals';
    const state = await this.acts.at(cell, { method: 'POST', path, body, by });
    this.remember(key, cell);
    return state as ApprovalState;
  }

  async state(id: string, by: Principal): Promise<ApprovalState> {
    const path = `/api/control/approvals/${encodeURIComponent(id)}`;
    const { done } = await this.acts.atEach({ method: 'GET', path, by });
    return done[0].answer as ApprovalState;
  }

  private async homeOf(given: Given, names: readonly string[], by: Principal): Promise<string> {
    const [nodeId, taskId, traceId, agent] = ['nodeId', 'taskId', 'traceId', 'agent'].map((field) => {
      const value = given[field];
      return typeof value === 'string' && value !== '' ? value : undefined;
    });
    const known =
      (nodeId === undefined ? undefined : await ifFound(this.acts.homeOfNode(nodeId, by))) ??
      (taskId === undefined ? undefined : (await ifFound(this.acts.homesOfTask(taskId, by)))?.[0]);
    const cell = known ?? this.cellOf(traceId, taskId ?? agent ?? '');
    return cell !== undefined && names.includes(cell) ? cell : (names[0] as string);
  }

  private remember(key: string, cell: string): void {
    this.asked.delete(key);
    this.asked.set(key, cell);
    if (this.asked.size <= MAX_ASKED) return;
    const [oldest] = this.asked.keys();
    if (oldest !== undefined) this.asked.delete(oldest);
  }
}
