import type { Heard } from './messages.ts';

/** As LangChain (`Human: …`) and the SDK of Langfuse (`user: …`) print a conversation: who speaks begins a line. */
const BEGINS = /^(?:System|Human|system|developer|user): /;
const TURN = /^(?:(System|Human|AI|Tool|system|developer|user|assistant|tool|function)): /gm;
const FROM_OUTSIDE = new Set(['Human', 'user', 'Tool', 'tool', 'function']);
const FROM_USER = new Set(['Human', 'user']);

/** The newest turn of a conversation that was printed as text; undefined for any other text. */
export function readTranscript(text: string): Heard | undefined {
  if (!BEGINS.test(text)) return undefined;
  let last: { readonly role: string; readonly start: number } | undefined;
  let end = text.length;
  TURN.lastIndex = 0;
  for (let turn = TURN.exec(text); turn !== null; turn = TURN.exec(text)) {
    const [whole, role = ''] = turn;
    if (last !== undefined && end === text.length) end = turn.index;
    if (!FROM_OUTSIDE.has(role)) continue;
    last = { role, start: turn.index + whole.length };
    end = text.length;
  }
  if (last === undefined) return undefined;
  const prompt = text.slice(last.start, end).trim();
  if (prompt === '') return undefined;
  return { prompt, byUser: FROM_USER.has(last.role) ? true : undefined, texts: [prompt] };
}
