import type { SplitFinding, SplitReport, ToldCells } from '../../model/told-cells.ts';
import { count } from '../../model/figures.ts';
import { askHttp } from '../ask-http.ts';
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { printAnswer, told } from '../output.ts';
import { readerCommand } from '../reader-command.ts';
import type { Target } from '../reader-options.ts';
import { plainText } from '../terminal/plain-text.ts';

export const doctor = readerCommand({
  name: 'doctor',
  summary: 'find what is wrong with the cells of a gateway, and what several cells cannot join',
  usage: '[--json]',
  about: [
    'Tells of each cell that is away, draining, not ready, of another version, with other settings or another clock, or that began anew with nothing; and of tasks, sessions, traces and requests in several cells, of thoughts that are not where their request is, and of calls that are told twice, in different cells: how many, with up to three examples (with --json twenty), where they are, and what helps.',
    'It looks at the 500 newest tasks in memory of each cell, and at some 50,000 steps. Ends with 0 when nothing was found, with 1 when something was. It needs the rights "monitor" and "see", which operators have.',
  ],
  options: [{ title: 'Options', options: [{ name: 'json', help: 'as JSON' }] }],
  examples: [{ line: 'explainability-agent doctor', what: 'is the set-up well?' }],
  maxWords: 0,
  run: async (args, target) => {
    const { cells } = await askHttp<ToldCells>(target, 'GET', '/api/cells');
    const odd = cells.flatMap(({ notices }) => notices);
    const split = cells.length === 0 ? NOTHING : await splitOf(target, odd.length > 0);
    const { findings, notices = [] } = told(split);
    await printAnswer(args, { cells, ...split }, () => doctorLines({ cells }, split));
    return odd.length + findings.length + notices.length === 0 ? EXIT.ok : EXIT.crash;
  },
});

const NOTHING: SplitReport = { findings: [], tasks: 0, truncated: false };

/** @param isOdd what is known of the cells is news, and told whether or not they can be looked through */
async function splitOf(target: Target, isOdd: boolean): Promise<SplitReport> {
  try {
    return await askHttp<SplitReport>(target, 'GET', '/api/cells/split');
  } catch (error) {
    if (!isOdd || !(error instanceof CliError)) throw error;
    return { ...NOTHING, truncated: true, notices: [`the tasks were not looked at: ${error.message}`] };
  }
}

/** So many examples have room in a line. */
const MAX_NAMED = 3;

const WORDS: Readonly<
  Record<SplitFinding['kind'], { readonly what: string; readonly is: string; readonly remedy: string }>
> = {
  task: {
    what: 'task',
    is: 'in several cells',
    remedy: 'share out by session.id (gateway.routeBy, and the Collector), or take a cell for each team',
  },
  session: {
    what: 'session',
    is: 'with tasks in several cells, between which no edges lead',
    remedy: 'share out by session.id (gateway.routeBy, and the Collector), or take a cell for each team',
  },
  trace: {
    what: 'trace',
    is: 'in several cells',
    remedy: 'share out all signals by the same key, and change the list of cells while little runs',
  },
  thought: {
    what: 'thought',
    is: 'without a request or trace in the same cell',
    remedy:
      "send thoughts with trace context: OpenTelemetry's log bridges do, and POST /api/cot takes traceId and spanId",
  },
  request: {
    what: 'request',
    is: 'named by steps in several cells',
    remedy: 'give each request an id of its own, and send what names it with the trace context of the call',
  },
  twin: {
    what: 'call',
    is: 'told twice, in different cells, and shown as two',
    remedy:
      'let instrumentations of one program share the context, so that they tell of a call in one trace, or share out by session.id',
  },
};

/** Pure: what was found, one line each, then what was looked at. */
export function doctorLines(
  { cells }: ToldCells,
  { findings, tasks, truncated, notices = [] }: SplitReport,
): readonly string[] {
  if (cells.length === 0)
    return ['This is one service, not a gateway: there is one cell, and nothing can be apart.'];
  const odd = cells.flatMap(({ notices }) => notices.map((notice) => `! ${plainText(notice)}`));
  const apart = findings.map(({ kind, count: found, examples }) => {
    const { what, is, remedy } = WORDS[kind];
    const some = examples
      .slice(0, MAX_NAMED)
      .map(({ id, cells: where }) => plainText(`${id} in ${where.join(', ')}`))
      .join('; ');
    return `! ${count(found, what)} ${is} (${some}${found > MAX_NAMED ? '; …' : ''}): ${remedy}`;
  });
  const verdict = odd.length + apart.length + notices.length === 0 ? 'All is well: ' : '';
  return [
    ...odd,
    ...apart,
    `${verdict}${count(cells.length, 'cell')}, ${tasks === 0 ? 'no task' : count(tasks, 'task')} looked at${truncated && tasks > 0 ? ', the newest; there are more' : ''}.`,
  ];
}
