import { BoundaryError } from '../../base/boundary-error.ts';
import { wholeInTurns, type IsOver, type Work } from '../../base/in-turns.ts';
import type { Turns } from '../../base/pace.ts';
import type { Encoding, Signal } from '../../receivers/otlp/decode.ts';
import { chooseForLogs, chooseForSpans, type Routing } from './choose.ts';
import type { Part } from './items.ts';
import { LOG_TAGS, SPAN_TAGS } from './proto-items.ts';
import { LOG_LEVELS, SPAN_LEVELS, splitJson } from './split-json.ts';
import { splitProto } from './split-proto.ts';

/** The key of what has none: bodies that hold nothing, or are not readable, and events that point at nothing. */
const NO_KEY = '';

/**
 * Shares out one OTLP request, uncompressed, among the cells. What all goes to one is passed on as it is, and so is what
 * cannot be read: its cell answers as any service does.
 *
 * Points of metrics go to every cell: they are shown in all steps that ran in their process or on their machine at their
 * time, whatever traces these are of. A cell keeps no more of them than what its steps need.
 * @returns at least one part; the same for the same body, cells and known streams
 * @throws BoundaryError TOO_LARGE; UNAVAILABLE when a thought goes on whose cell is away for good
 */
export async function splitOtlp(
  signal: Signal,
  encoding: Encoding,
  body: Buffer,
  routing: Routing,
  turns: Turns,
): Promise<readonly Part[]> {
  const { ring } = routing;
  if (ring.names.length === 1 || signal === 'metrics') return ring.names.map((cell) => ({ cell, body }));
  let parts: readonly Part[] = [];
  try {
    parts = await wholeInTurns(
      splitting(signal, encoding, body, routing, () => turns.isOver),
      turns,
    );
  } catch (error) {
    if (!(error instanceof BoundaryError) || error.code !== 'INVALID_ARGUMENT') throw error;
  }
  return parts.length > 0 ? parts : [{ cell: ring.of(NO_KEY), body }];
}

function splitting(
  signal: 'traces' | 'logs',
  encoding: Encoding,
  body: Buffer,
  routing: Routing,
  isOver: IsOver,
): Work<readonly Part[]> {
  const isSpans = signal === 'traces';
  const choose = isSpans ? chooseForSpans(routing) : chooseForLogs(routing);
  return encoding === 'json'
    ? splitJson(body, isSpans ? SPAN_LEVELS : LOG_LEVELS, choose, isOver)
    : splitProto(body, isSpans ? SPAN_TAGS : LOG_TAGS, choose, isOver);
}
