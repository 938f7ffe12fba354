import type { GraphReader } from '../graph/graph-reader.ts';
import { byStart } from './order.ts';
import type { Run, TextsOf } from './run.ts';
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

export function finalAnswerOf(run: Run, graph: GraphReader, textsOf: TextsOf): FinalAnswer | undefined {
  const texts = textsOf(run.root.id);
  const calls = run.steps.filter(({ node }) => node.type === 'LLM_CALL');
  const last = calls.at(-1);
  const rootSaid = run.goesOn ? undefined : texts.completion;
  const said = rootSaid ?? last?.own[0]?.text;
  if (said === undefined || said.trim() === '') return undefined;
  const known = new Set(tokensOf(userInput(run, graph, textsOf)));
  const answer = essenceOf(said);
  const wanted = new Set<string>();
  for (const { token } of valuesIn(answer)) wanted.add(token);
  for (const { token } of wordsIn(answer)) if (token.length >= MIN_WORD) wanted.add(token);
  for (const token of known) wanted.delete(token);
  const giver = calls.findLast(
    ({ own }) => rootSaid === undefined || own.some(({ text }) => text.includes(said)),
  );
  return { nodeId: giver?.node.id ?? run.root.id, wanted };
}

/** What the user asked: what the run was given, or its first call. */
export function userInput(run: Run, graph: GraphReader, textsOf: TextsOf): string {
  const query = graph
    .inEdges(run.root.id)
    .map(({ from }) => graph.node(from))
    .filter((node) => node?.type === 'USER_QUERY')
    .sort((a, b) => (a && b ? byStart(a, b) : 0))[0];
  const given = textsOf(run.root.id).prompt ?? (query && textsOf(query.id).prompt);
  const first = run.steps.find(({ node }) => node.type === 'LLM_CALL');
  return (given ?? (first && textsOf(first.node.id).prompt) ?? '').slice(0, 65_536);
}

function* tokensOf(text: string): Generator<string> {
  for (const { token } of valuesIn(text)) yield token;
  for (const { token } of wordsIn(text)) yield token;
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
