import { z } from 'zod';
import type { Right } from '../../../access/roles.ts';
import { BoundaryError } from '../../../base/boundary-error.ts';
import { cutBefore } from '../../../model/marker.ts';
import type { NodeDetail } from '../../../model/reader-messages.ts';
import { TASK_SORTS, TASK_STATUSES } from '../../../model/task-query.ts';
import type { AdaptationsApi } from '../../../model/adaptations-api.ts';
import { SCOPE_FIELDS, type AdaptationDetail } from '../../../model/adaptations.ts';
import type { ReaderApi } from '../../../subscriptions/reader-api.ts';
import { FILTER_INPUT } from './filter-input.ts';

/** One question that an agent may ask. */
export interface Tool {
  readonly name: string;
  /** For the model that chooses among the tools. */
  readonly description: string;
  readonly needs: Right;
  readonly input: z.ZodObject;
  /** It does not only read. */
  readonly changes?: true;
  /** It is there only where there are adaptations. */
  readonly ofAdaptations?: true;
  /** `input` is checked. @throws BoundaryError */
  readonly answer: (asked: Asked, input: never) => Promise<object>;
}

/** Who answers. */
interface Asked {
  readonly reader: ReaderApi;
  readonly adaptations: AdaptationsApi;
}

/** What a model is given of a list that it did not bound: about a page. */
const LIST_LIMIT = 50;
/** What a model can read. Nodes take some hundred tokens each. */
const MAX_GRAPH_ITEMS = 2_000;
/** Of each text of a node: longer ones would leave no room for an answer. */
const MAX_TEXT_CHARS = 20_000;

const taskId = z.string().describe('The id of a task, from list_tasks.');
const nodeId = z.string().describe('The id of a node, from any other tool.');
const cursor = z.string().optional().describe('nextCursor of the page before.');

const adaptationId = z.string().describe('The id of an adaptation, from list_adaptations.');
const scopeText = z.string().optional();
const scope = z.strictObject(
  Object.fromEntries(SCOPE_FIELDS.map((field) => [field, scopeText])) as Record<
    (typeof SCOPE_FIELDS)[number],
    typeof scopeText
  >,
);
const adaptationEdits = {
  title: z.string().optional(),
  description: z.string().optional(),
  content: z.string().optional().describe('The whole text that is added to prompts.'),
  enabled: z.boolean().optional(),
  scope: scope.optional().describe('For which prompts; `*` stands for any text, an absent field for any.'),
  tags: z.array(z.string()).optional(),
};
const { taskIds: _, ...filtersOfTask } = FILTER_INPUT;
const getGraphInput = z.strictObject({
  taskId: taskId.optional(),
  ...filtersOfTask,
  collapse: z
    .enum(['auto', 'none'])
    .optional()
    .describe('auto (default) folds dull nodes into SUMMARY nodes; none gives every node.'),
});

/** Every question. */
export const TOOLS: readonly Tool[] = [
  tool({
    name: 'list_tasks',
    needs: 'see',
    description:
      'Lists tasks (runs of agents) with their figures: title, status, nodes, errors, tokens, cost. Begin here.',
    input: z.strictObject({
      text: z.string().optional().describe('Found in titles, ids, agents, sessions and users.'),
      agent: z.string().optional().describe('Tasks that this agent took part in.'),
      status: z.enum(TASK_STATUSES).optional().describe('The worst status of its nodes, or RUNNING.'),
      sessionId: z.string().optional(),
      userId: z.string().optional(),
      sort: z.enum(TASK_SORTS).optional().describe('newest if absent.'),
      limit: z.int().optional().describe(`1 to 1000; ${LIST_LIMIT} if absent.`),
      cursor,
    }),
    answer: ({ reader }, query) => reader.listTasks({ limit: LIST_LIMIT, ...query }),
  }),
  tool({
    name: 'get_graph',
    needs: 'see',
    description:
      'The causal graph of a task, or of all in memory: nodes (LLM calls, tool calls, tests, switches of model, …) and the edges that say what led to what.',
    input: getGraphInput,
    answer: async ({ reader }, { taskId: id, collapse, ...filters }) => {
      const graph = await reader.getGraph({
        filters: { ...filters, ...(id !== undefined && { taskIds: [id] }) },
        ...(collapse !== undefined && { collapse }),
      });
      if (graph.nodes.length + graph.edges.length <= MAX_GRAPH_ITEMS) return graph;
      throw new BoundaryError(
        'TOO_LARGE',
        `the graph has ${graph.nodes.length} nodes and ${graph.edges.length} edges, more than ${MAX_GRAPH_ITEMS} in all: give a taskId, filters, or collapse auto`,
      );
    },
  }),
  tool({
    name: 'get_node',
    needs: 'see',
    description: `One node with its redacted texts (prompt, completion, reasoning, tool arguments and result, error); the members of a SUMMARY. Texts beyond ${MAX_TEXT_CHARS} characters are cut, and \`cut\` says how long they are.`,
    input: z.strictObject({
      nodeId,
      attributes: z.boolean().optional().describe('Also the attributes of its spans.'),
      offset: z.int().optional().describe('How many members of a SUMMARY to pass over.'),
      limit: z.int().optional().describe(`Members of a SUMMARY: 1 to 1000; ${LIST_LIMIT} if absent.`),
    }),
    answer: async ({ reader }, { nodeId: id, attributes = false, offset, limit = LIST_LIMIT }) =>
      readable(await reader.getNode(id, { offset, limit }), attributes),
  }),
  tool({
    name: 'why',
    needs: 'see',
    description:
      'Why a node or a task failed: up to five candidates for different reasons, with quotes, and the way back as a graph. Where to look first, no verdict. Give either nodeId or taskId.',
    input: z.strictObject({ nodeId: nodeId.optional(), taskId: taskId.optional() }),
    answer: ({ reader }, question) => reader.why(question),
  }),
  tool({
    name: 'spikes',
    needs: 'see',
    description: 'Nodes that cost or took far more than others of their type in their task.',
    input: z.strictObject({ taskId: taskId.optional().describe('Absent: all tasks in memory.') }),
    answer: ({ reader }, { taskId: id }) => reader.spikes(id),
  }),
  tool({
    name: 'summary',
    needs: 'see',
    description:
      'A task in a few sentences: what was asked, what happened, what failed, what was done about it, what it cost; each sentence with the ids of its nodes.',
    input: z.strictObject({ taskId }),
    answer: ({ reader }, { taskId: id }) => reader.summary(id),
  }),
  tool({
    name: 'search',
    needs: 'read',
    description:
      'Where a text stands in titles, names, agents and full texts of nodes, the newest task first.',
    input: z.strictObject({
      text: z.string().describe('1 to 200 characters; case does not matter.'),
      limit: z.int().optional().describe('1 to 200; 50 if absent.'),
      cursor,
    }),
    answer: ({ reader }, query) => reader.search(query),
  }),
  tool({
    name: 'compare',
    needs: 'see',
    description:
      'Two tasks side by side: which steps are in one only, which differ in what, where they first diverge, and the totals of both.',
    input: z.strictObject({ a: taskId, b: taskId }),
    answer: ({ reader }, question) => reader.compare(question),
  }),
  tool({
    name: 'patterns',
    needs: 'see',
    description:
      'Over many tasks: which steps, tools, agents and models fail, cost or take most, and which are in failed tasks more often than in others. Filters choose the nodes that count.',
    input: z.strictObject(FILTER_INPUT),
    answer: ({ reader }, wanted) => reader.patterns(wanted),
  }),
  tool({
    name: 'list_adaptations',
    ofAdaptations: true,
    needs: 'read',
    description:
      'Adaptations: guidance that is added to prompts of agents, without changing what they are made of. Each with its scope, whether it is enabled, its version and how it begins; and whether their file is good.',
    input: z.strictObject({}),
    answer: ({ adaptations }) => adaptations.list(),
  }),
  tool({
    name: 'get_adaptation',
    ofAdaptations: true,
    needs: 'read',
    description:
      'One adaptation with its whole text, as it is or as it was in a version; when each version came.',
    input: z.strictObject({ id: adaptationId, version: z.int().optional() }),
    answer: async ({ adaptations }, { id, version }) => withoutTexts(await adaptations.get(id, version)),
  }),
  tool({
    name: 'update_adaptation',
    ofAdaptations: true,
    needs: 'operate',
    description:
      'Changes an adaptation: what is given, and nothing else. It takes effect at once, as a new version; earlier ones stay readable. Look at it with preview_adaptations first.',
    input: z.strictObject({
      id: adaptationId,
      version: z
        .int()
        .optional()
        .describe('That the edits are made of: refused if it is another one by now.'),
      ...adaptationEdits,
    }),
    changes: true,
    answer: async ({ adaptations }, { id, version, ...edits }) =>
      withoutTexts(await adaptations.update(id, edits, version)),
  }),
  tool({
    name: 'reload_adaptations',
    ofAdaptations: true,
    needs: 'operate',
    description:
      'Reads the file of the adaptations at once; else that is done within a second after it changed.',
    input: z.strictObject({}),
    changes: true,
    answer: ({ adaptations }) => adaptations.reload(),
  }),
  tool({
    name: 'preview_adaptations',
    ofAdaptations: true,
    needs: 'read',
    description:
      'The prompt that results for a scope and a base prompt, with its parts and where each stands; also with edits that are not made yet. Changes nothing.',
    input: z.strictObject({
      scope: scope.optional().describe('What the prompt is for.'),
      basePrompt: z.string().optional(),
      edits: z.record(z.string(), z.strictObject(adaptationEdits)).optional().describe('By id.'),
    }),
    answer: ({ adaptations }, request) => adaptations.preview(request),
  }),
  tool({
    name: 'adaptation_effect',
    ofAdaptations: true,
    needs: 'read',
    description:
      'Tasks with and without each version of an adaptation: failures, cost, latency, steps and tokens, with counts, differences and intervals, and how to read them.',
    input: z.strictObject({ id: adaptationId }),
    answer: ({ adaptations }, { id }) => adaptations.effect(id),
  }),
];

/** Ties the answer to what its input lets through. */
function tool<Input extends z.ZodObject>(told: {
  readonly name: string;
  readonly description: string;
  readonly needs: Right;
  readonly input: Input;
  readonly changes?: true;
  readonly ofAdaptations?: true;
  readonly answer: (asked: Asked, input: z.output<Input>) => object | Promise<object>;
}): Tool {
  return { ...told, answer: async (asked, input) => told.answer(asked, input) };
}

/** What a version said is read by its number. */
function withoutTexts({ versions, ...detail }: AdaptationDetail): object {
  return {
    ...detail,
    versions: versions.map(({ version, updatedAt, by, enabled, removed }) => ({
      version,
      updatedAt,
      by,
      enabled,
      ...(removed && { removed }),
    })),
  };
}

/** The attributes hold the texts once more: they are there when somebody asks for them. */
function readable({ attributes, texts = {}, ...detail }: NodeDetail, withAttributes: boolean): object {
  const shown: Record<string, string> = {};
  const cut: Record<string, number> = {};
  for (const [field, text] of Object.entries(texts) as [string, string][]) {
    shown[field] = text.length > MAX_TEXT_CHARS ? text.slice(0, cutBefore(text, MAX_TEXT_CHARS)) : text;
    if (text.length > MAX_TEXT_CHARS) cut[field] = text.length;
  }
  return {
    ...detail,
    ...(Object.keys(shown).length > 0 && { texts: shown }),
    ...(Object.keys(cut).length > 0 && { cut }),
    ...(withAttributes && attributes && { attributes }),
  };
}
