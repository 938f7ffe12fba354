/** An answer and the reasoning that stood before or in it. */
export interface Thinking {
  readonly completion?: string | undefined;
  readonly reasoning?: string | undefined;
}

/** Between two pieces of reasoning, so that they stay apart as steps. */
export const BETWEEN_THOUGHTS = '\n\n';

/**
 * Reasoning that stands in the answer itself: `<think>…</think>` blocks, as some open models write them (one that
 * was never closed reaches to the end), and the thoughts of a ReAct transcript.
 */
export function splitThinking(completion: string | undefined, reasoning?: string): Thinking {
  if (completion === undefined) return { completion, reasoning };
  if (completion.includes('<think')) return splitBlocks(completion, reasoning);
  return reasoning === undefined && THOUGHT.test(completion)
    ? splitReAct(completion)
    : { completion, reasoning };
}

const OPEN = /<think(?:ing)?>/g;
const CLOSE = /<\/think(?:ing)?>/g;

function splitBlocks(completion: string, reasoning: string | undefined): Thinking {
  const thoughts = reasoning === undefined ? [] : [reasoning];
  const rest: string[] = [];
  let from = 0;
  for (;;) {
    OPEN.lastIndex = from;
    const open = OPEN.exec(completion);
    rest.push(completion.slice(from, open?.index));
    if (open === null) break;
    CLOSE.lastIndex = OPEN.lastIndex;
    const close = CLOSE.exec(completion);
    thoughts.push(completion.slice(OPEN.lastIndex, close?.index).trim());
    if (close === null) break;
    from = CLOSE.lastIndex;
  }
  return { completion: filled(rest.join('').trim()), reasoning: filled(joinThoughts(thoughts)) };
}

export function joinThoughts(thoughts: readonly string[]): string {
  return thoughts.filter((thought) => thought !== '').join(BETWEEN_THOUGHTS);
}

function filled(text: string): string | undefined {
  return text === '' ? undefined : text;
}

const THOUGHT = /^\s{0,8}Thought ?\d{0,3}:/;
/** What ends a thought on its own line. */
const INLINE = /\s(?:Action|Final Answer)(?: ?\d{1,3})?:(?:\s|$)/;
const KEYWORD = /^(Thought|Action|Action Input|Observation|Final Answer|Answer|Code)(?: ?\d{1,3})?:/;

/** `Thought: … Action: …`: the thoughts are reasoning, the rest is the answer. A transcript without either is whole. */
function splitReAct(completion: string): Thinking {
  const thoughts: string[] = [];
  const rest: string[] = [];
  let thinking = false;
  for (const line of completion.split('\n')) {
    const word = KEYWORD.exec(line.trimStart())?.[1];
    if (word === 'Thought') {
      thinking = true;
      const thought = line.trimStart().replace(/^Thought ?\d{0,3}:\s*/, '');
      const act = INLINE.exec(thought);
      thoughts.push(act === null ? thought : thought.slice(0, act.index));
      if (act === null) continue;
      thinking = false;
      rest.push(thought.slice(act.index).trimStart());
      continue;
    }
    if (word !== undefined) thinking = false;
    if (thinking) thoughts.push(`${thoughts.pop() ?? ''}\n${line}`);
    else rest.push(line);
  }
  const answer = rest.join('\n').trim();
  if (answer === '') return { completion };
  return { completion: answer, reasoning: filled(joinThoughts(thoughts.map((thought) => thought.trim()))) };
}
