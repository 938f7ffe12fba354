import type { Journal, Taken } from '../../src/correlation/journal.ts';
import type { Facts } from '../../src/model/facts.ts';
import type { LeavingNode } from '../../src/service/engine.ts';
import { recordKey } from '../../src/storage/record-key.ts';
import type { Archive, ArchivedStep } from '../../src/subscriptions/recall/archive.ts';

const PAGE = 2;

/** What a store does for its service, as simply as it can be said: it outlives engines. */
export class StoreModel implements Journal, Archive {
  /** Nodes that left memory, by id. */
  readonly left = new Map<string, LeavingNode>();
  private records: Facts[] = [];

  async append(taken: readonly Taken[]): Promise<void> {
    for (const { facts } of taken) this.records.push(facts);
  }

  archive(nodes: readonly LeavingNode[]): void {
    const gone = new Set(nodes.flatMap(({ sources }) => sources));
    for (const node of nodes) this.left.set(node.node.id, node);
    this.records = this.records.filter((facts) => !gone.has(recordKey(facts).source));
  }

  /** What a new engine is made from. */
  restore(): readonly Facts[] {
    return this.records;
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

  async archivedNode(id: string): Promise<ArchivedStep | undefined> {
    return this.left.get(id);
  }
}
