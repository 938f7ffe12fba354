import { seldom, wholeInTurns } from '../base/in-turns.ts';
import type { Turns } from '../base/pace.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import {
  COMPARED_FIGURES,
  COMPARED_TEXTS,
  COMPARED_WORDS,
  type CompareAnswer,
  type ComparedField,
  type ComparedStep,
} from '../model/compare.ts';
import { alignTasks, type AlignedStep } from './align-tasks.ts';
import { differingFields, differingTexts } from './differences.ts';
import { diverges, firstDivergence, statementOf, type Compared } from './first-divergence.ts';
import type { TextsOf } from './run.ts';
import { markTexts, unevenSteps, withMarks, type MarkedTask } from './likeness.ts';
import { stepTree } from './step-tree.ts';

/** So many steps are shown. */
const MAX_STEPS = 1_000;
/**
 * Texts are compared of the first so many pairs. Before that they are read of as many steps of each task, those that look
 * alike: as long as a person waits.
 */
const MAX_TEXTS = 1_000;
/** Texts read at once. */
const TEXTS_AT_ONCE = 50;

const NOTICE =
  'Steps are put side by side by what contains them, their order, type, agent, and tool or name; a step that moved ' +
  'elsewhere stands as one of each task. Different does not mean wrong.';

const FIELDS: readonly ComparedField[] = [...COMPARED_WORDS, ...COMPARED_TEXTS, ...COMPARED_FIGURES];

type Load = (nodeIds: readonly string[]) => Promise<TextsOf>;

/**
 * Two tasks step by step, in turns of the event loop. A function of the graph and its texts alone, and the same for both
 * orders of the tasks but for the sides.
 * @param load gets the texts of nodes
 */
export async function compareTasks(
  graph: GraphReader,
  taskA: string,
  taskB: string,
  load: Load,
  pace: Turns,
): Promise<CompareAnswer> {
  const isOver = (): boolean => pace.isOver;
  const marked = async (taskId: string): Promise<MarkedTask> => {
    const steps = await wholeInTurns(stepTree(graph, taskId, isOver), pace);
    return wholeInTurns(withMarks(steps, isOver), pace);
  };
  const [a, b] = [await marked(taskA), await marked(taskB)];
  for (const [task, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const uneven = await wholeInTurns(unevenSteps(task, other, isOver), pace);
    await withTexts(
      uneven,
      ({ node }) => [node.id],
      (step, textsOf) => markTexts(task, step, textsOf(step.node.id)),
      load,
      pace,
    );
  }
  // Of several longest common parts the same one is taken for both orders.
  const isTurned = taskB < taskA;
  const found = await wholeInTurns(isTurned ? alignTasks(b, a, isOver) : alignTasks(a, b, isOver), pace);
  const aligned = isTurned ? found.map(turned) : found;
  const texts = await differencesInTexts(aligned, load, pace);
  const isRest = seldom(isOver);
  const compared: Compared[] = [];
  const counts = { same: 0, differing: 0, onlyA: 0, onlyB: 0 };
  for (const step of aligned) {
    const one = compare(step, texts.get(step));
    compared.push(one);
    counts[countOf(one)]++;
    if (isRest()) await pace.rest();
  }
  const first = await wholeInTurns(firstDivergence(compared, isOver), pace);
  const shown = mostTelling(compared, first);
  return {
    a: taskA,
    b: taskB,
    steps: shown.map(({ nodeA: _a, nodeB: _b, ...step }) => step),
    ...(first && { firstDivergence: { step: shown.indexOf(first), statement: statementOf(first) } }),
    counts: { ...counts, textsCompared: texts.size },
    totals: { a: a.overview, b: b.overview },
    models: { a: a.models, b: b.models },
    outcome: { ...(a.failed && { a: a.failed.id }), ...(b.failed && { b: b.failed.id }) },
    nodes: shown.flatMap(({ nodeA, nodeB }) => [nodeA, nodeB]).filter((node) => node !== undefined),
    notice: NOTICE,
    ...(shown.length < compared.length && { truncated: true }),
  };
}

function turned({ a, b, depth }: AlignedStep): AlignedStep {
  return { a: b, b: a, depth };
}

function countOf(step: ComparedStep): 'same' | 'differing' | 'onlyA' | 'onlyB' {
  if (step.b === undefined) return 'onlyA';
  if (step.a === undefined) return 'onlyB';
  return step.differs.length > 0 ? 'differing' : 'same';
}

async function differencesInTexts(
  aligned: readonly AlignedStep[],
  load: Load,
  pace: Turns,
): Promise<ReadonlyMap<AlignedStep, readonly ComparedField[]>> {
  const differing = new Map<AlignedStep, readonly ComparedField[]>();
  const pairs = aligned.flatMap((step) => (step.a && step.b ? [{ step, a: step.a, b: step.b }] : []));
  await withTexts(
    pairs,
    ({ a, b }) => [a.node.id, b.node.id],
    ({ step, a, b }, textsOf) => differing.set(step, differingTexts(textsOf(a.node.id), textsOf(b.node.id))),
    load,
    pace,
  );
  return differing;
}

/** Reads the texts of the first of these, `MAX_TEXTS` at most. */
async function withTexts<T>(
  all: readonly T[],
  idsOf: (one: T) => readonly string[],
  look: (one: T, textsOf: TextsOf) => void,
  load: Load,
  pace: Turns,
): Promise<void> {
  for (let from = 0; from < Math.min(all.length, MAX_TEXTS); from += TEXTS_AT_ONCE) {
    const some = all.slice(from, from + TEXTS_AT_ONCE);
    const textsOf = await load(some.flatMap(idsOf));
    for (const one of some) {
      look(one, textsOf);
      if (pace.isOver) await pace.rest();
    }
  }
}

function compare({ a, b, depth }: AlignedStep, inTexts: readonly ComparedField[] = []): Compared {
  const fields = a && b ? [...differingFields(a.node, b.node), ...inTexts] : [];
  return {
    ...(a && { a: a.node.id }),
    ...(b && { b: b.node.id }),
    depth,
    differs: FIELDS.filter((field) => fields.includes(field)),
    nodeA: a?.node,
    nodeB: b?.node,
  };
}

/** Those that are shown, in reading order. Where not all are, steps that diverge are kept first, then those that differ. */
function mostTelling(compared: readonly Compared[], first: Compared | undefined): readonly Compared[] {
  if (compared.length <= MAX_STEPS) return compared;
  const diverging = compared.filter(diverges);
  const differing = compared.filter((step) => countOf(step) === 'differing');
  const shown = new Set<Compared>(first && [first]);
  for (const step of [...diverging, ...differing, ...compared]) {
    if (shown.size === MAX_STEPS) break;
    shown.add(step);
  }
  return compared.filter((step) => shown.has(step));
}
