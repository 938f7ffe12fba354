import type { AdaptationEffect, EffectComparison, Interval } from '../model/adaptation-effect.ts';
import {
  SCOPE_FIELDS,
  type AdaptationDetail,
  type AdaptationList,
  type AdaptationPreview,
  type AdaptationScope,
} from '../model/adaptations.ts';
import { count, dollars, duration } from '../model/figures.ts';
import { clip } from '../model/one-line.ts';
import { plainLines, plainText, wrapToWidth } from './terminal/plain-text.ts';
import { tableLines } from './terminal/table.ts';

const WIDTH = 80;
/** Of a title in the table; with --json all of it is there. */
const MAX_TITLE_CHARS = 40;

export function listLines({ file, adaptations }: AdaptationList): readonly string[] {
  const rows = adaptations.map(({ id, version, enabled, scope, title, updatedAt }) => [
    plainText(id),
    String(version),
    enabled ? 'on' : 'off',
    scopeWords(scope),
    plainText(clip(title, MAX_TITLE_CHARS)),
    updatedAt,
  ]);
  const heads = ['ADAPTATION', 'VERSION', 'STATE', 'FOR', 'TITLE', 'SINCE'];
  const { state, problem, historyProblem } = file;
  return [
    ...(state === 'none' ? ['There is no adaptations file, so there are none.'] : []),
    ...(state === 'broken'
      ? [`The file is broken, the last good one is in force: ${plainText(problem ?? '')}`]
      : []),
    ...(historyProblem === undefined ? [] : [plainText(historyProblem)]),
    ...(rows.length > 0 ? tableLines([heads, ...rows], new Set([1])) : []),
    ...(rows.length === 0 && state !== 'none' ? ['The file has no adaptations.'] : []),
  ];
}

export function detailLines(detail: AdaptationDetail): readonly string[] {
  const { id, title, description, scope, tags, enabled, version, updatedAt, content, versions, changed } =
    detail;
  const known = versions.map((one) => [
    `  ${one.version}`,
    one.updatedAt,
    one.by,
    one.removed ? 'taken out' : one.enabled ? 'on' : 'off',
  ]);
  return [
    ...(changed === false ? ['It was like that already; nothing was changed.'] : []),
    `${plainText(id)}@${version}  ${enabled ? 'on' : 'off'}  for ${scopeWords(scope)}  since ${updatedAt}`,
    plainText(title),
    ...(description === undefined ? [] : wrapToWidth(plainText(description), WIDTH)),
    ...(tags.length === 0 ? [] : [`tags: ${tags.map((tag) => plainText(tag)).join(', ')}`]),
    '',
    ...plainLines(content),
    '',
    'Versions',
    ...tableLines(known),
  ];
}

export function previewLines({ finalPrompt, included }: AdaptationPreview): readonly string[] {
  return [
    ...plainLines(finalPrompt),
    '',
    included.length === 0
      ? 'No adaptation fits.'
      : `With ${included.map((ref) => plainText(ref)).join(', ')}`,
  ];
}

export function effectLines({
  id,
  comparisons,
  tasks,
  notice,
  truncated,
}: AdaptationEffect): readonly string[] {
  const { compared, passedOver, mixed } = tasks;
  return [
    `${count(compared, 'task')} compared; ${passedOver} outside of its scope or of unknown versions, ${mixed} with several`,
    ...comparisons.flatMap((comparison) => ['', ...comparisonLines(plainText(id), comparison)]),
    '',
    ...(truncated === true ? ['There are more tasks than were looked at, or more versions.'] : []),
    ...wrapToWidth(plainText(notice), WIDTH),
  ];
}

type Word = (value: number) => string;

function comparisonLines(id: string, comparison: EffectComparison): readonly string[] {
  const { version, against, basis, failures, tooFew } = comparison;
  const [those, others] = [comparison.with, comparison.than];
  const percent: Word = (share) => `${(share * 100).toFixed(0)} %`;
  const share = ({ failed, tasks, failureRate }: typeof those): string =>
    `${percent(failureRate)} (${failed}/${tasks})`;
  const measures = [
    ['cost', 'costUsd', (value: number) => (value < 0 ? `-${dollars(-value)}` : dollars(value))],
    ['time', 'latencyMs', (value: number) => (value < 0 ? `-${duration(-value)}` : duration(value))],
    ['steps', 'steps', (value: number) => value.toFixed(1)],
    ['tokens', 'tokens', (value: number) => value.toFixed(0)],
  ] as const;
  const rows = measures.flatMap(([name, field, word]) => {
    const [a, b, difference] = [those[field], others[field], comparison[field]];
    if (!a || !b || !difference) return [];
    return [
      [
        `${name}, mean`,
        word(a.mean),
        word(b.mean),
        word(difference.mean),
        range(difference.meanInterval, word),
      ],
      [
        `${name}, median`,
        word(a.median),
        word(b.median),
        word(difference.median),
        range(difference.medianInterval, word),
      ],
    ];
  });
  const than = against === 'without' ? 'tasks without it' : `${id}@${against}`;
  return [
    `${id}@${version} beside ${than}, by ${basis === 'named' ? 'what the tasks name' : 'time'}${tooFew ? ': TOO FEW TASKS' : ''}`,
    ...tableLines(
      [
        ['', 'WITH', 'THAN', 'DIFFERENCE', '95 %'],
        [
          `failed, p ${failures.p < 0.001 ? '<0.001' : failures.p.toFixed(3)}`,
          share(those),
          share(others),
          percent(failures.difference),
          range(failures.interval, percent),
        ],
        ...rows,
      ],
      new Set([1, 2, 3, 4]),
    ),
  ];
}

function range(interval: Interval | undefined, word: Word): string {
  return interval === undefined ? '' : `${word(interval[0])} to ${word(interval[1])}`;
}

function scopeWords(scope: AdaptationScope): string {
  const words = SCOPE_FIELDS.flatMap((field) => {
    const pattern = scope[field];
    return pattern === undefined ? [] : [`${field} ${plainText(pattern)}`];
  });
  return words.length === 0 ? 'all' : words.join(', ');
}
