import type { Client } from '../../client/client.ts';
import type { ExplanationEdge, ExplanationNode } from '../../model/node.ts';
import { compareIso } from '../../model/time.ts';
import type { CauseCandidate, WhyAnswer } from '../../model/why.ts';
import { nodeLine } from '../terminal/describe-node.ts';
import type { Line } from '../terminal/line.ts';
import { plainText, wrapToWidth } from '../terminal/plain-text.ts';
import { commandLine, type PrintedTarget } from '../printed-commands.ts';
import { buildTaskTree } from '../watch/task-tree.ts';

/** Of a thought so much is quoted. */
const MAX_THOUGHT_CHARS = 320;
const QUOTE_WIDTH = 90;

/** The steps of a task as a tree, routine ones folded. */
export async function treeOf(client: Client, taskId: string): Promise<readonly Line[]> {
  const { nodes, edges } = await client.getGraph({ filters: { taskIds: [taskId] } });
  const { rows } = buildTaskTree(taskId, nodes, (id) => edges.filter(({ to }) => to === id));
  return rows.map(({ guides, node }) => [{ text: `  ${guides}`, style: 'dim' }, ...nodeLine(node)]);
}

/** What failed in a task, what may have caused it, and what was done about it; empty when nothing failed. */
export async function explainFailure(
  client: Client,
  taskId: string,
  to: PrintedTarget,
): Promise<readonly Line[]> {
  // A live graph may lack the last update; this answer holds all that was accepted.
  const graph = await client.getGraph({ collapse: 'none', filters: { taskIds: [taskId] } });
  const nodes = graph.nodes.toSorted((a, b) => compareIso(a.timestamp, b.timestamp));
  const failures = nodes.filter(({ status }) => status === 'ERROR');
  const failed = failures.at(-1);
  if (!failed) return [];
  const why = await client.why(failed.id);
  return [
    heading('What failed'),
    ...failures.map(indented),
    [],
    heading('Why? Candidates by stated rules, no verdict'),
    ...(
      await Promise.all(why.candidates.map((candidate, i) => candidateLines(candidate, i + 1, why, client)))
    ).flat(),
    [],
    heading('What was done about it'),
    ...answersTo(failures, nodes, graph.edges).map(indented),
    [],
    [{ text: 'The same with all its evidence:' }],
    [{ text: `  ${commandLine(to, 'why', plainText(failed.id))}`, style: 'bold' }],
  ];
}

async function candidateLines(
  { nodeId, reasons }: CauseCandidate,
  rank: number,
  { graph }: WhyAnswer,
  client: Client,
): Promise<readonly Line[]> {
  const node = graph.nodes.find(({ id }) => id === nodeId);
  if (!node) return [];
  return [
    [{ text: `  ${rank}. ` }, ...nodeLine(node)],
    ...reasons.map(({ statement }): Line => [{ text: `     ${plainText(statement)}`, style: 'dim' }]),
    ...(node.type === 'LLM_CALL' ? await thoughtOf(node, client) : []),
  ];
}

/** What the model thought: redacted, as everything is. */
async function thoughtOf({ id }: ExplanationNode, client: Client): Promise<readonly Line[]> {
  const { texts } = await client.getNode(id);
  const thought = texts?.reasoning;
  if (thought === undefined) return [];
  const quoted = plainText(thought.slice(0, MAX_THOUGHT_CHARS));
  return wrapToWidth(`it thought: ${quoted}`, QUOTE_WIDTH).map((text): Line => [
    { text: `     ${text}`, style: 'cyan' },
  ]);
}

/** Reactions that an edge leads to from a failure, and the same step when it went well at last. */
function answersTo(
  failures: readonly ExplanationNode[],
  nodes: readonly ExplanationNode[],
  edges: readonly ExplanationEdge[],
): readonly ExplanationNode[] {
  return nodes.filter((node) => {
    if (node.type === 'REFLEXION_ACTION' || node.type === 'MODEL_SWITCH') {
      return failures.some(({ id }) => edges.some(({ from, to }) => from === id && to === node.id));
    }
    return failures.some(
      ({ name, agent, timestamp }) =>
        node.status === 'OK' &&
        node.name === name &&
        node.agent === agent &&
        compareIso(node.timestamp, timestamp) > 0,
    );
  });
}

function heading(text: string): Line {
  return [{ text, style: 'bold' }];
}

function indented(node: ExplanationNode): Line {
  return [{ text: '  ' }, ...nodeLine(node)];
}
