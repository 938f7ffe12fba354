import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { ExplanationNode } from '../model/node.ts';
import { byStart } from '../model/node-order.ts';
import type { Piece, Run, Step, TextsOf } from './run.ts';
import type { Said } from './said.ts';
import { valuesIn, wordsIn } from './words.ts';

/** What a run answered in the end. */
export interface FinalAnswer {
  /** The call that gave it, else the step around the run. */
  readonly nodeId: string;
  /** Figures, names and words in it that the user had not said. */
  readonly wanted: ReadonlySet<string>;
}

/** An answer that is longer says more than its figures; the beginning is looked at. */
const MAX_ANSWER_CHARS = 500;
const LAST_LINE_CHARS = 120;
const MIN_WORD = 4;

const MARK = 'FINAL ANSWER:';
/** What stands out, or is said to be the answer. */
const STANDS_OUT = [
  /\*\*([^*\n]{1,200})\*\*/g,
  /\\boxed\{([^{}\n]{1,200})\}/g,
  /\b(?:answer|result|total|output)\b[^.\n:=]{0,60}?(?:\bis\b|\bare\b|=|:)\s{0,8}([^\n]{1,120})/gi,
];

/** @param input what the user asked; it was read, as the texts of the run were */
export function finalAnswerOf(
  run: Run,
  input: Piece,
  texts: Said,
  textsOf: TextsOf,
): FinalAnswer | undefined {
  const calls = run.steps.filter(({ node }) => node.type === 'LLM_CALL');
  const last = calls.at(-1);
  const rootSaid = run.goesOn ? undefined : textsOf(run.root.id).completion;
  const said = rootSaid ?? answerOf(last);
  if (said === undefined || said.trim() === '') return undefined;
  const answer = essenceOf(said);
  const wanted = new Set<string>();
  const want = (token: string): void => {
    if (!texts.placeOf(token, [input])) wanted.add(token);
  };
  for (const { token } of valuesIn(answer)) want(token);
  for (const { token } of wordsIn(answer)) if (token.length >= MIN_WORD) want(token);
  const giver = calls.findLast(
    ({ own }) => rootSaid === undefined || own.some(({ text }) => text.includes(said)),
  );
  return { nodeId: giver?.node.id ?? run.root.id, wanted };
}

/** What a call answered; nothing, where it only thought or went on to call a tool. */
function answerOf(call: Step | undefined): string | undefined {
  if (!call || call.asksById) return undefined;
  return call.own.find(({ nodeId, field }) => nodeId === call.node.id && field === 'completion')?.text;
}

/** What the user asked: what the run was given, or its first call. */
export function* userInput(run: Run, graph: GraphReader, textsOf: TextsOf, isOver: IsOver): Work<Piece> {
  const isRest = seldom(isOver);
  let query: ExplanationNode | undefined;
  for (const { from } of graph.inEdges(run.root.id)) {
    const node = graph.node(from);
    if (node?.type === 'USER_QUERY' && (!query || byStart(node, query) < 0)) query = node;
    if (isRest()) yield;
  }
  const given = textsOf(run.root.id).prompt ?? (query && textsOf(query.id).prompt);
  const first = run.steps.find(({ node }) => node.type === 'LLM_CALL');
  const text = given ?? (first && textsOf(first.node.id).prompt) ?? '';
  return { nodeId: '', field: 'prompt', text: text.slice(0, 65_536) };
}

function essenceOf(text: string): string {
  const mark = text.toUpperCase().lastIndexOf(MARK);
  if (mark >= 0)
    return text
      .slice(mark + MARK.length)
      .trim()
      .slice(0, MAX_ANSWER_CHARS);
  const found = STANDS_OUT.flatMap((pattern) => [...text.matchAll(pattern)]).sort(
    (a, b) => a.index - b.index,
  );
  if (found.length > 0)
    return found
      .slice(-2)
      .map(([, said = '']) => said)
      .join(' ');
  const line = text.trimEnd().split('\n').at(-1) ?? '';
  return line.trim().slice(0, LAST_LINE_CHARS);
}
