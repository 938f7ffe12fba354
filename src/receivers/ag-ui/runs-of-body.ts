import { hash } from 'node:crypto';
import { BoundaryError } from '../../base/boundary-error.ts';
import { spanKey } from '../../model/ids.ts';
import { epochMs, type EpochMs } from '../../model/time.ts';
import { keyOf, type OpenRuns, type Sender } from './open-runs.ts';
import type { AgUiEvent } from './read-event.ts';
import { begunSpan, copyOf, firstRoot, hasId, newRun, traceIdOf, type Run, type RunNames } from './run.ts';

/** The records that the node of a record is made of, in memory or archived; undefined where there is none. */
export type SourcesOf = (sourceKey: string) => Promise<readonly string[] | undefined>;

export interface RunsOfBodyOptions {
  /** Epoch ms. */
  readonly received: number;
  /** The run that the sender says goes on. */
  readonly runId?: string | undefined;
  /** The run that the body ends (`endedBy`). */
  readonly ends?: string | undefined;
  readonly sourcesOf?: SourcesOf | undefined;
}

/** Runs that one body begins or changes: many times what is under way at once. */
export const MAX_RUNS_OF_BODY = 1_000;

/**
 * The runs that one body changes: copies, so that nothing of a body counts that was not taken. An event belongs to the run
 * that it names, else to the one that has what it names, else to the one that goes on. Whatever ids are sent, an event costs
 * the same: what a look into all runs finds is kept for the body.
 */
export class RunsOfBody {
  private readonly changed = new Map<string, Run>();
  /** Those whose id began again in this body. */
  private readonly before: Run[] = [];
  /** The run in which an id was named last in this body. */
  private readonly byId = new Map<string, Run>();
  /** What the runs from before the body have of an id. */
  private readonly found = new Map<string, Run | undefined>();
  /** Runs of this body in the order of their first event; those that are over leave from the end. */
  private readonly open: Run[] = [];
  /** Runs from before the body that may go on, the one that came last at the end. */
  private others: Run[] | undefined;
  /** Ids that runs had which are not known any more, and which began otherwise. */
  private readonly usedBefore = new Set<string>();
  private readonly runs: OpenRuns;
  private readonly sender: Sender;
  private readonly options: RunsOfBodyOptions;
  /** The run that the sender says goes on. */
  private readonly named: string | undefined;
  private current: Run | undefined;

  constructor(runs: OpenRuns, sender: Sender, options: RunsOfBodyOptions) {
    this.runs = runs;
    this.sender = sender;
    this.options = options;
    this.named = options.runId;
  }

  get all(): readonly Run[] {
    return [...this.before, ...this.changed.values()];
  }

  /** To be awaited before a run begins: was its id used by one that is not known any more? */
  async lookUp({ type, fields }: AgUiEvent): Promise<void> {
    const { runId } = fields;
    if (type !== 'RUN_STARTED' || typeof runId !== 'string' || this.known(runId)) return;
    const traceId = traceIdOf(this.sender.agent, this.sender.taskId ?? runId);
    const root = firstRoot(traceId, runId);
    const sources = await this.options.sourcesOf?.(spanKey(traceId, root));
    const isSame = sources?.includes(spanKey(traceId, begunSpan(traceId, root, hashOf(fields))));
    if (isSame === false) this.usedBefore.add(runId);
  }

  /**
   * The run of an event; and another one, which was begun without a name, when it ends with that.
   * @throws BoundaryError TOO_LARGE: the body has too many runs
   */
  runsOf(event: AgUiEvent): readonly Run[] {
    const unnamed = this.endsUnnamed(event);
    const run = this.find(event);
    for (const id of idsOf(event, OWN_IDS)) this.byId.set(id, run);
    this.current = run;
    return unnamed ? [run, this.changing(unnamed)] : [run];
  }

  /** From now on this is what is known of the runs. @returns takes that back, where nothing has come since */
  commit(now: number): () => void {
    const { named } = this;
    const given = named === undefined ? undefined : keyOf(this.sender, named);
    const before = [...this.changed.values()].map((run) => {
      const key = keyOf(this.sender, run.runId);
      const held = this.runs.get(key);
      this.runs.put(this.sender, run, now);
      const isOther = given !== undefined && run.runId !== named && !run.isImplied;
      if (isOther && !run.isOver) this.runs.begunInPlaceOf(given, key);
      return { key, run, held };
    });
    return () => {
      for (const { key, run, held } of before) {
        if (this.runs.get(key) !== run) continue;
        if (held) this.runs.put(this.sender, held, now);
        else this.runs.delete(key);
      }
    };
  }

  private find(event: AgUiEvent): Run {
    const { type, fields } = event;
    const { runId, threadId } = fields;
    const isNamed = typeof runId === 'string';
    if (type === 'RUN_STARTED' && isNamed) {
      const known = this.known(runId);
      const begun = hashOf(fields);
      return this.begin(event, {
        runId,
        threadId: typeof threadId === 'string' ? threadId : '',
        begun,
        repeats: known?.begun === begun ? known.repeats + 1 : 0,
        isAnother: known !== undefined || this.usedBefore.has(runId),
        isImplied: false,
        isNamed,
      });
    }
    const run = isNamed ? this.known(runId) : this.unnamedRun(event);
    if (run) return this.changing(run);
    const id = (isNamed ? runId : undefined) ?? this.named ?? this.options.ends;
    return this.begin(event, {
      runId: id ?? this.sender.taskId ?? idsOf(event, ID_FIELDS)[0] ?? 'unnamed',
      threadId: '',
      begun: '',
      repeats: 0,
      isAnother: false,
      isImplied: true,
      isNamed: id !== undefined,
    });
  }

  /** Who names a run means that one, or the one that began in its place, unless another one has begun in this body. */
  private unnamedRun(event: AgUiEvent): Run | undefined {
    const { named, current } = this;
    if (named === undefined) return this.runWith(event) ?? this.goingOn();
    const known = this.known(named);
    const meant = known?.isOver === false ? known : (this.runs.inPlaceOf(keyOf(this.sender, named)) ?? known);
    if (current && current.runId !== meant?.runId) return this.runWith(event) ?? this.goingOn();
    return meant;
  }

  /** The end of a run that is not known ends what went on without a name as well: it can be no other's. */
  private endsUnnamed({ type, fields }: AgUiEvent): Run | undefined {
    const { runId } = fields;
    if (type !== 'RUN_FINISHED' || typeof runId !== 'string' || this.known(runId)) return undefined;
    const { sender, current } = this;
    const run = current ?? (sender.taskId === undefined ? undefined : this.runs.lastOf(sender));
    return run?.isNamed === false && !run.isOver ? run : undefined;
  }

  private begin({ time }: AgUiEvent, names: Omit<RunNames, 'agent' | 'taskId'>): Run {
    const { agent, taskId = names.runId } = this.sender;
    const run = newRun({ ...names, agent, taskId }, time ?? this.nextStart());
    const before = this.changed.get(run.runId);
    if (before) this.before.push(before);
    return this.add(run);
  }

  /** Runs without times keep their order: each begins after what the one before it in the task has begun. */
  private nextStart(): EpochMs {
    const { current, runs, sender } = this;
    const { received } = this.options;
    const before = sender.taskId === undefined ? undefined : (current ?? runs.lastOf(sender));
    return epochMs(before ? Math.max(received, before.lastStart + 1) : received);
  }

  private known(runId: string): Run | undefined {
    return this.changed.get(runId) ?? this.runs.get(keyOf(this.sender, runId));
  }

  private changing(run: Run): Run {
    return this.changed.get(run.runId) ?? this.add(copyOf(run));
  }

  private add(run: Run): Run {
    if (this.changed.size + this.before.length >= MAX_RUNS_OF_BODY)
      throw new BoundaryError('TOO_LARGE', `more than ${MAX_RUNS_OF_BODY} runs in one body; send several`);
    this.changed.set(run.runId, run);
    this.open.push(run);
    return run;
  }

  /** What begins, or may begin with a chunk, does so in the run that goes on, though its id was used in another one. */
  private runWith(event: AgUiEvent): Run | undefined {
    const ids = idsOf(event, ID_FIELDS);
    if (ids.length === 0 || event.type.endsWith('_START') || event.type === 'SUBAGENT_STARTED')
      return undefined;
    const isChunk = event.type.endsWith('_CHUNK');
    const inBodyOnly = isChunk && this.current?.isOver === false;
    let over: Run | undefined;
    for (const run of this.candidates(ids, inBodyOnly)) {
      if (!ids.some((id) => hasId(run, id))) continue;
      if (!run.isOver || run === this.current) return run;
      over ??= run;
    }
    return isChunk && over && this.goingOn()?.isOver === false ? undefined : over;
  }

  private *candidates(ids: readonly string[], inBodyOnly: boolean): Generator<Run> {
    if (this.current) yield this.current;
    for (const id of ids) {
      const run = this.byId.get(id);
      if (run && this.changed.get(run.runId) === run) yield run;
    }
    if (inBodyOnly) return;
    for (const id of ids) {
      const run = this.lookedUp(id);
      if (run) yield this.changed.get(run.runId) ?? run;
    }
  }

  private lookedUp(id: string): Run | undefined {
    if (!this.found.has(id)) this.found.set(id, this.runs.withId(this.sender, id));
    return this.found.get(id);
  }

  /**
   * The run that began last and is not over, else the last one. Who names no task is known by nothing: what comes after
   * the end of its run is of no run that others began, and where several go on at once, a body that names none of them is of
   * neither.
   */
  private goingOn(): Run | undefined {
    const { current, sender } = this;
    const { ends } = this.options;
    if (current?.isOver === false) return current;
    if (ends !== undefined && !current) return this.known(ends);
    if (current) {
      const other = sender.taskId === undefined ? undefined : this.openBefore().at(-1);
      return this.openInBody() ?? other ?? current;
    }
    const open = this.openBefore();
    if (sender.taskId === undefined && open.length > 1) return undefined;
    return open.at(-1) ?? this.runs.lastOf(sender);
  }

  private openInBody(): Run | undefined {
    for (let last = this.open.at(-1); last; last = this.open.at(-1)) {
      if (!last.isOver && !last.isImplied && this.changed.get(last.runId) === last) return last;
      this.open.pop();
    }
    return undefined;
  }

  /** Those that the body has not changed. */
  private openBefore(): readonly Run[] {
    this.others ??= this.runs.openOf(this.sender);
    for (let last = this.others.at(-1); last && this.changed.has(last.runId); last = this.others.at(-1))
      this.others.pop();
    return this.others;
  }
}

/** The first run that a body names, where it does so by its end: what comes before is of that, unless it is known better. */
export function endedBy(events: readonly AgUiEvent[]): string | undefined {
  const first = events.find(({ fields }) => typeof fields['runId'] === 'string');
  const runId = first?.fields['runId'];
  return first?.type !== 'RUN_STARTED' && typeof runId === 'string' ? runId : undefined;
}

/** How a run began: an equal event again is the same run, or cannot be told from it. */
function hashOf(fields: AgUiEvent['fields']): string {
  return hash('sha256', JSON.stringify(fields), 'hex');
}

/** Ids of what an event is about. */
const OWN_IDS = ['messageId', 'toolCallId', 'entityId', 'subagentRunId'];
const ID_FIELDS = [...OWN_IDS, 'parentToolCallId', 'parentMessageId'];

function idsOf({ fields }: AgUiEvent, names: readonly string[]): readonly string[] {
  return names.map((field) => fields[field]).filter((id) => typeof id === 'string');
}
