import { count } from '../../model/figures.ts';
import type { ToldCell, ToldCells } from '../../model/told-cells.ts';
import { askHttp } from '../ask-http.ts';
import { printAnswer } from '../output.ts';
import { readerCommand } from '../reader-command.ts';
import { plainText } from '../terminal/plain-text.ts';
import { tableLines } from '../terminal/table.ts';

const HEADS = ['CELL', 'ADDRESS', 'STATE', 'SINCE', 'VERSION', 'RUNNING', 'TASKS', 'ODDITIES'];
const FIGURES: ReadonlySet<number> = new Set([5, 6]);

export const cells = readerCommand({
  name: 'cells',
  summary: 'list the cells of a gateway: how each is, and how many of its tasks run',
  usage: '[--json]',
  about: [
    'The state is "serving"; "not ready" where it answers and cannot do all it should, as while it restores its graph; "draining" where the list of the gateway says "drain": true, so that it gets nothing new; "stopping" while its process ends; "away" where it does not answer; "unknown" before it was asked. RUNNING counts tasks of all projects with a step that runs: a cell that is drained may be stopped when it has none, which a line below the table says.',
    'It needs the right "monitor" in the project "default". What is wrong with a set-up is found by "doctor", which ends with 1 then; this ends with 0 whatever the states are.',
  ],
  options: [{ title: 'Options', options: [{ name: 'json', help: 'as JSON' }] }],
  examples: [
    { line: 'explainability-agent cells', what: 'which cells serve' },
    { line: 'explainability-agent cells --json', what: 'for a script that waits until a cell serves again' },
  ],
  maxWords: 0,
  run: async (args, target) => {
    const answer = await askHttp<ToldCells>(target, 'GET', '/api/cells');
    return printAnswer(args, answer.cells, () => cellLines(answer));
  },
});

/** Pure: a table, then what people should know of each, a line each. */
function cellLines({ cells: list }: ToldCells): readonly string[] {
  if (list.length === 0) return ['This is one service, not a gateway: it has no cells.'];
  const rows = list.map((cell) => [
    plainText(cell.name),
    plainText(cell.address),
    stateOf(cell),
    cell.since,
    plainText(cell.version ?? ''),
    figure(cell.tasks?.running),
    figure(cell.tasks?.tasks),
    plainText(cell.oddities.join(', ')),
  ]);
  return [
    ...tableLines([HEADS, ...rows], FIGURES),
    ...list.flatMap((cell) => [
      ...cell.notices.map((notice) => `! ${plainText(notice)}`),
      ...drainLines(cell),
    ]),
  ];
}

/** What its process does comes before what the list says of it. */
function stateOf({ state, drain, oddities }: ToldCell): string {
  if (state === 'draining') return 'stopping';
  if (state !== 'well') return state;
  if (oddities.includes('not_ready')) return 'not ready';
  return drain ? 'draining' : 'serving';
}

function figure(value: number | undefined): string {
  return value === undefined ? '?' : String(value);
}

function drainLines({ name, drain, tasks }: ToldCell): readonly string[] {
  if (!drain || !tasks) return [];
  const { running } = tasks;
  return [
    running === 0
      ? `${plainText(name)} may be taken out of the list and stopped: none of its tasks is running.`
      : `${plainText(name)} is to be waited for: ${count(running, 'task')} of it ${running === 1 ? 'is' : 'are'} running.`,
  ];
}
