import { isObject, parseJson } from '../../base/json.ts';
import type { Bounds } from '../bounds.ts';
import { readEnvelope, type Envelope } from './envelope.ts';

/** `#<stream>#<data>`: what is no message and comes between them. */
const FRAME = /^#(?<stream>[^#]{1,1000})#(?<data>.*)$/s;

/** What a frame says, as the message that would say the same. */
export interface StreamFrame {
  readonly stream: string;
  readonly envelope: Envelope;
  /** The context, of which a frame says that it is over. */
  readonly isEnd: boolean;
}

export function isFrame(text: string): boolean {
  return text.startsWith('#');
}

/**
 * Reads a frame of a stream of reasoning.
 * @returns undefined where it tells of nothing that is shown: other streams carry anything
 * @throws BoundaryError INVALID_ARGUMENT naming the field
 */
export function readFrame(text: string, bounds: Bounds): StreamFrame | undefined {
  const { stream, data = '' } = FRAME.exec(text)?.groups ?? {};
  const value = parsed(data);
  if (stream === undefined || !isObject(value) || typeof value['context'] !== 'string') return undefined;
  const { context, type, event, value: thought } = value;
  const isCancelled = event === 'cancelled';
  const isEnd = type === 'status' && (isCancelled || event === 'conclusion');
  if (!isEnd && type !== 'thought') return undefined;
  const kind = isEnd ? 'reasoning/conclusion' : 'reasoning/thought';
  const payload = isEnd ? { cancelled: isCancelled } : isObject(thought) ? thought : { message: thought };
  return { stream, isEnd, envelope: readEnvelope({ id: 'frame', kind, context, payload }, bounds) };
}

/** The words of a thought, by which it is known again. */
export function wordsOfThought({ payload }: Envelope): string {
  const { message, reasoning, content } = payload;
  const said = message ?? reasoning ?? content;
  return typeof said === 'string' ? said : JSON.stringify(payload);
}

function parsed(data: string): unknown {
  try {
    return parseJson(data);
  } catch {
    return undefined;
  }
}
