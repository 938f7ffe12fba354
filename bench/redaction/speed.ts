import { systemClock } from '../../src/base/clock.ts';
import { epochMs } from '../../src/model/time.ts';
import type { RecordBatch } from '../../src/model/pipeline.ts';
import type { SpanRecord } from '../../src/model/records.ts';
import { noAudit } from '../../src/redaction/audit-log.ts';
import { RedactionDoor } from '../../src/redaction/door.ts';
import type { Redactor } from '../../src/redaction/redactor.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { noMetrics } from '../../src/telemetry/own-metrics.ts';
import type { Detector } from './baselines.ts';

/** Speeds in megabytes of text (10^6 UTF-16 units) for each second of processor time. */

export interface Speed {
  readonly text: string;
  /** Processor time for one text or span. */
  readonly microseconds: number;
  readonly megabytesPerSecond: number;
}

function cleanSpan(i: number): SpanRecord {
  const hex = i.toString(16).padStart(16, '0');
  const sentence = `Step ${i}: the planner compares the two candidate patches, reads the failing test again and decides that the second one is the smaller change. `;
  return {
    kind: 'span',
    traceId: `0af7651916cd43dd${hex}`,
    spanId: `b7ad6b71692033${hex.slice(-2)}`,
    parentSpanId: `00f067aa0ba902b7`,
    name: 'chat gpt-4o',
    start: epochMs(1_750_000_000_000 + i),
    end: epochMs(1_750_000_000_120 + i),
    durationMs: 120,
    status: 'OK',
    statusMessage: '',
    traceState: '',
    attributes: new Map<string, string | number>([
      ['gen_ai.operation.name', 'chat'],
      ['gen_ai.system', 'openai'],
      ['gen_ai.request.model', 'gpt-4o'],
      ['gen_ai.response.model', 'gpt-4o-2024-08-06'],
      ['gen_ai.usage.input_tokens', 812],
      ['gen_ai.usage.output_tokens', 164],
      ['gen_ai.request.temperature', 0.2],
      ['gen_ai.request.max_tokens', 4096],
      ['gen_ai.conversation.id', `7f2c1f2e-5d2b-4b1a-9c55-${hex.slice(4)}`],
      ['gen_ai.response.id', `chatcmpl-9x${hex}`],
      ['agent.name', 'CoderAgent'],
      ['gen_ai.prompt', sentence.repeat(7).slice(0, 1000)],
    ]),
    events: [
      {
        name: 'gen_ai.content.completion',
        time: epochMs(1_750_000_000_100),
        attributes: new Map([['finish_reason', 'stop']]),
      },
    ],
    links: [],
    scope: { name: 'agent', version: '1.0.0', attributes: new Map() },
    resource: { attributes: new Map([['service.name', 'coder']]) },
  };
}

const PROMPT =
  'The planner reads the failing test again and decides that the second patch is the smaller change. '.repeat(
    10,
  );

/** @returns the median of some runs: microseconds of processor time for each call, so that a busy machine matters less */
async function time(calls: number, run: () => Promise<void> | void): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const start = process.cpuUsage();
    for (let i = 0; i < calls; i++) await run();
    const used = process.cpuUsage(start);
    if (round >= WARM_UP) rounds.push((used.user + used.system) / calls);
  }
  return median(rounds);
}

/** Whole records through the door, nothing private in them. */
export async function speedOfDoor(redactor: Redactor, jsonPrompt: boolean): Promise<Speed> {
  const spans = Array.from({ length: 512 }, (_, i) => {
    const span = cleanSpan(i);
    if (!jsonPrompt) return span;
    const prompt = JSON.stringify([
      {
        role: 'user',
        parts: [{ type: 'text', content: `${PROMPT}\n"done"` }],
      },
    ]);
    return {
      ...span,
      attributes: new Map([...span.attributes, ['gen_ai.input.messages', prompt], ['gen_ai.prompt', '']]),
    };
  });
  const bytes = spans.reduce((sum, span) => sum + JSON.stringify([...span.attributes, span.name]).length, 0);
  const door = new RedactionDoor({
    next: { consume: () => Promise.resolve() },
    redactor,
    metrics: noMetrics,
    audit: noAudit,
    logger: silentLogger,
    clock: systemClock,
    reorderWindowMs: 100,
    enabled: true,
  });
  const batch: RecordBatch = { receivedAt: 0, source: 'bus', records: spans };
  const perBatch = await time(40, () => door.consume(batch));
  return {
    text: jsonPrompt ? 'clean spans, JSON prompts' : 'clean spans',
    microseconds: perBatch / 512,
    megabytesPerSecond: bytes / perBatch,
  };
}

/** By detector: megabytes a second of single texts. All take turns, so that what else the machine does counts alike. */
export async function speeds(
  detectors: readonly Detector[],
  texts: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const rounds = new Map<string, number[]>();
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    for (const { name, run } of detectors) {
      const start = process.cpuUsage();
      for (const text of texts) {
        const result = run(text);
        if (result instanceof Promise) await result;
      }
      const used = process.cpuUsage(start);
      if (round >= WARM_UP) rounds.set(name, [...(rounds.get(name) ?? []), used.user + used.system]);
    }
  }
  return new Map(Array.from(rounds, ([name, times]) => [name, length / median(times)]));
}

const WARM_UP = 2;
const ROUNDS = 5;

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}

export interface WorstCase {
  readonly name: string;
  readonly milliseconds: number;
  /** So many times as long as a text of an eighth of the length. */
  readonly growth: number;
}

/** How many of the cases that are slow when short are run in full. */
const FINALISTS = 12;

/**
 * Those of many texts that take the longest when they are short, slowest first, by processor time.
 * @param cases makes the same texts for each length
 */
export function slowest(
  redactor: Redactor,
  cases: (length: number) => Iterable<readonly [string, string]>,
  length: number,
): readonly WorstCase[] {
  const short = Array.from(cases(length / 8), ([, text], i) => ({
    i,
    milliseconds: bestOf(3, redactor, text),
  }));
  const finalists = new Map(
    short
      .toSorted((a, b) => b.milliseconds - a.milliseconds)
      .slice(0, FINALISTS)
      .map(({ i, milliseconds }) => [i, milliseconds]),
  );
  const worst: WorstCase[] = [];
  let i = 0;
  for (const [name, text] of cases(length)) {
    const before = finalists.get(i++);
    if (before === undefined) continue;
    const milliseconds = bestOf(4, redactor, text);
    worst.push({ name, milliseconds, growth: milliseconds / before });
  }
  return worst.toSorted((a, b) => b.milliseconds - a.milliseconds);
}

function bestOf(runs: number, redactor: Redactor, text: string): number {
  let best = Infinity;
  for (let i = 0; i < runs; i++) {
    const start = process.cpuUsage();
    redactor.redactText(text);
    const used = process.cpuUsage(start);
    best = Math.min(best, (used.user + used.system) / 1000);
  }
  return best;
}
