import type { Journal, Taken } from '../../src/correlation/journal.ts';
import type { Facts } from '../../src/model/facts.ts';
import { groupOf, type Tie } from '../../src/model/ties.ts';
import type { LeavingNode } from '../../src/service/engine.ts';
import { TaskSums, type TaskOverview } from '../../src/model/task-overview.ts';
import { recordKey } from '../../src/storage/record-key.ts';
import type { TiedNodes, TiedQuery } from '../../src/storage/record-store.ts';
import type { Archive, ArchivedStep } from '../../src/subscriptions/recall/archive.ts';
import type { TaskArchive, TaskVersions } from '../../src/subscriptions/task-list.ts';

const PAGE = 2;

/** What a store does for its service, as simply as it can be said: it outlives engines. */
export class StoreModel implements Journal, Archive, TaskArchive {
  /** Nodes that left memory, by id. */
  readonly left = new Map<string, LeavingNode>();
  private records: Facts[] = [];
  private leftRecords: Facts[] = [];

  async append(taken: readonly Taken[]): Promise<void> {
    for (const { facts } of taken) this.records.push(facts);
  }

  archive(nodes: readonly LeavingNode[]): void {
    const gone = new Set(nodes.flatMap(({ sources }) => sources));
    for (const node of nodes) this.left.set(node.node.id, node);
    this.leftRecords.push(...this.records.filter((facts) => gone.has(recordKey(facts).source)));
    this.records = this.records.filter((facts) => !gone.has(recordKey(facts).source));
  }

  /** What a new engine is made from. */
  restore(): readonly Facts[] {
    return this.records;
  }

  get hasNoTies(): boolean {
    return this.left.size === 0;
  }

  mayBeTied(ties: readonly Tie[]): boolean {
    const groups = new Set(ties.map(groupOf));
    return [...this.left.values()].some((left) => left.ties.some((tie) => groups.has(groupOf(tie))));
  }

  async isTied(ties: readonly Tie[]): Promise<boolean> {
    return this.mayBeTied(ties);
  }

  async tied({ ties }: TiedQuery): Promise<TiedNodes> {
    const groups = new Set(ties.flat().map(groupOf));
    const tasks = new Set<string>();
    const found = new Map<string, LeavingNode>();
    for (let before = -1; before < found.size;) {
      before = found.size;
      for (const left of this.left.values()) {
        if (!tasks.has(left.node.taskId) && !left.ties.some((tie) => groups.has(groupOf(tie)))) continue;
        found.set(left.node.id, left);
        tasks.add(left.node.taskId);
        for (const tie of left.ties) groups.add(groupOf(tie));
      }
    }
    const sources = new Set([...found.values()].flatMap((left) => left.sources));
    const back = this.leftRecords.filter((facts) => sources.has(recordKey(facts).source));
    const takeBack = async (): Promise<void> => {
      for (const id of found.keys()) this.left.delete(id);
      this.leftRecords = this.leftRecords.filter((facts) => !back.includes(facts));
      this.records.push(...back);
    };
    await Promise.resolve();
    const answered = ties.map((_, index) => index);
    return { answered, ids: [...found.keys()], tasks: [...tasks], facts: back, takeBack };
  }

  async *archivedTask(taskId: string): AsyncGenerator<readonly ArchivedStep[]> {
    const steps = [...this.left.values()].filter(({ node }) => node.taskId === taskId);
    for (let at = 0; at < steps.length; at += PAGE) {
      await Promise.resolve();
      yield steps.slice(at, at + PAGE);
    }
  }

  async archivedTasks(): Promise<readonly string[]> {
    return [...new Set([...this.left.values()].map(({ node }) => node.taskId))];
  }

  async archivedVersions(): Promise<TaskVersions> {
    const tasks = Map.groupBy(this.left.values(), ({ node }) => node.taskId);
    return { tasks: [...tasks].map(([name, { length }]) => [name, length] as const), next: undefined };
  }

  async archivedOverviews(names: readonly string[]): Promise<readonly (TaskOverview | undefined)[]> {
    return names.map((name) => {
      const sums = new TaskSums();
      for (const { node } of this.left.values()) if (node.taskId === name) sums.add(node);
      return sums.nodes === 0 ? undefined : sums.overview(name, true);
    });
  }

  async archivedNode(id: string): Promise<ArchivedStep | undefined> {
    return this.left.get(id);
  }
}
