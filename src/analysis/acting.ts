import type { Run, Step } from './run.ts';

/** Shorter answers ("ok", "TERMINATE") do nothing. */
const MIN_CHARS = 13;
const MIN_TURNS = 0.4;
const MIN_BEFORE_OTHERS = 0.8;

/** Who decided what was done, and who only handed it out. */
export interface Acting {
  /** The LLM calls that did or said something, in order; without any LLM call, the tool calls. */
  readonly steps: readonly Step[];
  /** The calls of the agent that gives turns to the others, where there is one. */
  readonly coordinating: readonly Step[];
}

export function actingIn({ steps }: Run): Acting {
  const calls = steps.filter(({ node }) => node.type === 'LLM_CALL');
  if (calls.length === 0) return { steps, coordinating: [] };
  const coordinator = coordinatorOf(calls);
  const isOf = ({ node }: Step): boolean => node.agent === coordinator;
  return {
    steps: calls.filter((step) => !isOf(step) && doesSomething(step)),
    coordinating: coordinator === undefined ? [] : calls.filter(isOf),
  };
}

function doesSomething({ node, asked, own }: Step): boolean {
  return (
    asked.length > 0 ||
    node.status === 'ERROR' ||
    own.length === 0 ||
    (own[0]?.text.trim().length ?? 0) >= MIN_CHARS
  );
}

/** The agent that does nothing itself, has much of the turns, and speaks before nearly each of the others'. */
function coordinatorOf(calls: readonly Step[]): string | undefined {
  const turns: string[] = [];
  for (const { node } of calls) if (turns.at(-1) !== node.agent) turns.push(node.agent);
  for (const agent of new Set(turns)) {
    const own = calls.filter(({ node }) => node.agent === agent);
    if (own.some(({ asked }) => asked.length > 0)) continue;
    if (turns.filter((one) => one === agent).length < MIN_TURNS * turns.length) continue;
    const others = turns.flatMap((one, i) => (one === agent ? [] : [turns[i - 1] === agent]));
    if (others.length === 0 || others.filter(Boolean).length < MIN_BEFORE_OTHERS * others.length) continue;
    const othersAsk = calls.some(({ asksById, node }) => asksById && node.agent !== agent);
    if (own.length * 2 > calls.length || othersAsk) return agent;
  }
  return undefined;
}
