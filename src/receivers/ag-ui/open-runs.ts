import { idKeys, namesId, sizeOf, type Run } from './run.ts';

/** Runs that are known at once; of more, the one of which nothing came for the longest time is forgotten. */
const MAX_RUNS = 2_000;
/** Bytes of all of them, by estimate: arguments that are not whole yet, and what is known of steps. */
const MAX_BYTES = 64 * 1024 * 1024;
/** After this silence a run is forgotten: longer than people take to answer what an agent asks of them. */
const IDLE_MS = 60 * 60 * 1000;
/** Senders of whom it is known that their last run was refused; of more, the one that was so first is forgotten. */
const MAX_REFUSED = 1_000;

/** Who sends: runs of one agent are never looked for among those of another. */
export interface Sender {
  readonly agent: string;
  /** Absent where each run is a task of its own. */
  readonly taskId: string | undefined;
}

interface Known {
  readonly key: string;
  readonly prefix: string;
  run: Run;
  /** Clock.monotonic(). */
  lastActivity: number;
  /** Greater than that of all that came before. */
  order: number;
  bytes: number;
}

/** The runs of which more may come, the one that came last at the end. */
export class OpenRuns {
  private readonly known = new Map<string, Known>();
  /** By sender and id: the runs that have a step of it. */
  private readonly byThing = new Map<string, Set<Known>>();
  /** Runs that an agent began under another id than the one that it was given, by that. */
  private readonly instead = new Map<string, string>();
  private readonly refusedStarts = new Set<string>();
  private bytes = 0;
  private order = 0;
  /** Runs that were forgotten to make room for others. */
  forgotten = 0;

  get size(): number {
    return this.known.size;
  }

  get(key: string): Run | undefined {
    return this.known.get(key)?.run;
  }

  /** The run that an agent began where it was given another id. */
  inPlaceOf(key: string): Run | undefined {
    return this.get(this.instead.get(key) ?? '');
  }

  begunInPlaceOf(given: string, key: string): void {
    this.instead.delete(given);
    this.instead.set(given, key);
    if (this.instead.size <= MAX_RUNS) return;
    for (const oldest of this.instead.keys()) return void this.instead.delete(oldest);
  }

  /** The last `count` runs of a sender that have a step of an id; those that go on at the end, and the last one last. */
  withId(sender: Sender, id: string, count: number): readonly Run[] {
    const prefix = keyOf(sender, '');
    const found = new Set<Known>();
    for (const key of idKeys(id)) for (const known of this.byThing.get(prefix + key) ?? []) found.add(known);
    const sorted = [...found].sort(
      (a, b) => Number(b.run.isOver) - Number(a.run.isOver) || a.order - b.order,
    );
    return sorted.slice(-count).map(({ run }) => run);
  }

  /** Was the last RUN_STARTED of a sender refused? Then what he sends without a name may be of that run. */
  isStartRefused(sender: Sender): boolean {
    return this.refusedStarts.has(keyOf(sender, ''));
  }

  noteStart(sender: Sender, isRefused: boolean): void {
    const key = keyOf(sender, '');
    this.refusedStarts.delete(key);
    if (isRefused) this.refusedStarts.add(key);
    if (this.refusedStarts.size <= MAX_REFUSED) return;
    for (const oldest of this.refusedStarts) return void this.refusedStarts.delete(oldest);
  }

  /** Those of a sender that began and are not over, the one that came last at the end. */
  openOf(sender: Sender): Run[] {
    const prefix = keyOf(sender, '');
    const open: Run[] = [];
    for (const known of this.known.values())
      if (known.prefix === prefix && !known.run.isOver && !known.run.isImplied) open.push(known.run);
    return open;
  }

  lastOf(sender: Sender): Run | undefined {
    const prefix = keyOf(sender, '');
    let last: Run | undefined;
    for (const known of this.known.values()) if (known.prefix === prefix) last = known.run;
    return last;
  }

  put(sender: Sender, run: Run, now: number): void {
    const key = keyOf(sender, run.runId);
    const before = this.known.get(key);
    const bytes = sizeOf(run);
    const known = before ?? { key, prefix: keyOf(sender, ''), run, lastActivity: now, order: 0, bytes };
    this.bytes += before ? bytes - before.bytes : bytes;
    this.index(known, before?.run, run);
    this.known.delete(key);
    this.known.set(key, Object.assign(known, { run, lastActivity: now, order: ++this.order, bytes }));
    for (const other of this.known.values()) {
      const isIdle = now - other.lastActivity > IDLE_MS;
      const isFull = this.known.size > MAX_RUNS || this.bytes > MAX_BYTES;
      if (!isIdle && (!isFull || other.key === key)) break;
      if (!isIdle) this.forgotten++;
      this.delete(other.key);
    }
  }

  forget(tasks: ReadonlySet<string>): void {
    for (const { key, run } of this.known.values()) if (tasks.has(run.taskId)) this.delete(key);
  }

  delete(key: string): void {
    const before = this.known.get(key);
    if (!before) return;
    this.bytes -= before.bytes;
    this.index(before, before.run, undefined);
    this.known.delete(key);
  }

  /** What the run has no more leaves the index, what it has now is in it. */
  private index(known: Known, before: Run | undefined, after: Run | undefined): void {
    for (const thing of before?.things.keys() ?? []) {
      if (!namesId(thing) || after?.things.has(thing) === true) continue;
      const runs = this.byThing.get(known.prefix + thing);
      runs?.delete(known);
      if (runs?.size === 0) this.byThing.delete(known.prefix + thing);
    }
    for (const thing of after?.things.keys() ?? []) {
      if (!namesId(thing) || before?.things.has(thing) === true) continue;
      const runs = this.byThing.get(known.prefix + thing);
      if (runs) runs.add(known);
      else this.byThing.set(known.prefix + thing, new Set([known]));
    }
  }
}

const BETWEEN = '\u0000';

export function keyOf({ agent, taskId }: Sender, runId: string): string {
  return [agent, taskId === undefined ? 'runs' : `task ${taskId}`, runId].join(BETWEEN);
}
