import { z } from 'zod';
import { GIB, KIB, MIB } from './values.ts';

/** Of a key. Far above what any machine takes in, so that a wrong unit is seen. */
const perSecond = z.number().gt(0).max(1e9).optional();
const atOnce = z.int().min(1).max(1e6).optional();

/** How records come in and updates go out: waits and bounds. */
export const trafficKeys = {
  reorderWindowMs: z
    .int()
    .min(0)
    .max(60_000)
    .default(100)
    .describe('Longest wait (milliseconds) for a missing piece of a chain of thought.'),
  flushIntervalMs: z
    .int()
    .min(0)
    .max(1000)
    .default(10)
    .describe('Changes within this time (milliseconds) leave as one update.'),
  updateLatencySlaMs: z
    .number()
    .gt(0)
    .max(60_000)
    .default(50)
    .describe('Milliseconds from an event to its update that the service is held to.'),
  maxQueuedUpdates: z
    .int()
    .min(1)
    .max(100_000)
    .default(100)
    .describe('Updates kept for a subscriber whose connection was lost.'),
  resumeWindowSeconds: z
    .number()
    .min(0)
    .max(86_400)
    .default(300)
    .describe('Seconds that a lost subscription can be taken up again.'),
  maxSubscriptions: z.int().min(1).max(1_000_000).default(5000).describe('Most subscriptions at one time.'),
  maxConnections: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .describe('Most connections to one port; beyond it the longest idle is closed for a new one.'),
  maxRequestBytes: z
    .int()
    .min(KIB)
    .max(GIB)
    .default(16 * MIB)
    .describe('Largest request body, in bytes, as it is sent.'),
  maxDecompressedBytes: z
    .int()
    .min(KIB)
    .max(GIB)
    .default(64 * MIB)
    .describe('Largest request body, in bytes, after decompression.'),
  maxInflightBytes: z
    .int()
    .min(KIB)
    .max(64 * GIB)
    .default(160 * MIB)
    .describe(
      'Most bytes of requests in flight, with what decoding them takes; senders are told to wait beyond it.',
    ),

  limits: z
    .strictObject({
      requestsPerSecond: perSecond,
      bytesPerSecond: perSecond,
      spansPerSecond: perSecond,
      thoughtsPerSecond: perSecond,
      subscriptions: atOnce,
      connections: atOnce,
    })
    .default({})
    .describe(
      'How much each key and each person may do that has no limits of its own: {"spansPerSecond": 2000, "subscriptions": 10}; also requestsPerSecond, bytesPerSecond, thoughtsPerSecond, connections (WebSockets at once). What is absent is not limited. Tokens of "auth" have no limits.',
    ),
};
