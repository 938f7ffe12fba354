import { annotationsOf } from '../../model/annotation.ts';
import { waitsForApproval } from '../../model/approval.ts';
import type { ExplanationNode, NodeStatus } from '../../model/node.ts';
import { dollars, duration, tokens } from '../../model/figures.ts';
import { calledLine } from '../../model/title.ts';
import type { Line, Span, Style } from './line.ts';
import { plainText } from './plain-text.ts';

/** Names are shown so far; the rest is in the details. */
const MAX_NAME_CHARS = 200;

const SIGNS: Readonly<Record<NodeStatus, Span>> = {
  OK: { text: '✓', style: 'green' },
  ERROR: { text: '✗', style: ['red', 'bold'] },
  WARNING: { text: '!', style: ['yellow', 'bold'] },
  SKIPPED: { text: '-', style: 'gray' },
};
const RUNNING: Span = { text: '⋯', style: ['cyan', 'bold'] };
const ABANDONED: Span = { text: '?', style: 'gray' };

const NAME_STYLE: Readonly<Partial<Record<NodeStatus, Style>>> = { ERROR: 'red', WARNING: 'yellow' };

/** One sign for how a step stands. */
export function signOf(node: ExplanationNode): Span {
  if (node.status === 'OK' && node.state === 'RUNNING') return RUNNING;
  if (node.status === 'OK' && node.state === 'ABANDONED') return ABANDONED;
  return SIGNS[node.status];
}

/**
 * What a step is: sign, type, name, agent, model, and why it failed.
 * @param called what it is called instead of by its name
 */
export function describeNode(node: ExplanationNode, called = nameOf(node)): Line {
  const nameStyle = NAME_STYLE[node.status];
  const words: Span[] = [
    signOf(node),
    { text: node.type, style: node.type === 'SUMMARY' ? 'dim' : 'bold' },
    { text: called, ...(nameStyle !== undefined && { style: nameStyle }) },
  ];
  const message = errorMessage(node);
  // Before the rest: of a failed step it is what one wants to see where lines are short.
  if (message !== undefined) words.push({ text: message, style: 'red' });
  const remark = remarkOf(node);
  if (remark !== undefined) words.push({ text: remark });
  if (node.state === 'RUNNING')
    words.push({
      text: waitsForApproval(node) ? 'waits for an approval' : 'running',
      style: 'cyan',
    });
  const said = saidOf(node);
  if (said !== undefined) words.push({ text: `✎ ${said}`, style: 'yellow' });
  if (node.type !== 'SUMMARY') words.push({ text: shown(node.agent), style: 'cyan' });
  if (node.model !== undefined) words.push({ text: shown(node.model), style: 'magenta' });
  return words.flatMap((word, index) => (index === 0 ? [word] : [{ text: index < 3 ? ' ' : '  ' }, word]));
}

/** What people said of it: the last verdict, or how much. */
export function saidOf(node: ExplanationNode): string | undefined {
  const standing = annotationsOf(node);
  if (standing.length === 0) return undefined;
  const verdict = standing.findLast((one) => one.verdict ?? one.decision);
  return verdict?.verdict ?? verdict?.decision ?? String(standing.length);
}

/** Time, tokens and cost, as far as they are known. */
export function figuresOf(node: ExplanationNode): readonly string[] {
  return [
    node.latencyMs === undefined ? '' : duration(node.latencyMs),
    withUnit(tokens(node.tokensIn, node.tokensOut), ' tokens'),
    node.costUsd === undefined ? '' : dollars(node.costUsd),
  ].filter((figure) => figure !== '');
}

/** A step in one line. */
export function nodeLine(node: ExplanationNode): Line {
  return withFigures(node, describeNode(node));
}

/** A step in one line by its title: where steps of one name are told apart, as calls of one model are. */
export function titledLine(node: ExplanationNode): Line {
  return withFigures(node, describeNode(node, shown(calledLine(node))));
}

function withFigures(node: ExplanationNode, line: Line): Line {
  const figures = figuresOf(node).join('  ');
  return figures === '' ? line : [...line, { text: `  ${figures}` }];
}

export function nameOf(node: ExplanationNode): string {
  return shown(node.name === '' ? '(without a name)' : node.name);
}

export function errorMessage(node: ExplanationNode): string | undefined {
  const message = node.details?.['errorMessage'];
  // Messages may bring their stack trace along; that is in the details.
  return typeof message === 'string' && message.trim() !== ''
    ? shown(message.trim().split(/[\r\n]/, 1)[0] ?? '')
    : undefined;
}

/** What a reaction of agents or people is about: the models of a switch, the reason of a retry, the file of a fix, what was said. */
export function remarkOf({ type, details = {} }: ExplanationNode): string | undefined {
  if (type !== 'MODEL_SWITCH' && type !== 'REFLEXION_ACTION') return undefined;
  const { oldModel, newModel, reason, file, summary, text } = details;
  const models = isText(oldModel) && isText(newModel) ? `${oldModel} → ${newModel}` : undefined;
  // The service's own words of an interrupt begin with its reason, and say more.
  const about = isText(summary) && isText(reason) && summary.startsWith(reason) ? summary : reason;
  const words = [models, about ?? file ?? summary ?? text].filter(isText).map(shown);
  return words.length === 0 ? undefined : words.join(': ');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function shown(text: string): string {
  return plainText(text.slice(0, MAX_NAME_CHARS));
}

function withUnit(text: string, unit: string): string {
  return text === '' ? '' : text + unit;
}
