import { hash } from 'node:crypto';
import { BoundaryError } from '../../base/boundary-error.ts';
import { spanKey } from '../../model/ids.ts';
import { epochMs, type EpochMs } from '../../model/time.ts';
import { EVENT_TYPES } from './fold-event.ts';
import { keyOf, type OpenRuns, type Sender } from './open-runs.ts';
import type { AgUiEvent } from './read-event.ts';
import { MAX_MEANT, runMeant, UNCLEAR } from './run-meant.ts';
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
  /** Asked before a run is changed: false where another body that is not taken yet changes it. */
  readonly take: (runId: string) => boolean;
}

/** Of a run that an event needs, and which another body is changing. */
export interface TakenRun {
  readonly takenRunId: string;
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
  /** The runs from before the body that have an id. */
  private readonly found = new Map<string, readonly Run[]>();
  /** Runs that began in this body. */
  private readonly begun = new Set<Run>();
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

  /** Of what begins a run, whose id may have been used by one that is not known any more; else as `runsOf`. */
  async runsBegunBy(event: AgUiEvent): Promise<ReturnType<RunsOfBody['runsOf']>> {
    const { runId } = event.fields;
    if (event.type === 'RUN_STARTED' && typeof runId === 'string') {
      if (!this.options.take(runId)) return { takenRunId: runId };
      if (!this.known(runId)) await this.lookUp(runId, event);
    }
    return this.runsOf(event);
  }

  /**
   * The run of an event; and another one, which was begun without a name, when it ends with that. A text says why it is of
   * none, where it may be of several. Where one of them is another body's, it is to be asked again when that is taken.
   * @throws BoundaryError TOO_LARGE: the body has too many runs
   */
  runsOf(event: AgUiEvent): readonly Run[] | string | TakenRun {
    const ending = this.endsUnnamed(event);
    const unnamed = ending && this.changing(ending);
    if (unnamed && 'takenRunId' in unnamed) return unnamed;
    const run = this.find(event);
    if (typeof run === 'string' || 'takenRunId' in run) return run;
    for (const id of idsOf(event, OWN_IDS)) this.byId.set(id, run);
    this.current = run;
    return unnamed ? [run, unnamed] : [run];
  }

  /** Another body was waited for: what was looked up is looked up again. */
  lookAgain(): void {
    this.found.clear();
    this.others = undefined;
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

  private async lookUp(runId: string, { fields }: AgUiEvent): Promise<void> {
    const traceId = traceIdOf(this.sender.agent, this.sender.taskId ?? runId);
    const root = firstRoot(traceId, runId);
    const sources = await this.options.sourcesOf?.(spanKey(traceId, root));
    const isSame = sources?.includes(spanKey(traceId, begunSpan(traceId, root, hashOf(fields))));
    if (isSame === false) this.usedBefore.add(runId);
  }

  private find(event: AgUiEvent): Run | string | TakenRun {
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
    if (typeof run === 'string') return run;
    if (run) return this.changing(run);
    if (!EVENT_TYPES.includes(type)) return unknownType(type);
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
  private unnamedRun(event: AgUiEvent): Run | string | undefined {
    const { named, current } = this;
    if (event.isOfRefused === true && (named === undefined || this.begun.size > 0)) return OF_REFUSED;
    if (named === undefined) return this.unnamedOf(event);
    const known = this.known(named);
    const meant = known?.isOver === false ? known : (this.runs.inPlaceOf(keyOf(this.sender, named)) ?? known);
    return current && current.runId !== meant?.runId ? this.unnamedOf(event) : meant;
  }

  private unnamedOf(event: AgUiEvent): Run | string | undefined {
    const run = this.runWith(event);
    if (run) return run === UNCLEAR ? MEANS_SEVERAL : run;
    return this.isOfRefusedBefore ? OF_REFUSED : this.goingOn();
  }

  /** A run of the sender was refused in a body before, and this one has begun none and names none. */
  private get isOfRefusedBefore(): boolean {
    const { named, sender, begun } = this;
    const isNamed = named !== undefined || this.options.ends !== undefined;
    return !isNamed && begun.size === 0 && this.runs.isStartRefused(sender);
  }

  /** The end of a run that is not known ends what went on without a name as well: it can be no other's. */
  private endsUnnamed({ type, fields }: AgUiEvent): Run | undefined {
    const { runId } = fields;
    if (type !== 'RUN_FINISHED' || typeof runId !== 'string' || this.known(runId)) return undefined;
    const { sender, current } = this;
    const run = current ?? (sender.taskId === undefined ? undefined : this.runs.lastOf(sender));
    return run?.isNamed === false && !run.isOver ? run : undefined;
  }

  private begin({ time }: AgUiEvent, names: Omit<RunNames, 'agent' | 'taskId'>): Run | TakenRun {
    if (!this.options.take(names.runId)) return { takenRunId: names.runId };
    const { agent, taskId = names.runId } = this.sender;
    const run = newRun({ ...names, agent, taskId }, time ?? this.nextStart());
    const before = this.changed.get(run.runId);
    if (before) this.before.push(before);
    if (!run.isImplied) this.begun.add(run);
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

  /** What other bodies made of it meanwhile is in it. */
  private changing(run: Run): Run | TakenRun {
    const { runId } = run;
    const changed = this.changed.get(runId);
    if (changed) return changed;
    return this.options.take(runId) ? this.add(copyOf(this.known(runId) ?? run)) : { takenRunId: runId };
  }

  private add(run: Run): Run {
    if (this.changed.size + this.before.length >= MAX_RUNS_OF_BODY)
      throw new BoundaryError('TOO_LARGE', `more than ${MAX_RUNS_OF_BODY} runs in one body; send several`);
    this.changed.set(run.runId, run);
    this.open.push(run);
    return run;
  }

  /** What begins, or may begin with a chunk, does so in the run that goes on, though its id was used in another one. */
  private runWith(event: AgUiEvent): Run | typeof UNCLEAR | undefined {
    const ids = idsOf(event, ID_FIELDS);
    if (ids.length === 0 || event.type.endsWith('_START') || event.type === 'SUBAGENT_STARTED')
      return undefined;
    const { current, sender } = this;
    const own = this.inBody(ids);
    if (own && (!own.isOver || own === current)) return own;
    const isChunk = event.type.endsWith('_CHUNK');
    if (isChunk && current?.isOver === false) return undefined;
    const goesOn = this.goingOn();
    const hasBegun = this.begun.size > 0;
    const open = this.openBefore().length + (this.isOfRefusedBefore ? 1 : 0);
    return runMeant({
      ids,
      known: [...new Set(ids.flatMap((id) => this.lookedUp(id)))],
      own,
      goesOn: hasBegun || goesOn?.isOver === false ? goesOn : undefined,
      hasBegun,
      isOneTask: sender.taskId !== undefined,
      isAlone: open <= 1,
      isChunk,
    });
  }

  /** Of the runs that this body changed, the one that has an id: rather one that is not over. */
  private inBody(ids: readonly string[]): Run | undefined {
    let over: Run | undefined;
    for (const run of [this.current, ...ids.map((id) => this.byId.get(id))]) {
      if (!run || this.changed.get(run.runId) !== run || !ids.some((id) => hasId(run, id))) continue;
      if (!run.isOver || run === this.current) return run;
      over ??= run;
    }
    return over;
  }

  private lookedUp(id: string): readonly Run[] {
    const found = this.found.get(id) ?? this.runs.withId(this.sender, id, MAX_MEANT + 1);
    this.found.set(id, found);
    return found.map((run) => this.changed.get(run.runId) ?? run);
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

const OF_REFUSED =
  'the RUN_STARTED before it was refused, so its run is not known: send that again, or name the run with ?runId=';
const MEANS_SEVERAL =
  'it may be of several runs that go on: name the one that is meant, in the event or with ?runId=';

/** Newer senders may send what is not known here within a run; by itself it is more likely misspelt. */
function unknownType(type: string): string {
  return `type: ${JSON.stringify(type)} is not known, and begins no run; known are ${EVENT_TYPES.join(', ')}`;
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
