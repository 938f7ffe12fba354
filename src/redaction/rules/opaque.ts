import { fitsAt, matchAt } from '../match-at.ts';
import { decidedBy, fake, fakeHex } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';

/**
 * What model vendors put into messages for themselves alone: reasoning in cipher, signatures of thoughts. Nobody can read
 * it, and much of it may stand in a message, so its kind, length and hash are shown in its place.
 */

/** Members that hold nothing else. */
const NAMES = [
  // https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items
  'encrypted_content',
  'encryptedcontent',
  // https://docs.ag-ui.com/concepts/reasoning
  'encryptedvalue',
  'encrypted_value',
  // https://ai.google.dev/gemini-api/docs/thought-signatures
  'thoughtsignature',
  'thought_signature',
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ReasoningContentBlock.html
  'redactedcontent',
  'redacted_content',
  // https://ai-sdk.dev/providers/ai-sdk-providers/anthropic#reasoning
  'redacteddata',
];

/** https://docs.claude.com/en/docs/build-with-claude/extended-thinking: of a thought; the name has other uses. */
const SIGNATURE = 'signature';

/**
 * Types of parts whose `data` is opaque: Anthropic's, the AI SDK's, OpenRouter's
 * (https://openrouter.ai/docs/use-cases/reasoning-tokens).
 */
const TYPES = ['redacted_thinking', 'redacted-reasoning', 'reasoning.encrypted'];

/** Whether the `data` of a part of this type is opaque. */
export function isOpaqueType(type: unknown): boolean {
  return typeof type === 'string' && TYPES.includes(type);
}

/** A name whose value is always opaque. */
export const OPAQUE_NAME = 'encrypted_content';

/** Shorter values are words about such parts. */
const MIN_OPAQUE = 16;
/** Of a value without quotes, and of one whose name has other uses. */
const MIN_BARE = 40;
const MIN_SIGNATURE = 100;

const ASSIGN = String.raw`(?:\\{0,4}["'])?\s{0,64}[:=]\s{0,64}`;
const HEAD = new RegExp(String.raw`[a-z_]{9,17}${ASSIGN}(?<quote>\\{0,4}["'])?`, 'iy');
const BARE = /[\w+/=.~-]+/y;
const QUOTED = /[^\s"']+/y;
const BASE64 = /^(?:[\w+/=-]|\\{1,4}(?:\/|u00[23][bdf]))+$/i;

/** The value behind its name, whatever its length. `at` is where the name begins. */
function findValue(text: string, at: number): Span | undefined {
  const head = matchAt(HEAD, text, at);
  if (!head) return undefined;
  const start = at + head[0].length;
  const quote = head.groups?.['quote'];
  const span = { start, end: endOf(text, start, quote === undefined ? BARE : QUOTED) };
  const least = isSignature(text, at) ? MIN_SIGNATURE : quote === undefined ? MIN_BARE : MIN_OPAQUE;
  return isOpaque(text, span, least) ? span : undefined;
}

function isSignature(text: string, at: number): boolean {
  return text.slice(at, at + SIGNATURE.length).toLowerCase() === SIGNATURE;
}

function isOpaque(text: string, { start, end }: Span, least: number): boolean {
  if (end - start < least) return false;
  const value = text.slice(start, end);
  return least === MIN_OPAQUE ? /^[^\s[<{$]\S+$/.test(value) : BASE64.test(value);
}

/** Nothing that is opaque has a quote or white space in it; a quote may be escaped. */
function endOf(text: string, start: number, characters: RegExp): number {
  return start + (matchAt(characters, text, start)?.[0].replace(/\\{1,4}$/, '').length ?? 0);
}

const MEMBERS = String.raw`(?:\s{0,64},\s{0,64}"[\w-]{1,40}"\s{0,64}:\s{0,64}(?:"[^"\\]{0,200}"|[\w.-]{1,40})){0,6}`;
const TYPE_FIRST = new RegExp(
  String.raw`[a-z._-]{17,19}"${MEMBERS}\s{0,64},\s{0,64}"data"\s{0,64}:\s{0,64}"`,
  'y',
);
const DATA_FIRST = /"data"\s{0,64}:\s{0,64}"/y;
const TYPE_BEHIND = new RegExp(
  String.raw`"${MEMBERS}\s{0,64},\s{0,64}"type"\s{0,64}:\s{0,64}"(?:${TYPES.join('|').replace('.', String.raw`\.`)})"`,
  'y',
);

/** `"type":"redacted_thinking","data":"…"`. `at` is where the type begins. */
function findBehindType(text: string, at: number): Span | undefined {
  const head = matchAt(TYPE_FIRST, text, at);
  if (!head) return undefined;
  const start = at + head[0].length;
  const span = { start, end: endOf(text, start, QUOTED) };
  return isOpaque(text, span, MIN_OPAQUE) ? span : undefined;
}

/** `"data":"…","type":"redacted_thinking"`. `at` is where `"data"` begins. */
function findBeforeType(text: string, at: number): Span | undefined {
  const head = matchAt(DATA_FIRST, text, at);
  if (!head) return undefined;
  const start = at + head[0].length;
  const span = { start, end: endOf(text, start, QUOTED) };
  return fitsAt(TYPE_BEHIND, text, span.end) && isOpaque(text, span, MIN_OPAQUE) ? span : undefined;
}

export const OPAQUE_RULES: readonly Rule[] = [
  {
    id: 'opaque_member',
    kind: 'OPAQUE',
    hints: [...NAMES, SIGNATURE],
    find: decidedBy(new RegExp(String.raw`[a-z_]{9,17}${ASSIGN}\S*`, 'i'), findValue),
    consumes: true,
    examples: {
      hits: [
        `{"type":"reasoning","encrypted_content":"gAAAAAB⟦${fake(900)}⟧=="}`,
        `{"encryptedValue": "⟦${fake(60)}⟧"}`,
        `{"text":"42","thoughtSignature":"⟦${fake(120)}⟧"}`,
        `ThinkingBlock(signature='⟦${fake(300)}⟧', thinking='hm')`,
        String.raw`{\"thinking\":\"hm\",\"signature\":\"⟦${fake(300)}⟧\"}`,
        `thought_signature: ⟦${fake(60)}⟧\nnext: 1`,
      ],
      misses: [
        '{"include":["reasoning.encrypted_content"],"encrypted_content":null}',
        'use_encrypted_content: true',
        '{"encrypted_content": "what the model thought, in cipher"}',
        `{"signature": "${fakeHex(40)}"}`,
        'def signature(self): return "(value: int) -> str"',
      ],
    },
  },
  {
    id: 'opaque_data',
    kind: 'OPAQUE',
    hints: TYPES,
    find: decidedBy(new RegExp(String.raw`${TYPE_FIRST.source}\S*`), findBehindType),
    consumes: true,
    examples: {
      hits: [
        `[{"type":"redacted_thinking","data":"⟦${fake(200)}⟧"}]`,
        `{"type": "reasoning.encrypted", "id": "rs_1", "index": 0, "data": "⟦${fake(99)}⟧"}`,
      ],
      misses: ['{"type":"redacted_thinking"}', `{"type":"text","data":"${'word '.repeat(30)}"}`],
    },
  },
  {
    id: 'opaque_data_first',
    kind: 'OPAQUE',
    hints: ['"data"'],
    find: decidedBy(
      new RegExp(String.raw`${DATA_FIRST.source}[^\s"']*${TYPE_BEHIND.source}`),
      findBeforeType,
    ),
    consumes: true,
    examples: {
      hits: [`[{"data":"⟦${fake(200)}⟧","type":"redacted_thinking"}]`],
      misses: [`{"data":"${fake(12)}","type":"image"}`, '{"data":"none","type":"redacted_thinking"}'],
    },
  },
];
