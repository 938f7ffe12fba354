import type { IsOver, Work } from '../../base/in-turns.ts';
import type { StepTexts } from '../../model/facts.ts';
import type { ExplanationNode, GraphUpdate } from '../../model/node.ts';
import { GRAPH_UPDATE, METADATA_KEY, type TaskEvent } from './events.ts';
import { momentsOf, type Moment } from './moments.ts';
import { taskEnd, type TaskEnd } from './run-end.ts';
import { SubAgents } from './subagents.ts';
import { TaskGraph } from './task-graph.ts';
import { Teller, type Run } from './teller.ts';
import type { Telling } from './tellings/telling.ts';
import { shapeOf, tellingOf, type Shape } from './tellings/telling-of.ts';
import { isPartOfThought } from './tellings/thought.ts';

/** The ids of a run, as who asked for it gave them. The task is the thread. */
export interface RunIds {
  readonly threadId: string;
  readonly runId: string;
}

/** A node of which something was told. */
interface Told {
  readonly teller: Teller;
  shape: Shape;
  /** It may turn out to be something else than it was told as; that it is told as, too. */
  readonly tellings: Map<Shape, Telling>;
  /** Its end was told. */
  hasEnded: boolean;
}

/**
 * A task's graph as one run of AG-UI. It reads and waits for nothing: it is given what changed, says of which nodes there
 * is something to tell, and makes the events when it is given their texts.
 */
export class TaskRun {
  readonly graph = new TaskGraph();
  private readonly ids: RunIds;
  private readonly told = new Map<string, Told>();
  /** Nodes whose end was not told, in the order in which they began. */
  private readonly open = new Set<string>();
  private readonly changed = new Set<string>();
  private readonly agents: SubAgents;
  private readonly run: Run;
  private out: TaskEvent[] = [];

  constructor(ids: RunIds) {
    this.ids = ids;
    const tell = (event: TaskEvent): void => void this.out.push(event);
    this.agents = new SubAgents(this.graph, tell);
    const ownerOf = (nodeId: string): string | undefined => this.agents.ownerOf(nodeId);
    this.run = { graph: this.graph, tell, ownerOf, thoughts: new Set(), stepNames: new Set() };
  }

  /** The first event. */
  begin(): readonly TaskEvent[] {
    const metadata = { [METADATA_KEY]: { taskId: this.ids.threadId } };
    return [{ type: 'RUN_STARTED', ...this.ids, protocolVersion: '1.0', metadata }];
  }

  /** The graph is another now. */
  change(update: GraphUpdate): readonly TaskEvent[] {
    this.graph.apply(update);
    for (const { id } of update.addedNodes) this.changed.add(id);
    const isEmpty = Object.values(update).every((items) => typeof items === 'string' || items.length === 0);
    return isEmpty ? [] : [{ type: 'CUSTOM', name: GRAPH_UPDATE, value: update }];
  }

  /** What there is to tell of all that changed since it was last asked. */
  *takeMoments(isOver: IsOver): Work<readonly Moment[]> {
    const nodes = [...this.changed].map((id) => this.graph.node(id)).filter((node) => node !== undefined);
    this.changed.clear();
    const isToldToEnd = ({ id }: ExplanationNode): boolean => this.told.get(id)?.hasEnded === true;
    const causesOf = (id: string): Iterable<string> => this.graph.edgesInto(id).map(({ from }) => from);
    return yield* momentsOf(nodes, isToldToEnd, causesOf, isOver);
  }

  /** Does telling it take the texts of its node? */
  needsTexts({ node, what }: Moment): boolean {
    if (what === 'begins') return !isPartOfThought(node, this.run);
    return node.status === 'ERROR' || shapeOf(node) === 'tool call';
  }

  /** @param texts of its node, where they are needed */
  tell({ node, what }: Moment, texts: StepTexts = {}): readonly TaskEvent[] {
    const told = this.toldOf(node);
    const telling = this.tellingOf(told);
    if (what === 'ends') this.end(told, texts);
    else {
      telling.grow(texts);
      if (told.hasEnded) telling.end(texts);
    }
    return this.taken();
  }

  /** What it came to. */
  sumUp(isOver: IsOver): Work<TaskEnd> {
    return taskEnd(this.graph, this.ids.threadId, isOver);
  }

  /** The last events: what is open ends, and then the run. */
  finish({ overview, usage, failed }: TaskEnd): readonly TaskEvent[] {
    this.endAll();
    const told = {
      ...(usage.length > 0 && { usage }),
      metadata: { [METADATA_KEY]: { taskId: this.ids.threadId, overview } },
    };
    this.out.push(
      failed
        ? { type: 'RUN_ERROR', code: 'task_failed', message: failed.title, ...told }
        : { type: 'RUN_FINISHED', ...this.ids, outcome: { type: 'success' }, ...told },
    );
    return this.taken();
  }

  /** The last events of a run that can't be told to its end. */
  breakOff(code: string, message: string): readonly TaskEvent[] {
    this.endAll();
    this.out.push({ type: 'RUN_ERROR', code, message });
    return this.taken();
  }

  private toldOf(node: ExplanationNode): Told {
    let told = this.told.get(node.id);
    if (!told) {
      this.agents.enter(node);
      const teller = new Teller(node, this.run);
      told = { teller, shape: shapeOf(node), tellings: new Map(), hasEnded: false };
      this.told.set(node.id, told);
      this.open.add(node.id);
    }
    told.teller.node = node;
    return told;
  }

  /** It is told as what it is now. */
  private tellingOf(told: Told): Telling {
    const { teller, tellings } = told;
    const shape = shapeOf(teller.node);
    if (shape !== told.shape && !told.hasEnded) tellings.get(told.shape)?.end({});
    told.shape = shape;
    const telling = tellings.get(shape) ?? tellingOf(shape, teller);
    tellings.set(shape, telling);
    return telling;
  }

  private end(told: Told, texts: StepTexts): void {
    const { teller, shape, tellings } = told;
    if (!told.hasEnded) this.agents.leaveWithin(teller.node);
    tellings.get(shape)?.end(texts);
    if (told.hasEnded) return;
    told.hasEnded = true;
    this.open.delete(teller.node.id);
    this.agents.leave(teller.node);
  }

  private endAll(): void {
    for (const id of [...this.open].reverse()) {
      const told = this.told.get(id);
      if (told) this.end(told, {});
    }
    this.agents.finishAll();
  }

  private taken(): readonly TaskEvent[] {
    const { out } = this;
    this.out = [];
    return out;
  }
}
