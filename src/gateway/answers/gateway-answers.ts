import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import { wholeInTurns } from '../../base/in-turns.ts';
import type { Turns } from '../../base/pace.ts';
import { Slots } from '../../base/slots.ts';
import type { AdaptationEffect, AdaptationTimeline } from '../../model/adaptation-effect.ts';
import { compareText } from '../../model/compare-text.ts';
import type { CompareAnswer } from '../../model/compare.ts';
import type { StepTexts } from '../../model/facts.ts';
import type { ExplanationGraph } from '../../model/node.ts';
import type { Noticed } from '../../model/noticed.ts';
import type { PatternsAnswer } from '../../model/patterns.ts';
import type { Pruned } from '../../model/pruned.ts';
import type { NodeDetail } from '../../model/reader-messages.ts';
import type { SearchPage } from '../../model/search.ts';
import type { ViewRequest } from '../../model/subscription-request.ts';
import type { TaskSummary } from '../../model/summary.ts';
import type { TaskPage } from '../../model/task-query.ts';
import type { SpikesAnswer, WhyAnswer } from '../../model/why.ts';
import { compareAnswer, spikesAnswer, summaryAnswer, whyAnswer } from '../../subscriptions/answers.ts';
import { findEffect } from '../../subscriptions/adaptation-effect.ts';
import { findPatterns } from '../../subscriptions/patterns.ts';
import {
  parseFilters,
  parseId,
  parsePage,
  parseRequest,
  parseTwoTasks,
  parseWhyQuestion,
} from '../../subscriptions/parse-request.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import { structureGraph } from '../../subscriptions/structure-graph.ts';
import { structureOf } from '../../subscriptions/structure-node.ts';
import type { Detail } from '../../subscriptions/view-spec.ts';
import { askCells } from './ask-cells.ts';
import type { AskedCell, CellAnswers } from './asked-cell.ts';
import { FinishedTasks } from './finished-tasks.ts';
import { mergedGraph } from './merged-graph.ts';
import { mergedSearch } from './merged-search.ts';
import { mergedSpikes } from './merged-spikes.ts';
import { mergedTasks } from './merged-tasks.ts';
import { absenceNotices, byPartsNotices, noticed, sharedNotices } from '../notices.ts';
import { isThoughtAlone } from '../owner.ts';
import { assertKnown, whereabouts, wholeTasks, type WholeTasks } from './whole-tasks.ts';

export interface GatewayAnswersOptions {
  /**
   * The cells as they are now, asked on behalf of whoever the answers are for.
   * @param detail how little these may see; all if absent
   */
  readonly cells: (detail?: Detail) => readonly AskedCell[];
  readonly clock: Clock;
  readonly pace: Turns;
}

/**
 * Answers for which whole graphs of cells are held at the same time; each may be as large as what a client of a cell takes,
 * once for every cell.
 */
const GRAPHS_AT_ONCE = 4;
/** Those that wait for it hold nothing yet. */
const GRAPHS_WAITING = 1_000;
const REFUSAL = 'too many large graphs are asked for; try again later';

/** What the gateway answers to single questions, made of what cells answer. What is missing is said in `notices`. */
export class GatewayAnswers implements Omit<
  ReaderApi,
  'subscribe' | 'updateFilters' | 'expand' | 'collapse' | 'expandTask' | 'unsubscribe'
> {
  private readonly options: GatewayAnswersOptions;
  private readonly graphs = new Slots({ most: GRAPHS_AT_ONCE, mostWaiting: GRAPHS_WAITING }, REFUSAL);

  constructor(options: GatewayAnswersOptions) {
    this.options = options;
  }

  getGraph(
    request: unknown,
    isWanted: () => boolean = () => true,
    detail?: Detail,
  ): Promise<ExplanationGraph> {
    parseRequest(request);
    const { clock, pace } = this.options;
    const isOver = (): boolean => pace.isOver;
    return this.inSlot(async () => {
      assertWanted(isWanted);
      const found = await askCells(
        this.cells(detail),
        (of) => of.getGraph((request ?? {}) as ViewRequest),
        clock,
      );
      assertWanted(isWanted);
      const parts = found.answers.map(({ cell, answer }) => ({ cell, graph: answer }));
      const { graph, shared } = await wholeInTurns(mergedGraph(parts, isOver), pace);
      const own = parts.flatMap(({ graph: of }) => of.notices ?? []);
      const notices = [...own, ...absenceNotices(found.failures), ...sharedNotices(shared)];
      return noticed(detail ? { ...graph, nodes: graph.nodes.map(structureOf) } : graph, notices);
    });
  }

  async getNode(nodeId: unknown, page?: unknown): Promise<NodeDetail> {
    return this.findNode(parseId(nodeId, 'nodeId'), parsePage(page));
  }

  listTasks(query?: unknown): Promise<TaskPage> {
    return mergedTasks(this.cells(), query, this.options.clock);
  }

  search(query: unknown): Promise<SearchPage> {
    return mergedSearch(this.cells(), query, this.options.clock);
  }

  async why(question: unknown, detail?: Detail): Promise<WhyAnswer> {
    const asked = parseWhyQuestion(question);
    const found = 'taskId' in asked ? undefined : await this.findNode(asked.nodeId, {}, detail);
    const taskId = 'taskId' in asked ? asked.taskId : (found?.node.taskId ?? '');
    const answer = await this.aboutTasks(
      [taskId],
      (of) => of.why(asked),
      ({ graph, lastUpdated, loadTexts }) =>
        whyAnswer(graph, asked, loadTexts, lastUpdated, this.options.pace),
      detail,
    );
    return noticed(answer, found?.notices ?? []);
  }

  async spikes(taskId: unknown): Promise<SpikesAnswer> {
    if (taskId !== undefined) {
      const id = parseId(taskId, 'taskId');
      return this.aboutTasks(
        [id],
        (of) => of.spikes(id),
        ({ graph }) => spikesAnswer(graph, id, this.options.pace),
      );
    }
    const { clock } = this.options;
    const cells = this.cells();
    const found = await askCells(cells, (of) => of.spikes(undefined), clock);
    const answer = mergedSpikes(found.answers);
    const named = [...new Set(answer.spikes.map((spike) => spike.taskId))];
    const { shared } = await whereabouts(cells, named, clock);
    return noticed(answer, [...absenceNotices(found.failures), ...byPartsNotices(shared)]);
  }

  compare(question: unknown, detail?: Detail): Promise<CompareAnswer> {
    const tasks = parseTwoTasks(question);
    return this.aboutTasks(
      [tasks.a, tasks.b],
      (of) => of.compare(tasks.a, tasks.b),
      ({ graph, loadTexts }) => compareAnswer(graph, tasks, loadTexts, this.options.pace),
      detail,
      ['a', 'b'],
    );
  }

  async summary(taskId: unknown, detail?: Detail): Promise<TaskSummary> {
    const id = parseId(taskId, 'taskId');
    return this.aboutTasks(
      [id],
      (of) => of.summary(id),
      ({ graph, lastUpdated, loadTexts }) =>
        summaryAnswer(graph, id, loadTexts, lastUpdated, this.options.pace),
      detail,
    );
  }

  async patterns(filters: unknown, detail?: Detail): Promise<PatternsAnswer> {
    const wanted = parseFilters(filters);
    const { clock, pace } = this.options;
    const finished = new FinishedTasks(this.cells(detail), clock, pace, namedIn(wanted.taskIds));
    const nodesOf: typeof finished.nodesOf = async (taskId) => {
      const nodes = await finished.nodesOf(taskId);
      return detail ? nodes.map(structureOf) : nodes;
    };
    const { tasks } = finished;
    const answer = await findPatterns(wanted, { clock, pace, tasks, nodesOf });
    return noticed(answer, absenceNotices(finished.failures));
  }

  async adaptationEffect(timeline: AdaptationTimeline): Promise<AdaptationEffect> {
    const { clock, pace } = this.options;
    const finished = new FinishedTasks(this.cells(), clock, pace);
    const answer = await findEffect(timeline, finished);
    return noticed(answer, absenceNotices(finished.failures));
  }

  async prune(olderThanMinutes: unknown): Promise<Pruned> {
    if (typeof olderThanMinutes !== 'number')
      throw new BoundaryError('INVALID_ARGUMENT', 'olderThanMinutes must be a number from 0');
    const { answers, failures } = await askCells(
      this.cells(),
      (of) => of.prune(olderThanMinutes),
      this.options.clock,
    );
    const prunedNodes = answers.reduce((sum, { answer }) => sum + answer.prunedNodes, 0);
    return noticed<Pruned>({ prunedNodes }, absenceNotices(failures));
  }

  /** The node as its owner shows it, with such texts as only another cell has, as of a thought that is not where its span is. */
  private async findNode(
    id: string,
    page: { readonly offset?: number; readonly limit?: number },
    detail?: Detail,
  ): Promise<NodeDetail> {
    const found = await askCells(this.cells(detail), (of) => of.getNode(id, page), this.options.clock);
    const details = found.answers.map(({ answer }) => answer);
    const shown = (details.find(({ node }) => !isThoughtAlone(node)) ?? details[0]) as NodeDetail;
    const others = details.flatMap(({ texts }) =>
      texts === undefined || texts === shown.texts ? [] : [texts],
    );
    const texts = Object.assign({}, ...others.reverse(), shown.texts) as StepTexts;
    return noticed(others.length === 0 ? shown : { ...shown, texts }, absenceNotices(found.failures));
  }

  /**
   * Asks the cell that alone has the tasks; where there is none, works the answer out from all their parts.
   * @param fields what the tasks are called in the question
   */
  private async aboutTasks<T extends Noticed>(
    taskIds: readonly string[],
    askCell: (answers: CellAnswers) => Promise<T>,
    work: (whole: WholeTasks) => T | Promise<T>,
    detail?: Detail,
    fields: readonly string[] = ['taskId'],
  ): Promise<T> {
    const { clock, pace } = this.options;
    const cells = this.cells(detail);
    const where = await whereabouts(cells, taskIds, clock);
    for (const [i, taskId] of taskIds.entries()) assertKnown(taskId, where, fields[i]);
    const having = new Set([...where.parts.values()].flat().map(({ cell }) => cell));
    const [only, ...others] = cells.filter(({ name }) => having.has(name));
    const notices = [...absenceNotices(where.failures), ...sharedNotices(where.shared)];
    if (only && others.length === 0) {
      const { answers } = await askCells([only], askCell, clock);
      const [first] = answers;
      if (first) return noticed(first.answer, notices);
    }
    return this.inSlot(async () => {
      const whole = await wholeTasks(cells, taskIds, where, clock, pace);
      return noticed(await work(detail ? withoutTexts(whole) : whole), notices);
    });
  }

  private cells(detail?: Detail): readonly AskedCell[] {
    return this.options.cells(detail).toSorted((a, b) => compareText(a.name, b.name));
  }

  private async inSlot<T>(make: () => Promise<T>): Promise<T> {
    const ticket = {};
    try {
      await this.graphs.take(ticket);
      return await make();
    } finally {
      this.graphs.free(ticket);
    }
  }
}

/** So many can be asked for by name; of more all are looked at. */
const MAX_NAMED = 1_000;

function namedIn(taskIds: ReadonlySet<string> | undefined): Iterable<string> | undefined {
  return taskIds && taskIds.size > 0 && taskIds.size <= MAX_NAMED ? taskIds : undefined;
}

function assertWanted(isWanted: () => boolean): void {
  if (!isWanted()) throw new BoundaryError('UNAVAILABLE', 'nobody waits for this graph any more');
}

function withoutTexts({ graph, lastUpdated }: WholeTasks): WholeTasks {
  return { graph: structureGraph(graph), lastUpdated, loadTexts: () => Promise.resolve(() => ({})) };
}
