import type { WebSocket } from 'ws';

/** RFC 6455, 7.4.1, and the IANA registry. */
export const CLOSE_GOING_AWAY = 1001;
export const CLOSE_POLICY_VIOLATION = 1008;
export const CLOSE_TRY_AGAIN = 1013;
/** A close frame carries 125 bytes, two of them the code. */
const MAX_REASON_BYTES = 123;

/** Tells the other side why, and closes. */
export function closeWith(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, truncateUtf8(reason, MAX_REASON_BYTES));
}

function truncateUtf8(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
