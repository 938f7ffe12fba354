import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import { COMPARED_TEXTS } from '../model/compare.ts';
import type { StepTexts } from '../model/facts.ts';
import { MARKER } from '../model/marker.ts';
import type { ExplanationNode } from '../model/node.ts';
import { textHash } from '../model/text-hash.ts';
import { stepRole } from './step-role.ts';
import type { StepTree, TreeStep } from './step-tree.ts';

/** Of longer texts the beginning and the length are enough. */
const MAX_TEXT_CHARS = 4096;

/** By what steps are alike, the most telling first. Equal numbers: alike; NaN is like nothing. */
export interface Marks {
  /** As `whole`; of steps that only their texts tell apart also these (`unevenSteps`). */
  readonly said: number;
  /** The step, and everything inside it. */
  readonly whole: number;
  /** What a person reads of it: who, what, with which words and outcome; no figures. */
  readonly looks: number;
  /** Type, agent, and tool or name. */
  readonly kind: number;
  /** The same whoever does it. */
  readonly role: number;
  /** Whatever stands at the top of a task and contains steps is the run itself. */
  readonly run: number;
}

export const LIKENESSES = [
  'said',
  'whole',
  'looks',
  'kind',
  'role',
  'run',
] as const satisfies (keyof Marks)[];

export interface MarkedTask extends StepTree {
  /** Of every step; what is inside a step stands before it. */
  readonly marks: Map<TreeStep, Marks>;
}

export function* withMarks(task: StepTree, isOver: IsOver): Work<MarkedTask> {
  const isRest = seldom(isOver);
  const { steps, tops } = task;
  const marks = new Map<TreeStep, Marks>();
  const top = new Set(tops);
  // From the innermost: what is inside a step is known before it.
  for (let i = steps.length - 1; i >= 0; i--) {
    const step = steps[i];
    if (!step) continue;
    const looks = numberOf(looksOf(step.node));
    const whole = step.inside.reduce((sum, one) => numberOf(`${sum} ${marks.get(one)?.whole}`), looks);
    marks.set(step, {
      said: whole,
      whole,
      looks,
      kind: numberOf(`${step.node.agent}\n${roleOf(step.node)}`),
      role: numberOf(roleOf(step.node)),
      run: top.has(step) && step.inside.length > 0 ? 0 : NaN,
    });
    if (isRest()) yield;
  }
  return { ...task, marks };
}

/** Steps that look like some of the other task, which has more or fewer of them: only texts tell which of them are left over. */
export function* unevenSteps(
  { marks }: MarkedTask,
  { marks: others }: MarkedTask,
  isOver: IsOver,
): Work<readonly TreeStep[]> {
  const isRest = seldom(isOver);
  const more = new Map<number, number>();
  for (const { whole } of others.values()) {
    more.set(whole, (more.get(whole) ?? 0) - 1);
    if (isRest()) yield;
  }
  const ofBoth: TreeStep[] = [];
  for (const [step, { whole }] of marks) {
    const before = more.get(whole);
    if (before !== undefined) {
      more.set(whole, before + 1);
      ofBoth.push(step);
    }
    if (isRest()) yield;
  }
  return ofBoth.filter((step) => more.get(marks.get(step)?.whole ?? NaN) !== 0);
}

/** Makes a mark of the texts of a step, too; what is inside it goes first. */
export function markTexts({ marks }: MarkedTask, step: TreeStep, texts: StepTexts): void {
  const known = marks.get(step);
  if (!known) return;
  const said = [
    known.whole,
    ...step.inside.map((one) => marks.get(one)?.said),
    ...COMPARED_TEXTS.map((field) => {
      const text = texts[field] ?? '';
      return `${text.length} ${numberOf(withoutCodes(text.slice(0, MAX_TEXT_CHARS)))}`;
    }),
  ];
  marks.set(step, { ...known, said: numberOf(said.join('\n')) });
}

/** The codes of markers say nothing across tasks: each becomes the number of its first place in the text. */
export function withoutCodes(text: string): string {
  const codes = new Map<string, number>();
  return text.replace(MARKER, (marker) => {
    const place = codes.get(marker) ?? codes.size + 1;
    codes.set(marker, place);
    return `${marker.slice(0, marker.indexOf(':') + 1)}${place}]`;
  });
}

function looksOf(node: ExplanationNode): string {
  const { agent, model = '', status, title, promptSummary = '' } = node;
  return [roleOf(node), agent, model, status, withoutCodes(title), withoutCodes(promptSummary)].join('\n');
}

function roleOf(node: ExplanationNode): string {
  const { type, tool = '', name = '' } = stepRole(node);
  return [type, tool, name].join('\n');
}

function numberOf(text: string): number {
  return Number(textHash(text, 0));
}
