import type { IsOver, Work } from '../../base/in-turns.ts';
import type { JsonObject } from '../../base/json.ts';
import { endOf } from '../../model/failure.ts';
import type { StepTexts } from '../../model/facts.ts';
import { TOLD, TOLD_KEY } from '../../model/mew.ts';
import type { ExplanationNode, GraphUpdate } from '../../model/node.ts';
import { startOf } from '../../model/in-time.ts';
import { momentsOf, type Moment } from '../ag-ui/moments.ts';
import { TaskGraph } from '../ag-ui/task-graph.ts';
import {
  aimOf,
  bounded,
  endMessageId,
  figuresOf,
  messageOf,
  resultOf,
  stepMessageId,
  taskMessageId,
  toldOf,
  wordsOf,
  type MewMessage,
  type Said,
} from './message.ts';

/** Contexts in one another: readers take 32 parts of a path, and the task itself is the first. */
const MAX_DEPTH = 30;
/** Ids that one message answers. */
const MAX_ANSWERS = 16;
/** What MEW calls reasoning, but for the words that ask an agent to stop: a step that is told asks nobody. */
const OWN_KIND = /^(?!start$|cancel$|interrupt|conclusion$)[a-z][a-z-]{0,40}$/;
/** Messages in a context that are no reasoning. */
const OTHER_KIND = /^(?:chat|mcp\/(?:proposal|withdraw|reject))$/;

interface Told {
  /** What others stand in, with its path; or a message by itself. */
  readonly path: readonly string[] | undefined;
  isOver: boolean;
}

/** Where a message stands, and what it answers because it cannot stand within it. */
interface Place {
  readonly path: readonly string[];
  readonly answers: readonly string[];
}

/**
 * A task as messages of MEW: itself a context, in which each step that contains others is one. A step by itself is said
 * when it is over, so that nothing is said that still grows. It reads and waits for nothing: it is given what changed, says
 * of which nodes there is something to tell, and makes the messages when it is given their texts.
 */
export class MewTask {
  readonly graph = new TaskGraph();
  readonly taskId: string;
  private readonly fromOf: (node: ExplanationNode) => string;
  private readonly told = new Map<string, Told>();
  private readonly changed = new Set<string>();
  /** What ends contexts that came as MEW, by their paths. */
  private readonly conclusions = new Map<string, string>();
  private readonly context: string;
  private hasBegun = false;
  private hasFinished = false;
  /** The agent and time of the last message. */
  private last: { readonly from: string; readonly at: number } | undefined;
  private out: MewMessage[] = [];

  /** @param fromOf in whose name the message of a step is */
  constructor(taskId: string, fromOf: (node: ExplanationNode) => string) {
    this.taskId = taskId;
    this.fromOf = fromOf;
    this.context = taskMessageId(taskId);
  }

  /** The graph is another now. */
  change(update: GraphUpdate): void {
    this.graph.apply(update);
    for (const node of update.addedNodes) {
      this.changed.add(node.id);
      const key = contextKey(node);
      if (node.details?.['reasoningKind'] !== 'conclusion' || key === undefined) continue;
      if (!this.conclusions.has(key)) this.conclusions.set(key, node.id);
    }
  }

  /** What is there was told before, by this service as it was; what runs is told when it ends. */
  skipPast(): void {
    for (const node of this.graph.nodes()) {
      const isContext = this.isContext(node);
      if (node.state === 'RUNNING' && !isContext) continue;
      this.hasBegun = true;
      this.told.set(node.id, { path: undefined, isOver: node.state !== 'RUNNING' });
    }
    for (const node of this.graph.nodes())
      if (this.isContext(node) && this.told.has(node.id))
        this.told.set(node.id, {
          path: this.insideOf(node, this.placeOf(node)),
          isOver: node.state !== 'RUNNING',
        });
    this.changed.clear();
  }

  /** What there is to tell of all that changed since it was last asked. */
  *takeMoments(isOver: IsOver): Work<readonly Moment[]> {
    const nodes = [...this.changed].map((id) => this.graph.node(id)).filter((node) => node !== undefined);
    this.changed.clear();
    const isToldToEnd = ({ id }: ExplanationNode): boolean => this.told.get(id)?.isOver === true;
    const causesOf = (id: string): Iterable<string> => this.graph.edgesInto(id).map(({ from }) => from);
    const moments = yield* momentsOf(nodes, isToldToEnd, causesOf, isOver);
    return moments.filter((moment) => this.isNews(moment));
  }

  /** @param texts of its node */
  tell(moment: Moment, texts: StepTexts): readonly MewMessage[] {
    const { node, what } = moment;
    if (this.isNews(moment)) {
      if (what === 'ends') this.end(node, texts);
      else if (isQuestion(node)) this.ask(node, texts);
      else this.open(node, texts);
    }
    return this.taken();
  }

  /** The task is over. */
  finish(): readonly MewMessage[] {
    if (this.hasBegun && !this.hasFinished && this.last !== undefined) {
      this.hasFinished = true;
      const payload = { message: '', [TOLD_KEY]: { [TOLD.task]: this.taskId, [TOLD.ends]: true } };
      this.say({
        id: endMessageId(this.context),
        ...this.last,
        kind: 'reasoning/conclusion',
        context: [this.context],
        payload,
      });
    }
    return this.taken();
  }

  private isNews({ node, what }: Moment): boolean {
    const told = this.told.get(node.id);
    if (what === 'ends') return told?.isOver !== true;
    return told === undefined && (isQuestion(node) || this.isContext(node));
  }

  private isContext(node: ExplanationNode): boolean {
    if (isQuestion(node)) return false;
    return this.graph.isContainer(node.id) || node.details?.['reasoningKind'] === 'start';
  }

  /** What somebody asked before anything was done is what the task answers; later it is said within it. */
  private ask(node: ExplanationNode, texts: StepTexts): void {
    this.told.set(node.id, { path: undefined, isOver: true });
    const text = wordsOf(node, texts);
    const id = stepMessageId(node.id);
    const at = startOf(node);
    const from = this.fromOf(node);
    const isFirst = !this.hasBegun && this.graph.edgesInto(node.id).length === 0;
    const place = isFirst ? { path: [], answers: [] } : this.placeOf(node);
    const answers = this.answersOf(node, place);
    const payload = { text, [TOLD_KEY]: toldOf(node) };
    this.say({ id, at, from, kind: 'chat', context: place.path, answers, payload });
    if (isFirst) this.begin(node, [id], text);
  }

  private begin(node: ExplanationNode, answers: readonly string[], message: string): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    const payload = { message, [TOLD_KEY]: { [TOLD.task]: this.taskId } };
    this.say({
      id: this.context,
      at: startOf(node),
      from: this.fromOf(node),
      kind: 'reasoning/start',
      context: [],
      answers,
      payload,
    });
  }

  private open(node: ExplanationNode, texts: StepTexts = {}): void {
    const place = this.placeOf(node);
    const inside = this.insideOf(node, place);
    if (inside === undefined) return;
    this.told.set(node.id, { path: inside, isOver: false });
    this.say({
      id: stepMessageId(node.id),
      at: startOf(node),
      from: this.fromOf(node),
      kind: 'reasoning/start',
      context: place.path,
      answers: this.answersOf(node, place),
      payload: { message: aimOf(node, texts), [TOLD_KEY]: toldOf(node) },
    });
  }

  /** Undefined where it would be too deep: then it is said as a step by itself. */
  private insideOf({ id }: ExplanationNode, { path }: Place): readonly string[] | undefined {
    return path.length > MAX_DEPTH ? undefined : [...path, stepMessageId(id)];
  }

  private end(node: ExplanationNode, texts: StepTexts): void {
    const told = this.told.get(node.id);
    if (told === undefined) this.sayWhole(node, texts);
    else if (!told.isOver) {
      told.isOver = true;
      if (!this.endsByItself(node)) this.conclude(node, texts, told.path ?? []);
    }
  }

  private conclude(node: ExplanationNode, texts: StepTexts, context: readonly string[]): void {
    const message = resultOf(texts);
    const isCancelled = node.state === 'ABANDONED';
    this.say({
      id: endMessageId(stepMessageId(node.id)),
      at: endOf(node),
      from: this.fromOf(node),
      kind: 'reasoning/conclusion',
      context,
      payload: {
        ...(message !== undefined && { message }),
        ...errorOf(node, texts),
        ...(isCancelled && { cancelled: true, reason: 'abandoned' }),
        [TOLD_KEY]: { [TOLD.node]: node.id, [TOLD.ends]: true, ...figuresOf(node) },
      },
    });
  }

  private sayWhole(node: ExplanationNode, texts: StepTexts): void {
    if (isQuestion(node)) return this.ask(node, texts);
    const place = this.placeOf(node);
    this.told.set(node.id, { path: undefined, isOver: true });
    const said: Omit<Said, 'kind' | 'payload'> = {
      id: stepMessageId(node.id),
      at: startOf(node),
      from: this.fromOf(node),
      context: place.path,
      answers: this.answersOf(node, place),
    };
    if (node.type === 'TOOL_CALL') return this.sayCall(node, texts, said);
    const kind = this.concludes(node) ? 'reasoning/conclusion' : kindOf(node);
    const words = wordsOf(node, texts);
    this.say({
      ...said,
      kind,
      payload: {
        [kind === 'chat' ? 'text' : 'message']: words,
        ...errorOf(node, texts),
        ...(kind === 'reasoning/conclusion' && node.status === 'WARNING' && { cancelled: true }),
        [TOLD_KEY]: toldOf(node),
      },
    });
  }

  /** What came as MEW ends by its own message. */
  private endsByItself(node: ExplanationNode): boolean {
    const conclusion = this.graph.node(this.conclusions.get(contextKey(node) ?? '') ?? '');
    if (conclusion?.type !== 'REASONING' || this.isContext(conclusion)) return false;
    return node.details?.['reasoningKind'] === 'start' && this.graph.parentOf(conclusion.id)?.id === node.id;
  }

  private concludes(node: ExplanationNode): boolean {
    const around = this.graph.parentOf(node.id);
    if (around === undefined || this.conclusions.get(contextKey(node) ?? '') !== node.id) return false;
    // What lies too deep was told as a thought: its conclusion would end what is around it.
    if (this.told.get(around.id)?.path === undefined) return false;
    return this.endsByItself(around) && around.state !== 'RUNNING';
  }

  /** To the one who says it, so that nobody takes it for a request: it was made long ago. */
  private sayCall(node: ExplanationNode, texts: StepTexts, said: Omit<Said, 'kind' | 'payload'>): void {
    const { toolName } = node.details ?? {};
    const name = typeof toolName === 'string' ? toolName : node.name;
    const params = { name, arguments: parsed(texts.toolArguments) };
    this.say({
      ...said,
      to: [said.from],
      kind: 'mcp/request',
      payload: { method: 'tools/call', params, [TOLD_KEY]: toldOf(node) },
    });
    if (node.state !== 'ENDED') return;
    const text = bounded(texts.toolResult ?? texts.completion ?? '');
    this.say({
      ...said,
      to: [said.from],
      id: endMessageId(said.id),
      at: endOf(node),
      kind: 'mcp/response',
      answers: [said.id],
      payload: {
        result: { content: [{ type: 'text', text }] },
        ...errorOf(node, texts),
        [TOLD_KEY]: { [TOLD.node]: node.id, [TOLD.ends]: true, ...figuresOf(node) },
      },
    });
  }

  /** In what contains it; what is said already, and is no context, it answers. */
  private placeOf(node: ExplanationNode): Place {
    const parent = this.graph.parentOf(node.id);
    if (parent === undefined) {
      this.begin(node, [], node.title);
      return { path: [this.context], answers: [] };
    }
    if (!this.told.has(parent.id) && this.isContext(parent)) this.open(parent);
    const inside = this.told.get(parent.id)?.path;
    if (inside !== undefined) return { path: inside, answers: [] };
    return { path: this.placeOf(parent).path, answers: [stepMessageId(parent.id)] };
  }

  /** What else led to it. */
  private answersOf(node: ExplanationNode, { path, answers }: Place): readonly string[] {
    const causes = this.graph.edgesInto(node.id).map(({ from }) => stepMessageId(from));
    const others = new Set([...answers, ...causes]);
    others.delete(path.at(-1) ?? '');
    return [...others].slice(0, MAX_ANSWERS);
  }

  private say(said: Said): void {
    this.last = { from: said.from, at: Math.max(said.at, this.last?.at ?? -Infinity) };
    this.out.push(messageOf(said));
  }

  private taken(): readonly MewMessage[] {
    const { out } = this;
    this.out = [];
    return out;
  }
}

/** Of a message of MEW: the context that it opens or stands in. */
function contextKey({ details }: ExplanationNode): string | undefined {
  const path = details?.['contextPath'];
  return typeof path === 'string' ? JSON.stringify([details?.['sessionId'], path]) : undefined;
}

function isQuestion({ type }: ExplanationNode): boolean {
  return type === 'USER_QUERY';
}

/** What came as MEW is said as it came. */
function kindOf({ name, details }: ExplanationNode): string {
  const kind = details?.['reasoningKind'];
  if (typeof kind === 'string' && OWN_KIND.test(kind)) return `reasoning/${kind}`;
  return details?.['convention'] === 'mew' && OTHER_KIND.test(name) ? name : 'reasoning/thought';
}

function errorOf({ status, details, title }: ExplanationNode, { error }: StepTexts): JsonObject {
  if (status !== 'ERROR') return {};
  const message = error ?? details?.['errorMessage'] ?? title;
  return { error: { message: typeof message === 'string' ? bounded(message) : title } };
}

/** JSON as what it says. */
function parsed(text: string | undefined): unknown {
  if (text === undefined) return {};
  const short = bounded(text);
  try {
    return JSON.parse(short) as unknown;
  } catch {
    return short;
  }
}
