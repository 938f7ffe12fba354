import type { Client } from '../../client/client.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { SpikeMeasure, SpikesAnswer } from '../../model/why.ts';
import { printAnswer, told } from '../output.ts';
import { readerCommand } from '../reader-command.ts';
import { withClient } from '../reader-options.ts';
import { nameOf } from '../terminal/describe-node.ts';
import { dollars, duration } from '../../model/figures.ts';
import { plainText } from '../terminal/plain-text.ts';
import { tableLines } from '../terminal/table.ts';

const HEADS = ['WHAT', 'VALUE', 'MEDIAN', 'FROM', 'OF', 'STEP', 'TASK', 'ID'] as const;
const FIGURES: ReadonlySet<number> = new Set([1, 2, 3, 4]);
const MEASURES: Readonly<Record<SpikeMeasure, readonly [name: string, show: (value: number) => string]>> = {
  costUsd: ['cost', dollars],
  latencyMs: ['time', duration],
  tokensIn: ['tokens in', wholeNumber],
  tokensOut: ['tokens out', wholeNumber],
};

export const spikes = readerCommand({
  name: 'spikes',
  summary: 'list the steps that cost or took far more than others of their kind',
  usage: '[--task ID] [--json]',
  about: [
    'Compared with the steps of the same kind in the same task: FROM is where a value begins to stand out, OF how many were compared.',
  ],
  options: [
    {
      title: 'Options',
      options: [
        { name: 'task', value: 'ID', help: 'of this task only' },
        { name: 'json', help: 'as JSON' },
      ],
    },
  ],
  examples: [{ line: 'explainability-agent spikes --task T012', what: 'where the money went' }],
  maxWords: 0,
  run: async (args, target) => {
    const taskId = args.text('task');
    const { answer, nodes } = await withClient(target, async (client) =>
      args.has('json')
        ? { answer: told(await client.spikes(taskId)), nodes: [] }
        : spikesWithNodes(client, taskId),
    );
    return printAnswer(args, answer, () => spikeTable(answer, nodes));
  },
});

interface SpikesWithNodes {
  readonly answer: SpikesAnswer;
  /** Of which the table tells the names. */
  readonly nodes: readonly ExplanationNode[];
}

/** For who reads names. */
export async function spikesWithNodes(client: Client, taskId: string | undefined): Promise<SpikesWithNodes> {
  const answer = told(await client.spikes(taskId));
  if (answer.spikes.length === 0) return { answer, nodes: [] };
  const filters = taskId === undefined ? {} : { taskIds: [taskId] };
  return { answer, nodes: (await client.getGraph({ filters, collapse: 'none' })).nodes };
}

/** Pure: the spikes as lines of text. */
export function spikeTable(answer: SpikesAnswer, nodes: readonly ExplanationNode[]): readonly string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const rows = answer.spikes.map(({ nodeId, taskId, measure, value, median, threshold, compared }) => {
    const [name, show] = MEASURES[measure];
    const node = byId.get(nodeId);
    return [
      name,
      show(value),
      show(median),
      show(threshold),
      String(compared),
      node === undefined ? '' : nameOf(node),
      plainText(taskId),
      plainText(nodeId),
    ];
  });
  return [
    ...(rows.length === 0 ? ['No step stands out.'] : tableLines([HEADS, ...rows], FIGURES)),
    ...(answer.truncated === true ? ['There are more than are shown.'] : []),
    '',
    plainText(answer.notice),
  ];
}

/** Where tokens begin to stand out is seldom a whole number. */
function wholeNumber(tokens: number): string {
  return String(Math.round(tokens));
}
