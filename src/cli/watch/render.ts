import { FILTERS, type Filters } from '../../model/filters.ts';
import { describeNode } from '../terminal/describe-node.ts';
import { count, dollars, duration, tokens } from '../../model/figures.ts';
import { fitLine, lineWidth, paintLine, spreadLine } from '../terminal/line.ts';
import type { Line, Paint, Span } from '../terminal/line.ts';
import { plainText } from '../terminal/plain-text.ts';
import type { Row, RowList } from './row-list.ts';
import { bodyRows, type Connection, type Pane, type WatchState } from './state.ts';
import type { Totals } from './task-tree.ts';

export interface Scene {
  readonly state: WatchState;
  readonly rows: RowList;
  readonly totals: Totals;
  readonly url: string;
  readonly filters: Filters;
  /** False while more of what is to be seen is on its way. */
  readonly isComplete: boolean;
  /** What the graph lacks, or is put together of. */
  readonly notices: readonly string[];
  /** Epoch ms. */
  readonly now: number;
}

/** Columns of figures at the right, from these widths of the terminal on. */
const WITH_COST = 50;
const WITH_TOKENS = 76;
const TIME_WIDTH = 8;
const COST_WIDTH = 10;
const TOKENS_WIDTH = 12;

/** Pure: the whole screen, as many lines as it has, each exactly as wide as it is. */
export function renderScene(scene: Scene, paint: Paint): readonly string[] {
  const { size, pane } = scene.state;
  const lines = [
    ...header(scene),
    ...(pane === undefined ? treeLines(scene) : paneLines(pane, scene.state)),
    ...footer(scene),
  ];
  return lines.slice(0, size.rows).map((line) => paintLine(fitLine(line, size.columns), paint));
}

function header({ state, totals, url, filters, isComplete, notices, now }: Scene): readonly Line[] {
  const { columns } = state.size;
  const figures = [
    count(totals.nodes, 'step'),
    count(totals.errors, 'error'),
    ...(totals.warnings > 0 ? [count(totals.warnings, 'warning')] : []),
    ...(totals.running > 0 ? [`${totals.running} running`] : []),
    ...(totals.costUsd === undefined ? [] : [dollars(totals.costUsd)]),
  ].join(' · ');
  const isLoading =
    !isComplete && totals.nodes > 0 && !['waiting', 'closed'].includes(state.connection.state);
  const status: Span = isLoading
    ? { text: '● more is coming', style: 'yellow' }
    : connectionSpan(state.connection, now);
  const left: Line = [status, { text: `  ${plainText(url)}`, style: 'dim' }];
  const right: Line = [{ text: ` ${figures}`, style: 'bold' }];
  const shown = lineWidth(right) + lineWidth([status]) + 2 <= columns;
  return [
    spreadLine(shown ? left : [status], right, columns),
    [...noticeSpans(notices), { text: filterText(state, filters), style: 'dim' }],
  ];
}

/** The first of them in the line of the filters: `watch --plain` says all. */
function noticeSpans([first, ...others]: readonly string[]): Line {
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return [{ text: `! ${plainText(first)}${more} · `, style: 'yellow' }];
}

function connectionSpan({ state, retryAt, wasLost }: Connection, now: number): Span {
  switch (state) {
    case 'live':
      return { text: '● live', style: 'green' };
    case 'connecting':
      return { text: wasLost ? '● connecting again' : '● connecting', style: 'yellow' };
    case 'waiting': {
      const seconds = retryAt === undefined ? 0 : Math.max(0, Math.ceil((retryAt - now) / 1000));
      return { text: `● connection lost, again in ${seconds} s`, style: 'red' };
    }
    case 'closed':
      return { text: '● closed', style: 'red' };
  }
}

function filterText({ onlyErrors, everything, follow }: WatchState, filters: Filters): string {
  return [
    everything ? 'every step' : 'routine steps folded',
    ...(onlyErrors ? ['only errors and warnings'] : []),
    ...(follow ? ['following the newest'] : []),
    ...givenFilters(onlyErrors ? { ...filters, status: undefined } : filters),
  ].join(' · ');
}

/** In the words of the options. */
function givenFilters(filters: Filters): readonly string[] {
  return Object.entries(filters).flatMap(([name, given]) => {
    if (given === undefined) return [];
    const text = typeof given === 'object' ? Object.values(given).join(', ') : String(given);
    return [`${FILTERS[name as keyof Filters].parameters[0]?.option.name} ${plainText(text)}`];
  });
}

function treeLines({ state, rows }: Scene): readonly Line[] {
  const height = bodyRows(state.size);
  if (rows.length === 0) return filled([emptyLine(state)], height);
  const lines: Line[] = [];
  for (let index = state.top; index < Math.min(rows.length, state.top + height); index++) {
    const row = rows.at(index);
    if (row === undefined) continue;
    const line = rowLine(row, state.size.columns);
    lines.push(index === state.index ? [{ text: paintless(line), style: 'inverse' }] : line);
  }
  return filled(lines, height);
}

function emptyLine({ connection, onlyErrors }: WatchState): Line {
  if (connection.state !== 'live') return [{ text: '' }];
  return [
    { text: onlyErrors ? 'Nothing failed.' : 'Nothing yet: steps appear here as they happen.', style: 'dim' },
  ];
}

function rowLine(row: Row, columns: number): Line {
  return row.kind === 'task' ? taskLine(row, columns) : nodeRowLine(row, columns);
}

function taskLine({ tree, isFolded }: Extract<Row, { readonly kind: 'task' }>, columns: number): Line {
  const { nodes, errors, warnings, running, costUsd } = tree.totals;
  const bad: Span[] = [
    ...(errors > 0 ? [{ text: `  ${count(errors, 'error')}`, style: 'red' } as const] : []),
    ...(warnings > 0 ? [{ text: `  ${count(warnings, 'warning')}`, style: 'yellow' } as const] : []),
    ...(running > 0 ? [{ text: `  ${running} running`, style: 'cyan' } as const] : []),
  ];
  const left: Line = [
    { text: `${isFolded ? '▸' : '▾'} ${plainText(tree.taskId)}`, style: 'bold' },
    { text: `  ${count(nodes, 'step')}`, style: 'dim' },
    ...bad,
  ];
  const cost = costUsd === undefined ? '' : dollars(costUsd);
  return columns < WITH_COST ? left : spreadLine(left, [{ text: cost.padStart(COST_WIDTH) }], columns);
}

function nodeRowLine({ node, guides }: Extract<Row, { readonly kind: 'node' }>, columns: number): Line {
  const { latencyMs, costUsd, tokensIn, tokensOut, summary } = node;
  const time = latencyMs ?? summary?.avgLatencyMs;
  const cost = costUsd ?? summary?.totalCostUsd;
  const right: Span[] = [
    { text: (time === undefined ? '' : duration(time)).padStart(TIME_WIDTH), style: 'dim' },
  ];
  if (columns >= WITH_TOKENS) {
    const spent = tokens(tokensIn ?? summary?.tokensIn, tokensOut ?? summary?.tokensOut);
    right.push({ text: spent.padStart(TOKENS_WIDTH), style: 'dim' });
  }
  if (columns >= WITH_COST)
    right.push({ text: (cost === undefined ? '' : dollars(cost)).padStart(COST_WIDTH) });
  return spreadLine([{ text: `  ${guides}`, style: 'dim' }, ...describeNode(node)], right, columns);
}

/** A pane takes the place of the tree. */
function paneLines({ title, lines, top }: Pane, { size }: WatchState): readonly Line[] {
  const height = bodyRows(size);
  const shown = lines.slice(top, top + height - 1);
  const rest =
    lines.length > height - 1 ? `  ${Math.min(lines.length, top + height - 1)} of ${lines.length} lines` : '';
  return filled(
    [
      [
        { text: title, style: 'bold' },
        { text: rest, style: 'dim' },
      ],
      ...shown,
    ],
    height,
  );
}

const TREE_KEYS = [
  '↑↓ move',
  'Enter open',
  '← close',
  'd details',
  'w why',
  'e errors',
  'a all',
  'f follow',
  '? help',
  'q quit',
];
const PANE_KEYS = ['↑↓ scroll', 'Esc back', 'Ctrl-C quit'];

function footer({ state, rows }: Scene): readonly Line[] {
  const { columns } = state.size;
  const position = rows.length === 0 || state.pane !== undefined ? '' : `${state.index + 1}/${rows.length}`;
  const said: Line = state.message === undefined ? [] : [{ text: plainText(state.message), style: 'yellow' }];
  return [
    spreadLine(said, [{ text: ` ${position}`, style: 'dim' }], columns),
    [{ text: keysThatFit(state.pane === undefined ? TREE_KEYS : PANE_KEYS, columns), style: 'dim' }],
  ];
}

/** In a narrow terminal the last ones, help and quit, stay. */
function keysThatFit(keys: readonly string[], columns: number): string {
  const kept = [...keys];
  while (kept.length > 2 && kept.join('  ').length > columns) kept.splice(-3, 1);
  return kept.join('  ');
}

/** Up to the height of the body. */
function filled(lines: readonly Line[], height: number): readonly Line[] {
  const missing = Math.max(0, height - lines.length);
  return [...lines.slice(0, height), ...Array.from({ length: missing }, (): Line => [])];
}

/** Colours inside an inverse line would end it. */
function paintless(line: Line): string {
  return line.map((span) => span.text).join('');
}
