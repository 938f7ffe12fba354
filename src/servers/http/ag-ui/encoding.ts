import { SSE_KEEP_ALIVE, SSE_TYPE } from '../sse.ts';
import { encodeProtoEvent } from './encode-proto.ts';

/** An event of AG-UI as it goes out. */
export interface OutgoingEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** How a stream of events is written. */
export interface Encoding<E = OutgoingEvent> {
  /** Exactly this: with a parameter the official client takes protobuf for SSE, and reads nothing. */
  readonly contentType: string;
  readonly frameOf: (event: E) => Buffer;
  /** Says that the stream lives; absent where every frame is an event. */
  readonly keepAlive?: Buffer;
}

const PROTO_TYPE = 'application/vnd.ag-ui.event+proto';

const SSE: Encoding = {
  contentType: SSE_TYPE,
  frameOf: (event) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`),
  keepAlive: SSE_KEEP_ALIVE,
};

const PROTO: Encoding = {
  contentType: PROTO_TYPE,
  frameOf: (event) => {
    const message = encodeProtoEvent(event);
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32BE(message.length);
    return Buffer.concat([length, message]);
  },
};

/** Protobuf for who names it and doesn't like SSE better; SSE for everybody else. @param accept RFC 9110, 12.5.1 */
export function encodingFor(accept: string | undefined): Encoding {
  const weights = new Map((accept ?? '').toLowerCase().split(',').map(weightOf));
  const proto = weights.get(PROTO_TYPE) ?? 0;
  return proto > 0 && proto >= (weights.get(SSE_TYPE) ?? 0) ? PROTO : SSE;
}

function weightOf(range: string): readonly [name: string, weight: number] {
  const [name = '', ...parameters] = range.split(';').map((word) => word.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
}
