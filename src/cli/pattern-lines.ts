import { count, dollars, duration } from '../model/figures.ts';
import { chanceWords, kindWords, type Pattern, type PatternsAnswer } from '../model/patterns.ts';
import { cutToWidth, plainText, wrapToWidth } from './terminal/plain-text.ts';
import { tableLines } from './terminal/table.ts';

const WIDTH = 80;
/** Of a kind's name. */
const MAX_NAME = 44;
/** So many a section has. */
const MAX_ROWS = 8;
/** What is less likely by chance is worth a look. */
const SIGNIFICANT = 0.05;

interface Section {
  readonly heads: readonly string[];
  /** Undefined for what has no place in it; the largest first, equal ones in the order of the answer. */
  readonly by: (pattern: Pattern) => number | undefined;
  readonly cells: (pattern: Pattern) => readonly string[];
}

/** What was found over many tasks, for people, in 80 columns. */
export function patternLines(answer: PatternsAnswer): readonly string[] {
  const { tasks, patterns, tested, truncated, notice } = answer;
  const { failed, passed } = tasks;
  if (failed + passed === 0) return ['No task that is over has such steps.'];
  return [
    `${count(failed + passed, 'task')}: ${failed} failed, ${passed} passed; ${count(tested, 'kind')} tested`,
    ...sections(tasks).flatMap((section) => sectionLines(section, patterns)),
    '',
    ...(truncated === true
      ? wrapToWidth('There are more tasks than were looked at, or more kinds than are shown.', WIDTH)
      : []),
    ...wrapToWidth(plainText(notice), WIDTH),
  ];
}

function sections(tasks: PatternsAnswer['tasks']): readonly Section[] {
  const { failed, passed } = tasks;
  const share = (pattern: Pattern): number =>
    pattern.failed / Math.max(1, failed) - pattern.passed / Math.max(1, passed);
  return [
    {
      heads: ['MORE OFTEN IN FAILED TASKS', 'FAILED', 'PASSED', 'P'],
      by: (pattern) => (share(pattern) > 0 && passed > 0 ? -pattern.p : undefined),
      cells: (pattern) => [
        `${pattern.failed}/${failed}`,
        `${pattern.passed}/${passed}`,
        `${chanceWords(pattern, tasks)}${pattern.p < SIGNIFICANT ? ' *' : '  '}`,
      ],
    },
    {
      heads: ['FAIL MOST', 'ERRORS', 'STEPS', ''],
      by: ({ errors }) => errors || undefined,
      cells: ({ errors, steps }) => [String(errors), String(steps), ''],
    },
    {
      heads: ['COST MOST', 'COST', 'STEPS', ''],
      by: ({ costUsd }) => costUsd,
      cells: ({ costUsd = 0, steps }) => [dollars(costUsd), String(steps), ''],
    },
    {
      heads: ['SLOWEST ON AVERAGE', 'TIME', 'STEPS', ''],
      by: ({ latencyMs }) => latencyMs,
      cells: ({ latencyMs = 0, steps }) => [duration(latencyMs), String(steps), ''],
    },
  ];
}

function sectionLines({ heads, by, cells }: Section, patterns: readonly Pattern[]): readonly string[] {
  const rows = patterns
    .flatMap((pattern) => {
      const value = by(pattern);
      return value === undefined ? [] : [{ pattern, value }];
    })
    .sort((one, other) => other.value - one.value)
    .slice(0, MAX_ROWS)
    .map(({ pattern }) => {
      const [what, name] = kindWords(pattern.what);
      return [cutToWidth(`${what.padEnd(5)} ${plainText(name)}`, MAX_NAME), ...cells(pattern)];
    });
  return rows.length === 0 ? [] : ['', ...tableLines([heads, ...rows], new Set([1, 2, 3]))];
}
