import type { Client } from '../../client/client.ts';
import type { ViewRequest } from '../../client/view-request.ts';
import type { ExplanationGraph } from '../../model/node.ts';
import { ALL_FORMATS, exportDetailed, exportGraph, isDetailed } from '../../exporters/export-graph.ts';
import type { DetailedFormat, Exported } from '../../exporters/export-graph.ts';
import type { Arguments } from '../arguments.ts';
import { wrongUsage } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { assertKnownTasks } from '../known-tasks.ts';
import { detailOf, nodeDetails } from '../node-details.ts';
import { print, toJson, told } from '../output.ts';
import { readerCommand } from '../reader-command.ts';
import { FILTER_OPTIONS, filtersOf, withClient } from '../reader-options.ts';

export const get = readerCommand({
  name: 'get',
  summary: 'print the graph, or one step with its texts',
  usage: '[NODE_ID] [options]',
  about: [
    'Without NODE_ID: the graph. With one: that step, its full redacted texts, and of a summary its members.',
  ],
  options: [
    {
      title: 'Options',
      options: [
        {
          name: 'format',
          value: 'FORMAT',
          help: `one of ${ALL_FORMATS.join(', ')} (default: explanation)`,
        },
        { name: 'pretty', help: 'over several lines (default on a terminal)' },
      ],
    },
    FILTER_OPTIONS,
  ],
  examples: [
    { line: 'explainability-agent get --status ERROR --all', what: 'what failed, and what led to it' },
    { line: 'explainability-agent get --format cytoscape > graph.json', what: 'for Cytoscape.js' },
    { line: 'explainability-agent get --format dot | dot -Tsvg > graph.svg', what: 'drawn by Graphviz' },
    {
      line: "explainability-agent get | jq -r '.nodes[] | [.id, .type, .name] | @tsv'",
      what: 'the ids of the steps',
    },
    { line: 'explainability-agent get req:r1', what: 'one step with its texts' },
  ],
  maxWords: 1,
  run: async (args, target) => {
    const [nodeId] = args.positionals;
    const view = viewOf(args);
    const format = formatOf(args);
    if (nodeId !== undefined && (args.has('format') || Object.keys(view.filters ?? {}).length > 0)) {
      throw wrongUsage('one step is printed as it is: leave out --format and the filters');
    }
    if (isDetailed(format)) {
      await withClient(target, async (client) => printDetailed(client, view, format));
      return EXIT.ok;
    }
    const answer = await withClient<Exported>(target, async (client) =>
      nodeId === undefined
        ? exportGraph(await graphOf(client, view), format)
        : { json: told(await client.getNode(nodeId)) },
    );
    if ('lines' in answer) await print([...answer.lines].join(''));
    else await print(`${toJson(answer.json, args.has('pretty') || process.stdout.isTTY)}\n`);
    return EXIT.ok;
  },
});

/** The part of the graph that the options ask for. */
export function viewOf(args: Arguments): ViewRequest {
  return {
    filters: filtersOf(args),
    collapse: args.has('all') ? 'none' : 'auto',
    ...(args.has('archived') && { include: ['archived'] }),
  };
}

/** @throws CliError where it is asked for a task that nobody knows */
async function graphOf(client: Client, view: ViewRequest): Promise<ExplanationGraph> {
  const graph = told(await client.getGraph(view));
  const seen = graph.nodes.map(({ taskId }) => taskId);
  const unseen = await assertKnownTasks(client, view.filters?.taskIds, seen);
  const archived = unseen.filter((task) => task.archived).map(({ taskId }) => taskId);
  if (archived.length > 0 && view.collapse !== 'none' && view.include === undefined)
    told({
      notices: [
        `${archived.join(', ')} left memory: --archived shows ${archived.length === 1 ? 'it' : 'them'}`,
      ],
    });
  return graph;
}

/** Every step with its texts. */
async function printDetailed(client: Client, view: ViewRequest, format: DetailedFormat): Promise<void> {
  const graph = await graphOf(client, { ...view, collapse: 'none' });
  const pieces = exportDetailed(graph, format, {
    details: (nodes) => nodeDetails(client, nodes),
    detail: (id) => detailOf(client, id),
  });
  for await (const piece of pieces) await print(piece);
}

function formatOf(args: Arguments): (typeof ALL_FORMATS)[number] {
  const wanted = args.text('format') ?? 'explanation';
  const format = ALL_FORMATS.find((known) => known === wanted);
  if (format === undefined) throw wrongUsage(`--format must be one of ${ALL_FORMATS.join(', ')}`);
  return format;
}
