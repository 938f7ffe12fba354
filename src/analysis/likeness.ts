import type { IsOver, Work } from '../base/in-turns.ts';
import { MARKER } from '../model/marker.ts';
import type { ExplanationNode } from '../model/node.ts';
import { textHash } from '../model/text-hash.ts';
import { stepRole } from './step-role.ts';
import type { StepTree, TreeStep } from './step-tree.ts';

/** Steps between two looks at the clock. */
const STEPS_A_LOOK = 100;

/** By what steps are alike, the most telling first. Equal numbers: alike; NaN is like nothing. */
export interface Marks {
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

export const LIKENESSES = ['whole', 'looks', 'kind', 'role', 'run'] as const satisfies (keyof Marks)[];

/** Marks of every step of a task. */
export function* marksOf({ steps, tops }: StepTree, isOver: IsOver): Work<ReadonlyMap<TreeStep, Marks>> {
  const marks = new Map<TreeStep, Marks>();
  const top = new Set(tops);
  // From the innermost: what is inside a step is known before it.
  for (let i = steps.length - 1; i >= 0; i--) {
    const step = steps[i];
    if (!step) continue;
    const looks = numberOf(looksOf(step.node));
    const whole = step.inside.reduce((sum, one) => numberOf(`${sum} ${marks.get(one)?.whole}`), looks);
    marks.set(step, {
      whole,
      looks,
      kind: numberOf(`${step.node.agent}\n${roleOf(step.node)}`),
      role: numberOf(roleOf(step.node)),
      run: top.has(step) && step.inside.length > 0 ? 0 : NaN,
    });
    if (i % STEPS_A_LOOK === 0 && isOver()) yield;
  }
  return marks;
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
