import type { NodeRow, TaskTree } from './task-tree.ts';

/** What can be selected: a task, or a step in it. */
export type Row =
  | { readonly kind: 'task'; readonly key: string; readonly tree: TaskTree; readonly isFolded: boolean }
  | ({ readonly kind: 'node'; readonly key: string } & NodeRow);

/** The rows of all tasks, one below the other, without a list of them all: only a window of it is looked at. */
export class RowList {
  readonly length: number;
  private readonly trees: readonly TaskTree[];
  private readonly folded: ReadonlySet<string>;
  /** Where each tree begins. */
  private readonly offsets: readonly number[];

  constructor(trees: readonly TaskTree[], folded: ReadonlySet<string>) {
    const offsets: number[] = [];
    let length = 0;
    for (const tree of trees) {
      offsets.push(length);
      length += 1 + (folded.has(tree.taskId) ? 0 : tree.rows.length);
    }
    this.length = length;
    this.trees = trees;
    this.folded = folded;
    this.offsets = offsets;
  }

  at(index: number): Row | undefined {
    if (index < 0 || index >= this.length) return undefined;
    const position = this.treeAt(index);
    const tree = this.trees[position];
    if (tree === undefined) return undefined;
    const inside = index - (this.offsets[position] ?? 0) - 1;
    if (inside < 0) {
      const isFolded = this.folded.has(tree.taskId);
      return { kind: 'task', key: taskKey(tree.taskId), tree, isFolded };
    }
    const row = tree.rows[inside];
    return row && { kind: 'node', key: row.node.id, ...row };
  }

  /** -1 when nothing has this key. */
  indexOf(key: string): number {
    for (const [position, tree] of this.trees.entries()) {
      const offset = this.offsets[position] ?? 0;
      if (taskKey(tree.taskId) === key) return offset;
      if (this.folded.has(tree.taskId)) continue;
      const inside = tree.rows.findIndex((row) => row.node.id === key);
      if (inside >= 0) return offset + 1 + inside;
    }
    return -1;
  }

  /** The last tree that begins at or before the index. */
  private treeAt(index: number): number {
    let low = 0;
    let high = this.offsets.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.offsets[middle] ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** No node id begins like this: ids hold no line breaks. */
export function taskKey(taskId: string): string {
  return `\n${taskId}`;
}
