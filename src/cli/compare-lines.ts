import { comparedValue, fieldWords } from '../model/compared-value.ts';
import { isDivergence, type CompareAnswer, type ComparedStep } from '../model/compare.ts';
import { count, dollars, duration, tokens } from '../model/figures.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { TaskOverview } from '../model/task-overview.ts';
import { fitLine, type Line, type Span } from './terminal/line.ts';
import { cutToWidth, plainText, wrapToWidth } from './terminal/plain-text.ts';

/** So wide is a terminal that nobody made larger. */
const WIDTH = 80;
const LABEL_WIDTH = 10;
/** Steps inside others are moved to the right, so far at most. */
const MAX_INDENT = 20;
/** More are shown on request. */
const MAX_ROWS = 60;

const FIGURES: readonly (readonly [label: string, value: (task: TaskOverview) => string])[] = [
  ['title', ({ title }) => title],
  ['status', ({ status, state }) => (state === 'ENDED' ? status : `${status}, ${state}`)],
  ['nodes', ({ nodes }) => String(nodes)],
  ['errors', ({ errors }) => String(errors)],
  ['time', ({ durationMs }) => duration(durationMs)],
  ['tokens', ({ tokensIn, tokensOut }) => tokens(tokensIn, tokensOut)],
  ['cost', ({ costUsd }) => (costUsd === undefined ? '' : dollars(costUsd))],
  ['agents', ({ agents }) => agents.join(', ')],
];

/**
 * Two tasks for people, in 80 columns: their figures side by side, where they part, and the steps that differ.
 * @param isAll every step, also those that differ in nothing or in figures alone
 */
export function compareLines(answer: CompareAnswer, isAll: boolean): readonly Line[] {
  const nodes = new Map(answer.nodes.map((node) => [node.id, node]));
  const { same, differing, onlyA, onlyB } = answer.counts;
  const told = answer.steps.filter((step) => isAll || isTold(step));
  const rows = isAll ? told : told.slice(0, MAX_ROWS);
  const inFigures = answer.steps.filter((step) => step.differs.length > 0 && !isTold(step)).length;
  return [
    ...figureLines(answer),
    [],
    ...wrapped(divergenceOf(answer), 'bold'),
    ...wrapped(
      `${count(same, 'step')} the same, ${differing} different (${inFigures}${answer.truncated === true ? ' or more' : ''} ` +
        `of these in figures or names alone), ${onlyA} only in a (-), ${onlyB} only in b (+)`,
    ),
    ...(rows.length > 0 ? [[]] : []),
    ...rows.flatMap((step) => stepLines(step, nodes)),
    ...(told.length > rows.length ? wrapped(`${told.length - rows.length} more: --all shows them`) : []),
    ...(answer.truncated === true ? wrapped('There are more steps than the service shows.') : []),
    [],
    ...wrapped(answer.notice, 'dim'),
  ];
}

/** Does it stand for more than other figures? */
function isTold({ a, b, differs }: ComparedStep): boolean {
  return a === undefined || b === undefined || differs.some(isDivergence);
}

function figureLines({ a, b, totals, models }: CompareAnswer): readonly Line[] {
  const width = Math.trunc((WIDTH - LABEL_WIDTH) / 2);
  const row = (label: string, inA: string, inB: string): Line => {
    const style = label !== '' && inA !== inB ? 'yellow' : undefined;
    const cell = (text: string): Span => ({
      text: cutToWidth(plainText(text), width - 1),
      ...(style !== undefined && { style }),
    });
    const left: Line = [{ text: label, style: 'dim' }];
    return [...fitLine(left, LABEL_WIDTH), ...fitLine([cell(inA)], width), cell(inB)];
  };
  return [
    row('', `a  ${a}`, `b  ${b}`),
    ...FIGURES.map(([label, value]) => row(label, value(totals.a), value(totals.b))),
    row('models', models.a.join(', '), models.b.join(', ')),
  ];
}

function divergenceOf({ firstDivergence }: CompareAnswer): string {
  return firstDivergence === undefined
    ? 'They differ in figures at most.'
    : `They part here first: ${firstDivergence.statement}`;
}

function stepLines(step: ComparedStep, nodes: ReadonlyMap<string, ExplanationNode>): readonly Line[] {
  const a = nodes.get(step.a ?? '');
  const b = nodes.get(step.b ?? '');
  const node = a ?? b;
  if (!node) return [];
  const [sign, style] = signOf(step);
  const indent = ' '.repeat(Math.min(MAX_INDENT, 2 * step.depth));
  const told = plainText(`${node.type} ${node.agent}  ${node.title}`);
  const line: Line = [
    { text: cutToWidth(`${sign} ${indent}${told}`, WIDTH), ...(style !== undefined && { style }) },
  ];
  if (!a || !b || step.differs.length === 0) return [line];
  const changes = step.differs.map((field) => {
    const [before, after] = [comparedValue(field, a), comparedValue(field, b)];
    return before === undefined ? fieldWords(field) : `${fieldWords(field)} ${before} → ${after}`;
  });
  const below = `    ${indent}`;
  return [
    line,
    ...wrapToWidth(plainText(changes.join(' · ')), WIDTH - below.length).map((text): Line => [
      { text: below + text, style: 'dim' },
    ]),
  ];
}

function signOf(step: ComparedStep): readonly [sign: string, style?: Span['style']] {
  if (step.b === undefined) return ['-', 'red'];
  if (step.a === undefined) return ['+', 'green'];
  return isTold(step) ? ['≠', 'yellow'] : [step.differs.length > 0 ? '~' : '='];
}

function wrapped(text: string, style?: Span['style']): readonly Line[] {
  return wrapToWidth(plainText(text), WIDTH).map((part): Line => [
    { text: part, ...(style !== undefined && { style }) },
  ]);
}
