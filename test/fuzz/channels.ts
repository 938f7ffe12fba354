import { agUi } from './ag-ui-channel.ts';
import { api } from './api-channel.ts';
import type { Draw } from './draw.ts';
import { otlpGrpcCalls, otlpGrpcFrames, readerGrpcCalls, readerGrpcFrames } from './grpc-channels.ts';
import { ingest } from './ingest-channel.ts';
import { otlpHttp } from './otlp-http-channel.ts';
import { questions } from './questions-channel.ts';
import type { Session } from './session.ts';
import { thoughtflow } from './thoughtflow-channel.ts';
import { websocket } from './websocket-channel.ts';

/** Makes a session from random choices alone. */
export type Channel = (draw: Draw) => Session;

/** Every way in, with the share of sessions that goes there. */
export const CHANNELS = {
  'OTLP/HTTP': { channel: otlpHttp, share: 9 },
  'OTLP/gRPC calls': { channel: otlpGrpcCalls, share: 2 },
  'OTLP/gRPC frames': { channel: otlpGrpcFrames, share: 2 },
  api: { channel: api, share: 6 },
  'cot and events': { channel: ingest, share: 6 },
  'AG-UI': { channel: agUi, share: 6 },
  ThoughtFlow: { channel: thoughtflow, share: 4 },
  'exports and questions': { channel: questions, share: 4 },
  WebSocket: { channel: websocket, share: 3 },
  'reader gRPC calls': { channel: readerGrpcCalls, share: 2 },
  'reader gRPC frames': { channel: readerGrpcFrames, share: 2 },
} as const satisfies Readonly<Record<string, { readonly channel: Channel; readonly share: number }>>;

export type ChannelName = keyof typeof CHANNELS;

/** Names one session for good: with the seed it says everything that was sent. */
export interface SessionName {
  readonly channel: ChannelName;
  readonly index: number;
}
