import type { ExplanationNode, NodeUi } from '../model/node.ts';

/** Names that CSS and SVG know, as in the spec's example (2.2.3: "red"). */
const STATUS_COLORS = { ERROR: 'red', WARNING: 'orange', SKIPPED: 'gray', OK: 'green' } as const;
const RUNNING_COLOR = 'dodgerblue';

/** A radius in pixels: the least that a finger hits, and the most that leaves room for neighbours. */
const MIN_SIZE = 8;
const MAX_SIZE = 40;
/** A label stands beside its bubble; more belongs into the tooltip. */
const MAX_LABEL_CHARS = 60;

/** Rendering hints of a node, spec 2.2.3. Made of fields that are on the node already, so they hold nothing new. */
export function nodeUi(node: ExplanationNode): NodeUi {
  return {
    label: label(node),
    color: color(node),
    size: size(node),
    tooltip: tooltip(node),
    metadata: node.details ?? {},
  };
}

function label(node: ExplanationNode): string {
  // A summary's name is its label already: "Routine LLM calls (n=5, avg latency 30 ms)".
  const text = node.type === 'SUMMARY' ? node.name : `${node.agent}: ${node.name}`;
  return text.length <= MAX_LABEL_CHARS ? text : `${text.slice(0, MAX_LABEL_CHARS - 1).toWellFormed()}…`;
}

function color(node: ExplanationNode): string {
  // A failure is seen at once, running or not.
  if (node.state === 'RUNNING' && node.status === 'OK') return RUNNING_COLOR;
  return STATUS_COLORS[node.status];
}

/** Grows with the logarithm of the latency: 10 ms and 100 s are both on one screen. A summary grows with its members. */
function size(node: ExplanationNode): number {
  const grown =
    node.summary === undefined
      ? MIN_SIZE + 5 * Math.log10(1 + (node.latencyMs ?? 0))
      : MIN_SIZE + 8 * Math.log10(1 + node.summary.count);
  return Math.round(Math.min(MAX_SIZE, grown));
}

function tooltip(node: ExplanationNode): string {
  const figures = [
    `${node.type} ${node.status}${node.state === 'ENDED' ? '' : ` (${node.state.toLowerCase()})`}`,
    node.model,
    node.latencyMs === undefined ? undefined : `${Math.round(node.latencyMs)} ms`,
    node.costUsd === undefined ? undefined : `$${Number(node.costUsd.toPrecision(3))}`,
    tokens(node),
  ];
  const lines = [figures.filter((part) => part !== undefined).join(' · '), finding(node), node.promptSummary];
  return lines.filter((line) => line !== undefined && line !== '').join('\n');
}

/** Which rule was broken and where, or which model took over from which. */
function finding({ details = {} }: ExplanationNode): string | undefined {
  const { ruleId, severity, file, line, oldModel, newModel } = details;
  const place = word(file) === undefined ? undefined : [file, line].map(word).filter(Boolean).join(':');
  const models = [oldModel, newModel].map(word).filter(Boolean).join(' → ');
  const said = [word(ruleId), word(severity), place, models].filter(Boolean).join(' · ');
  return said === '' ? undefined : said;
}

function word(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function tokens(node: ExplanationNode): string | undefined {
  if (node.tokensIn === undefined && node.tokensOut === undefined) return undefined;
  return `${node.tokensIn ?? '?'} → ${node.tokensOut ?? '?'} tokens`;
}
