import type { DataKey } from './vault-keys.ts';

/** What is known in memory of the originals of one task. */
export interface Group extends DataKey {
  /** Of its entries in the file and on the way there. */
  bytes: number;
  /** The records that they came from. */
  readonly sources: Set<string>;
}

/** The tasks of a vault, the one that was added to longest ago first. */
export class VaultGroups {
  liveBytes = 0;
  private readonly byTask = new Map<string, Group>();
  private readonly byId = new Map<string, Group>();
  private readonly bySource = new Map<string, Set<Group>>();

  get size(): number {
    return this.byId.size;
  }

  all(): Iterable<Group> {
    return this.byTask.values();
  }

  get(id: string): Group | undefined {
    return this.byId.get(id);
  }

  ofTask(task: string): Group | undefined {
    return this.byTask.get(task);
  }

  oldest(): Group | undefined {
    for (const group of this.byTask.values()) return group;
    return undefined;
  }

  sources(): Iterable<string> {
    return this.bySource.keys();
  }

  open(key: DataKey): Group {
    const group: Group = { ...key, bytes: 0, sources: new Set() };
    this.byTask.set(group.task, group);
    this.byId.set(group.id, group);
    return group;
  }

  add(group: Group, source: string, bytes: number): void {
    group.bytes += bytes;
    this.liveBytes += bytes;
    if (!group.sources.has(source)) {
      group.sources.add(source);
      const groups = this.bySource.get(source);
      if (groups) groups.add(group);
      else this.bySource.set(source, new Set([group]));
    }
    // The one added to last stands last.
    this.byTask.delete(group.task);
    this.byTask.set(group.task, group);
  }

  /** A record left the store. @returns the tasks that have no record any more; they are still there */
  forget(source: string): readonly Group[] {
    const groups = [...(this.bySource.get(source) ?? [])];
    this.bySource.delete(source);
    for (const group of groups) group.sources.delete(source);
    return groups.filter((group) => group.sources.size === 0);
  }

  drop(group: Group): void {
    for (const source of group.sources) {
      const groups = this.bySource.get(source);
      if (groups?.delete(group) === true && groups.size === 0) this.bySource.delete(source);
    }
    this.byTask.delete(group.task);
    this.byId.delete(group.id);
    this.liveBytes -= group.bytes;
  }
}
