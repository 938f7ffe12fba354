import { epochMs } from '../../model/time.ts';
import type { AgUiEvent } from './read-event.ts';
import { copyOf, newRun, sizeOf, thingOf, type Run, type RunNames } from './run.ts';

/** Runs that are known at once; of more, the one of which nothing came for the longest time is forgotten. */
const MAX_RUNS = 2_000;
/** Bytes of all of them, by estimate: arguments that are not whole yet, and what is known of steps. */
const MAX_BYTES = 64 * 1024 * 1024;
/** After this silence a run is forgotten: longer than people take to answer what an agent asks of them. */
const IDLE_MS = 60 * 60 * 1000;

/** Who sends: runs of one agent are never looked for among those of another. */
export interface Sender {
  readonly agent: string;
  /** Absent where each run is a task of its own. */
  readonly taskId: string | undefined;
}

interface Known {
  readonly key: string;
  run: Run;
  /** Clock.monotonic(). */
  lastActivity: number;
  bytes: number;
}

/** The runs of which more may come, the one that came last at the end. */
export class OpenRuns {
  private readonly known = new Map<string, Known>();
  private bytes = 0;
  /** Runs that were forgotten to make room for others. */
  forgotten = 0;

  get size(): number {
    return this.known.size;
  }

  get(key: string): Run | undefined {
    return this.known.get(key)?.run;
  }

  /** Those of one sender, the newest first. */
  *of(sender: Sender): Generator<Run> {
    const prefix = keyOf(sender, '');
    for (const { key, run } of [...this.known.values()].reverse()) if (key.startsWith(prefix)) yield run;
  }

  put(key: string, run: Run, now: number): void {
    this.delete(key);
    const bytes = sizeOf(run);
    this.known.set(key, { key, run, lastActivity: now, bytes });
    this.bytes += bytes;
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
    this.known.delete(key);
  }
}

const BETWEEN = '\u0000';

export function keyOf({ agent, taskId }: Sender, runId: string): string {
  return [agent, taskId === undefined ? 'runs' : `task ${taskId}`, runId].join(BETWEEN);
}

/**
 * The runs that one body changes: copies, so that nothing of a body counts that was not taken. An event belongs to the run
 * that it names, else to the one that has what it names, else to the one that goes on.
 */
export class RunsOfBody {
  private readonly changed = new Map<string, Run>();
  private readonly runs: OpenRuns;
  private readonly sender: Sender;
  private readonly received: number;
  /** The run that the sender says goes on. */
  private readonly named: string | undefined;
  private current: Run | undefined;

  /** @param at `received`: epoch ms; `runId`: the run that the sender says goes on */
  constructor(
    runs: OpenRuns,
    sender: Sender,
    at: { readonly received: number; readonly runId?: string | undefined },
  ) {
    this.runs = runs;
    this.sender = sender;
    this.received = at.received;
    this.named = at.runId;
  }

  get all(): Iterable<Run> {
    return this.changed.values();
  }

  runOf(event: AgUiEvent): Run {
    const { type, fields } = event;
    const { runId, threadId } = fields;
    if (type === 'RUN_STARTED' && typeof runId === 'string') {
      const known = this.known(runId);
      const names = { runId, threadId: typeof threadId === 'string' ? threadId : '' };
      return this.begin({ ...names, attempt: known ? known.attempt + 1 : 0, isImplied: false }, event);
    }
    const named = type === 'RUN_FINISHED' && typeof runId === 'string' ? this.known(runId) : undefined;
    const run = named ?? this.runWith(event) ?? this.goingOn();
    if (run) return (this.current = this.changing(run));
    const id =
      this.named ?? this.sender.taskId ?? (typeof runId === 'string' ? runId : undefined) ?? idsOf(event)[0];
    return this.begin({ runId: id ?? 'unnamed', threadId: '', attempt: 0, isImplied: true }, event);
  }

  /** From now on this is what is known of the runs. @returns takes that back, where nothing has come since */
  commit(now: number): () => void {
    const before = [...this.changed.values()].map((run) => {
      const key = keyOf(this.sender, run.runId);
      const held = this.runs.get(key);
      this.runs.put(key, run, now);
      return { key, run, held };
    });
    return () => {
      for (const { key, run, held } of before) {
        if (this.runs.get(key) !== run) continue;
        if (held) this.runs.put(key, held, now);
        else this.runs.delete(key);
      }
    };
  }

  private begin(names: Omit<RunNames, 'agent' | 'taskId'>, { time }: AgUiEvent): Run {
    const { agent, taskId = names.runId } = this.sender;
    const run = newRun({ ...names, agent, taskId }, time ?? epochMs(this.received));
    this.changed.set(run.runId, run);
    return (this.current = run);
  }

  private known(runId: string): Run | undefined {
    return this.changed.get(runId) ?? this.runs.get(keyOf(this.sender, runId));
  }

  private changing(run: Run): Run {
    const changed = this.changed.get(run.runId);
    if (changed) return changed;
    const copy = copyOf(run);
    this.changed.set(run.runId, copy);
    return copy;
  }

  private *candidates(): Generator<Run> {
    const named = this.named === undefined ? undefined : this.known(this.named);
    if (named) yield named;
    if (this.current) yield this.current;
    yield* [...this.changed.values()].reverse();
    for (const run of this.runs.of(this.sender)) if (!this.changed.has(run.runId)) yield run;
  }

  /** What begins, or may begin with a chunk, does so in the run that goes on, though its id was used in another one. */
  private runWith(event: AgUiEvent): Run | undefined {
    const ids = idsOf(event);
    if (ids.length === 0 || event.type.endsWith('_START') || event.type === 'SUBAGENT_STARTED')
      return undefined;
    const isChunk = event.type.endsWith('_CHUNK');
    const hasCurrent = this.current?.isOver === false;
    let over: Run | undefined;
    for (const run of this.candidates()) {
      if (isChunk && hasCurrent && !this.changed.has(run.runId)) continue;
      if (!ids.some((id) => hasId(run, id))) continue;
      if (!run.isOver || run === this.current) return run;
      over ??= run;
    }
    return isChunk && over && this.goingOn()?.isOver === false ? undefined : over;
  }

  /**
   * The run that began last and is not over, else the last one. Who names no task is known by nothing: where several of
   * its runs go on at once, a body that names none of them is of neither.
   */
  private goingOn(): Run | undefined {
    const { current, named } = this;
    if (current?.isOver === false) return current;
    if (named !== undefined && !current) return this.known(named);
    const all = [...this.candidates()];
    const open = all.filter(({ isOver, isImplied }) => !isOver && !isImplied);
    if (current) return open[0] ?? current;
    if (this.sender.taskId === undefined && open.length > 1) return undefined;
    return open[0] ?? all[0];
  }
}

const ID_FIELDS = [
  'messageId',
  'toolCallId',
  'entityId',
  'subagentRunId',
  'parentToolCallId',
  'parentMessageId',
];
const KINDS = ['message', 'reasoning', 'reasoning span', 'tool', 'subagent'] as const;

function idsOf({ fields }: AgUiEvent): readonly string[] {
  return ID_FIELDS.map((field) => fields[field]).filter((id) => typeof id === 'string');
}

function hasId(run: Run, id: string): boolean {
  return KINDS.some((kind) => thingOf(run, kind, id) !== undefined);
}
