import { BoundaryError } from '../../base/boundary-error.ts';
import { epochMs } from '../../model/time.ts';
import { keyOf, type OpenRuns, type Sender } from './open-runs.ts';
import type { AgUiEvent } from './read-event.ts';
import { copyOf, hasId, newRun, type Run, type RunNames } from './run.ts';

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

  get all(): readonly Run[] {
    return [...this.before, ...this.changed.values()];
  }

  /** @throws BoundaryError TOO_LARGE: the body has too many runs */
  runOf(event: AgUiEvent): Run {
    const run = this.find(event);
    for (const id of idsOf(event, OWN_IDS)) this.byId.set(id, run);
    return (this.current = run);
  }

  /** From now on this is what is known of the runs. @returns takes that back, where nothing has come since */
  commit(now: number): () => void {
    const before = [...this.changed.values()].map((run) => {
      const key = keyOf(this.sender, run.runId);
      const held = this.runs.get(key);
      this.runs.put(this.sender, run, now);
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
    if (type === 'RUN_STARTED' && typeof runId === 'string') {
      const known = this.known(runId);
      const names = { runId, threadId: typeof threadId === 'string' ? threadId : '' };
      return this.begin({ ...names, attempt: known ? known.attempt + 1 : 0, isImplied: false }, event);
    }
    const named = type === 'RUN_FINISHED' && typeof runId === 'string' ? this.known(runId) : undefined;
    const run = named ?? this.runWith(event) ?? this.goingOn();
    if (run) return this.changing(run);
    const id =
      this.named ??
      this.sender.taskId ??
      (typeof runId === 'string' ? runId : undefined) ??
      idsOf(event, ID_FIELDS)[0];
    return this.begin({ runId: id ?? 'unnamed', threadId: '', attempt: 0, isImplied: true }, event);
  }

  private begin(names: Omit<RunNames, 'agent' | 'taskId'>, { time }: AgUiEvent): Run {
    const { agent, taskId = names.runId } = this.sender;
    const run = newRun({ ...names, agent, taskId }, time ?? epochMs(this.received));
    const before = this.changed.get(run.runId);
    if (before) this.before.push(before);
    return this.add(run);
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
    const named = this.named === undefined ? undefined : this.known(this.named);
    if (named && (!inBodyOnly || this.changed.has(named.runId))) yield named;
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
    const { current, named, sender } = this;
    if (current?.isOver === false) return current;
    if (named !== undefined && !current) return this.known(named);
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

/** Ids of what an event is about. */
const OWN_IDS = ['messageId', 'toolCallId', 'entityId', 'subagentRunId'];
const ID_FIELDS = [...OWN_IDS, 'parentToolCallId', 'parentMessageId'];

function idsOf({ fields }: AgUiEvent, names: readonly string[]): readonly string[] {
  return names.map((field) => fields[field]).filter((id) => typeof id === 'string');
}
