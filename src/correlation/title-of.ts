import type { EventFacts } from '../model/facts.ts';
import type { ExplanationNode } from '../model/node.ts';
import { askedLine, titleLine } from '../model/title.ts';

type Untitled = Omit<ExplanationNode, 'title'>;

/** Of an event's payload, what says most about it. */
const EVENT_TEXTS = ['summary', 'message', 'reason', 'description', 'text', 'feedback', 'plan', 'file'];

/**
 * What tells a step from its siblings, for people: what it said or was asked, and why it failed; else its name. A
 * function of what the node shows already and of these texts.
 * @param said made of the texts of the step (`StepFacts.title`)
 * @param thought the beginning of the thought that was sent apart
 */
export function titleOf(node: Untitled, said: string | undefined, thought: string | undefined): string {
  const details = node.details ?? {};
  const failure = node.status === 'ERROR' ? failureOf(details) : undefined;
  const { toolName } = details;
  if (typeof toolName === 'string' && node.type !== 'LLM_CALL') {
    const call = said ?? toolName;
    return (failure === undefined ? titleLine(call) : titleLine(`${call}: ${failure}`)) ?? nameOf(node);
  }
  const asked = askedLine(node.promptSummary);
  return titleLine(failure ?? said ?? findingOf(node.type, details) ?? thought ?? asked) ?? nameOf(node);
}

function nameOf({ name }: Pick<Untitled, 'name'>): string {
  return titleLine(name) ?? name;
}

/** @param node without its title */
export function eventTitle({ name, details = {} }: Untitled, { payload }: EventFacts): string {
  const change = changeOf(details);
  const text = change ?? EVENT_TEXTS.map((key) => textIn(payload, key)).find((found) => found !== undefined);
  return titleLine(text === undefined ? name : `${name}: ${text}`) ?? name;
}

/** `gpt-4o → gpt-5`. */
function changeOf(details: { readonly [key: string]: unknown }): string | undefined {
  const before = textIn(details, 'oldModel');
  const after = textIn(details, 'newModel');
  return before === undefined || after === undefined ? undefined : `${before} → ${after}`;
}

function failureOf(details: { readonly [key: string]: unknown }): string | undefined {
  const message = textIn(details, 'errorMessage')?.trimStart();
  return message?.split(/[\r\n]/, 1)[0] ?? textIn(details, 'errorType');
}

/** What was looked at: the test, the rule and its place, the models of a switch. */
function findingOf(
  type: ExplanationNode['type'],
  details: { readonly [key: string]: unknown },
): string | undefined {
  if (type === 'MODEL_SWITCH') return changeOf(details);
  if (type === 'TEST_RUN') return textIn(details, 'testName') ?? textIn(details, 'testSuite');
  if (type !== 'STATIC_ANALYSIS') return undefined;
  const rule = textIn(details, 'ruleId');
  const file = textIn(details, 'file');
  return rule === undefined || file === undefined ? (rule ?? file) : `${rule} ${file}`;
}

function textIn(object: { readonly [key: string]: unknown }, key: string): string | undefined {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
