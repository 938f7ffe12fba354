import type { IsOver, Work } from '../base/in-turns.ts';
import type { CauseReason, CauseRule, CauseValue } from '../model/why.ts';
import { actingIn, type Acting } from './acting.ts';
import { copiesIn, type Copies } from './copies.ts';
import { failedResult, failuresIn, type FailedResult, type Failures } from './failed-result.ts';
import { hasFailed } from '../model/failure.ts';
import { isSameAttempt, Recovery, toolOf } from '../model/recovery.ts';
import type { FinalAnswer } from './final-answer.ts';
import { newsOf, type News } from './news.ts';
import type { Piece, Run, Step } from './run.ts';
import type { Place, Said } from './said.ts';
import { isNumber } from './words.ts';

/** What a rule says of a step; the way to the failure is added later. */
export interface StepReason extends Pick<CauseReason, 'rule' | 'statement' | 'strength' | 'recovered'> {
  readonly places: readonly Place[];
  readonly values: readonly CauseValue[];
}

/** Of what speaks for a step so much is quoted. */
const MAX_QUOTED = 3;
const MAX_VALUES = 5;
const MIN_NEW = 0.5;
const MIN_COPIES = 2;
const SECOND_ACT = 1;
const THIRD_ACT = 0.5;

const CHANGES = new Set(
  (
    'cancel exchange modify return update delete remove book create send submit transfer write set add pay place post ' +
    'put insert drop'
  ).split(' '),
);
const NAME_WORD = /[A-Z]?[a-z]+|[A-Z]+/;
const ASSUMES = /\b(?:assum|simulat)[a-z]{0,6}\b/i;
const CODE = /```/;
const NO_PROGRESS = [
  /"[^"\n]{0,60}progress[^"\n]{0,60}"\s{0,8}:\s{0,8}(?:\{[^{}]{0,2000}?:\s{0,8})?false/i,
  /"[^"\n]{0,60}loop[^"\n]{0,60}"\s{0,8}:\s{0,8}(?:\{[^{}]{0,2000}?:\s{0,8})?true/i,
  /\bstalled\b|\bnew plan\b|\bre-?plan(?:s|ned|ning)?\b/i,
];

/** What the rules look at. */
interface Looked {
  readonly run: Run;
  readonly final: FinalAnswer | undefined;
  readonly acting: Acting;
  readonly said: Said;
  readonly copies: Copies;
  readonly news: ReadonlyMap<Step, News>;
  readonly failures: Failures;
  readonly recovery: Recovery;
  /** The first call of the coordinator that saw no progress. */
  readonly replan: Step | undefined;
  readonly origin: Step | undefined;
}

/**
 * Looks at all steps of a run, whose texts were read.
 * @param input what the user asked; it was read, too
 */
export function* stepRules(
  run: Run,
  final: FinalAnswer | undefined,
  input: Piece,
  said: Said,
  isOver: IsOver,
): Work<StepRules> {
  const acting = actingIn(run);
  const failures = yield* failuresIn(run.steps, isOver);
  const recovery = new Recovery();
  for (const step of run.steps) if (!failures.has(step)) recovery.addWell(step.node);
  return new StepRules({
    run,
    final,
    acting,
    said,
    copies: yield* copiesIn(acting.steps, said, isOver),
    news: yield* newsOf(run.steps, said, input, isOver),
    failures,
    recovery,
    replan: yield* replanIn(acting, isOver),
    origin: final && (yield* originOf(final, run, acting, said, isOver)),
  });
}

/**
 * The rules about the steps of a run: what speaks for each, and which of them to name first. No rule has a weight that
 * was fitted to anything.
 */
export class StepRules {
  /** In the order in which they are looked at: the first for each reason, then the others. */
  readonly slate: readonly Step[];
  private readonly looked: Looked;
  private readonly lost: ReadonlyMap<Step, string>;
  private readonly byStep = new Map<Step, readonly StepReason[]>();

  constructor(looked: Looked) {
    this.looked = looked;
    this.lost = progressLost(looked);
    this.slate = this.inOrder();
  }

  /** What speaks for a step; where no rule does, its place in the run. */
  reasonsFor(step: Step): readonly StepReason[] {
    const reasons = this.ruled(step);
    return reasons.length > 0 ? reasons : [this.anyPlace(step)];
  }

  private ruled(step: Step): readonly StepReason[] {
    const known = this.byStep.get(step) ?? this.byRules(step);
    this.byStep.set(step, known);
    return known;
  }

  private byRules(step: Step): StepReason[] {
    if (!this.looked.acting.steps.includes(step)) return [];
    return [
      ...this.valueOrigin(step),
      ...this.failedAction(step),
      ...this.stateChange(step),
      ...this.unsupported(step),
      ...this.lostAt(step),
      ...this.place(step),
    ];
  }

  isLast(step: Step): boolean {
    return step === this.looked.acting.steps.at(-1);
  }

  /** How much speaks for a step: the more, the earlier it is named. */
  strengthOf(step: Step): number {
    const place = this.looked.acting.steps.indexOf(step);
    const isCopy = count(this.looked.copies.isCopy(step));
    if (place < 0) return -isCopy;
    const early = place === 1 || place === 2 ? 1 : 0;
    const others = this.ruled(step).filter(({ rule }) => rule !== 'unsupported').length;
    const unsupported = this.unsupportedBy(step).length;
    const news = this.looked.news.get(step);
    const isNewByResults = isMost(news?.share) && !isMost(news?.unfoundedShare);
    return others + unsupported + count(isNewByResults) + early - isCopy;
  }

  private inOrder(): Step[] {
    const { steps, coordinating } = this.looked.acting;
    const scored = steps.map((step) => ({ step, score: this.scoreOf(step) }));
    scored.sort((a, b) => b.score - a.score || a.step.index - b.step.index);
    const first = [
      this.looked.origin,
      steps.find((step) => this.failureOf(step)?.recovered === false) ??
        steps.find((step) => this.failureOf(step)),
      steps.findLast((step) => changingTool(step) !== undefined),
      steps[0],
      steps.at(-1),
    ].filter((step) => step !== undefined);
    return [...new Set([...first, ...scored.map(({ step }) => step), ...coordinating])];
  }

  private scoreOf(step: Step): number {
    const place = this.looked.acting.steps.indexOf(step);
    const news = this.looked.news.get(step);
    return (
      (news?.share ?? 0) +
      count(this.hasNewNumbers(step)) +
      count(this.lost.has(step)) +
      count(changingTool(step) !== undefined) +
      count(failedResult(step, this.looked.failures) !== undefined) +
      (place === 1 ? SECOND_ACT : place === 2 ? THIRD_ACT : 0) -
      count(this.looked.copies.isCopy(step)) -
      count(step.index > (this.looked.replan?.index ?? Infinity))
    );
  }

  private valueOrigin(step: Step): StepReason[] {
    const { origin, final, said } = this.looked;
    if (step !== origin || !final) return [];
    const pieces = [...step.own, ...step.results];
    const found = [...final.wanted].flatMap((token) => {
      const place = said.placeOf(token, pieces);
      return place ? [{ token, place }] : [];
    });
    found.sort((a, b) => count(isNumber(b.token)) - count(isNumber(a.token)));
    const shown = found.slice(0, MAX_VALUES);
    const values = shown.map(({ token, place }) => this.valueOf(token, place));
    return [
      {
        rule: 'valueOrigin',
        statement: `What the final answer says stands here first; ${heldByTools(shown, values)}`,
        strength: 'evidence',
        places: shown.map(({ place }) => place),
        values,
      },
    ];
  }

  /** What failed of what a step did, how often it was done again, and whether it went well then. */
  private failureOf(step: Step): (FailedResult & { later: number; recovered: boolean }) | undefined {
    const failed = failedResult(step, this.looked.failures);
    if (!failed) return undefined;
    const { node, index } = failed.step;
    const { run, recovery } = this.looked;
    const later = run.steps.filter((other) => other.index > index && isSameAttempt(other.node, node));
    return { ...failed, later: later.length, recovered: recovery.wentWell(node) };
  }

  private failedAction(step: Step): StepReason[] {
    const failed = this.failureOf(step);
    if (!failed) return [];
    const { later, recovered } = failed;
    const { node } = failed.step;
    const tool = toolOf(node);
    const by = node.status === 'ERROR' ? '' : ', though its status is OK';
    // What came after the failure that is asked about is not looked at: no word says that nothing did.
    const after = recovered
      ? `; a later call of ${node.type === 'TOOL_CALL' ? 'that tool' : 'that name'} went well`
      : later > 0
        ? `; so did the next${later > 1 ? ` ${later}` : ''}`
        : '';
    return [
      {
        rule: 'failedAction',
        statement: `${failed.step === step ? 'It' : `Its call of ${tool}`} failed${by}${after}`,
        strength: 'evidence',
        recovered,
        places: failed.place ? [failed.place] : [],
        values: [],
      },
    ];
  }

  private stateChange(step: Step): StepReason[] {
    const changing = changingTool(step);
    if (!changing) return [];
    const statement = `It had ${toolOf(changing.node)} change something`;
    const piece = step.own.find(({ nodeId }) => nodeId === changing.node.id);
    const places = piece ? [{ piece, start: 0, end: piece.text.length }] : [];
    return [{ rule: 'stateChange', statement, strength: 'evidence', places, values: [] }];
  }

  private unsupported(step: Step): StepReason[] {
    const found = this.unsupportedBy(step);
    if (found.length === 0) return [];
    const unfounded = [...(this.looked.news.get(step)?.unfounded ?? [])].slice(0, MAX_VALUES);
    const assumed = assumption(step);
    return [
      {
        rule: 'unsupported',
        statement: capital(found.join('; ')),
        strength: 'evidence',
        places: [...(assumed ? [assumed] : []), ...unfounded.map(([, place]) => place)].slice(0, MAX_QUOTED),
        values: unfounded.map(([token, place]) => this.valueOf(token, place)),
      },
    ];
  }

  private unsupportedBy(step: Step): string[] {
    const news = this.looked.news.get(step);
    const share = news?.unfoundedShare ?? 0;
    return [
      ...(isMost(share)
        ? [`${Math.round(share * 100)} % of its figures and names stand in nothing before it`]
        : []),
      ...(this.hasNewNumbers(step) ? ['it has new figures without a tool or code'] : []),
      ...(assumption(step) ? ['it assumes or simulates'] : []),
    ];
  }

  private hasNewNumbers(step: Step): boolean {
    const hasNumber = this.looked.news.get(step)?.hasUnfoundedNumber ?? false;
    return hasNumber && step.asked.length === 0 && !step.own.some(({ text }) => CODE.test(text));
  }

  private lostAt(step: Step): StepReason[] {
    const statement = this.lost.get(step);
    return statement === undefined
      ? []
      : [{ rule: 'progressLost', statement, strength: 'evidence', places: [], values: [] }];
  }

  private place(step: Step): StepReason[] {
    const { steps } = this.looked.acting;
    return [
      ...(step === steps[0] ? [byOrder('firstAct', 'The first step that did something')] : []),
      ...(step === steps.at(-1) ? [byOrder('lastAct', 'The last step that did something')] : []),
    ];
  }

  private anyPlace(step: Step): StepReason {
    const { steps, coordinating } = this.looked.acting;
    const at = steps.indexOf(step) + 1;
    return at === 0
      ? byOrder('firstAct', `Call ${coordinating.indexOf(step) + 1} of the coordinator, ${step.node.agent}`)
      : byOrder(
          at * 2 <= steps.length ? 'firstAct' : 'lastAct',
          `Step ${at} of ${steps.length} that did something`,
        );
  }

  private valueOf(value: string, place: Place): CauseValue {
    const { said, run } = this.looked;
    const support: string[] = [];
    let inToolResult = false;
    for (const step of run.steps) {
      const isTool = step.node.type === 'TOOL_CALL';
      const own = isTool ? step.own : step.own.filter(({ nodeId }) => nodeId === step.node.id);
      if (said.placeOf(value, own) === undefined) continue;
      if (isTool) inToolResult = true;
      if (step.node.id !== place.piece.nodeId) support.push(step.node.id);
    }
    return { value, firstSeen: place.piece.nodeId, support, inToolResult };
  }
}

/** The steps with which progress was lost, and how. */
function progressLost({ acting, copies, replan }: Looked): ReadonlyMap<Step, string> {
  const lost = new Map<Step, string>();
  for (const step of acting.steps) {
    const later = copies.laterOf(step);
    if (later >= MIN_COPIES && !copies.isCopy(step))
      lost.set(step, `It was done ${later} times more, nearly the same`);
  }
  const before = replan && acting.steps.findLast(({ index }) => index < replan.index);
  if (before) lost.set(before, 'The last step before the coordinator saw no progress');
  return lost;
}

/** A figure with a comma is two tokens, and held where one of them is. */
function heldByTools(shown: readonly { readonly place: Place }[], values: readonly CauseValue[]): string {
  const words = shown.map(({ place: { piece, start, end } }) => piece.text.slice(start, end));
  const held = new Set(words.filter((_, i) => values[i]?.inToolResult));
  const missing = new Set(words.filter((word) => !held.has(word)));
  if (missing.size === 0) return 'a tool result holds it';
  if (held.size === 0) return 'no tool result holds it';
  return `no tool result holds ${[...missing].map((word) => `“${word}”`).join(', ')}`;
}

function byOrder(rule: CauseRule, statement: string): StepReason {
  const alone = `${statement}; by its place in the run alone`;
  return { rule, statement: alone, strength: 'order', places: [], values: [] };
}

/** The call that asked for the first tool whose result says it, or the first step that says it, whatever comes first. */
function* originOf(
  { wanted }: FinalAnswer,
  run: Run,
  acting: Acting,
  said: Said,
  isOver: IsOver,
): Work<Step | undefined> {
  if (wanted.size === 0) return undefined;
  const isActing = new Set(acting.steps);
  for (const step of run.steps) {
    const decided = step.asker ?? step;
    if (!isActing.has(decided)) continue;
    let found = 0;
    for (const token of wanted) {
      if (said.placeOf(token, step.own)) found++;
      if (isOver()) yield;
    }
    if (found * 2 >= wanted.size) return decided;
  }
  return undefined;
}

function* replanIn({ coordinating }: Acting, isOver: IsOver): Work<Step | undefined> {
  for (const step of coordinating) {
    if (saysNoProgress(step)) return step;
    if (isOver()) yield;
  }
  return undefined;
}

function changingTool(step: Step): Step | undefined {
  return [step, ...step.asked].find(({ node }) => {
    const [first = ''] = NAME_WORD.exec(toolOf(node)) ?? [];
    return node.type === 'TOOL_CALL' && !hasFailed(node) && CHANGES.has(first.toLowerCase());
  });
}

function assumption({ own }: Step): Place | undefined {
  for (const piece of own) {
    const match = ASSUMES.exec(piece.text);
    if (match) return { piece, start: match.index, end: match.index + match[0].length };
  }
  return undefined;
}

function saysNoProgress({ own }: Step): boolean {
  return own.some(({ text }) => NO_PROGRESS.some((pattern) => pattern.test(text)));
}

function isMost(share = 0): boolean {
  return share > MIN_NEW;
}

function count(is: boolean): number {
  return is ? 1 : 0;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
