import { stripVTControlCharacters, styleText } from 'node:util';
import type { ExplanationGraph, ExplanationNode, NodeStatus } from '../../model/node.ts';

const STATUS_STYLE = { OK: 'green', ERROR: 'red', WARNING: 'yellow', SKIPPED: 'gray' } as const;
const SIGN: Readonly<Record<NodeStatus, string>> = { OK: '✓', ERROR: '✗', WARNING: '!', SKIPPED: '-' };
const MAX_NAME = 36;
/** The longest type name. */
const TYPE_WIDTH = 'REFLEXION_ACTION'.length;

/** One line about a node. Colours appear only where the terminal shows them. */
export function nodeLine(node: ExplanationNode): string {
  const parts = [
    styleText(STATUS_STYLE[node.status], SIGN[node.status]),
    styleText('bold', node.type.padEnd(TYPE_WIDTH)),
    plain(node.name, MAX_NAME),
    styleText('cyan', plain(node.agent, MAX_NAME)),
    node.model === undefined ? '' : styleText('magenta', plain(node.model, MAX_NAME)),
    node.latencyMs === undefined ? '' : duration(node.latencyMs),
    node.tokensIn === undefined ? '' : `${node.tokensIn}→${node.tokensOut ?? '?'} tokens`,
    node.costUsd === undefined ? '' : `$${node.costUsd}`,
    typeof node.details?.['errorMessage'] === 'string'
      ? styleText('red', plain(node.details['errorMessage'], 60))
      : '',
  ];
  return parts.filter((part) => part !== '').join('  ');
}

/** The nodes of some traces as a tree, by the edges of the graph. */
export function treeLines(graph: ExplanationGraph, traceIds: ReadonlySet<string>): string[] {
  const nodes = graph.nodes.filter((node) => traceIds.has(String(node.details?.['traceId'])));
  nodes.sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
  const shown = new Set<string>();
  const lines: string[] = [];
  const add = (node: ExplanationNode, indent: string): void => {
    if (shown.has(node.id)) return;
    shown.add(node.id);
    lines.push(`${indent}${nodeLine(node)}`);
    const children = new Set(graph.edges.filter((edge) => edge.from === node.id).map((edge) => edge.to));
    for (const child of nodes) if (children.has(child.id)) add(child, `${indent}   `);
  };
  const targets = new Set(graph.edges.map((edge) => edge.to));
  for (const node of nodes) if (!targets.has(node.id)) add(node, '   ');
  return lines;
}

/** Text of records may hold control characters that a terminal would obey. */
function plain(text: string, max: number): string {
  const line = stripVTControlCharacters(text).replace(/\p{Cc}+/gu, ' ');
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
