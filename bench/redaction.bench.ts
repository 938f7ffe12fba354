import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { epochMs } from '../src/model/time.ts';
import type { RecordBatch } from '../src/model/pipeline.ts';
import type { SpanRecord } from '../src/model/records.ts';
import { noAudit } from '../src/redaction/audit-log.ts';
import { RedactionDoor } from '../src/redaction/door.ts';
import { createEngine } from '../src/redaction/engine.ts';
import type { Kind } from '../src/redaction/rule.ts';
import { BUILTIN_RULES } from '../src/redaction/rules/builtin.ts';
import { SPEC_PATTERNS } from '../src/redaction/user-patterns.ts';
import { silentLogger } from '../src/telemetry/logger.ts';
import { noMetrics } from '../src/telemetry/own-metrics.ts';

/** Speed of redaction and, given a folder of labelled sets, its quality: `redaction.bench.ts [folder]`. */

const engine = createEngine({ key: new Uint8Array(32).fill(1), maxCodeSnippetChars: 2000 });

interface Label {
  readonly start: number;
  readonly end: number;
  readonly type: string;
  readonly subtype?: string;
}

interface Sample {
  readonly id: string;
  readonly text: string;
  readonly spans: readonly Label[];
}

/** How the sets name what our rules call otherwise. Labels of other types are not scored. */
const KIND_OF_LABEL: Readonly<Record<string, Kind>> = {
  SECRET: 'SECRET',
  EMAIL: 'EMAIL',
  EMAIL_ADDRESS: 'EMAIL',
  PHONE: 'PHONE',
  PHONE_NUMBER: 'PHONE',
  CREDIT_CARD: 'CARD',
  IBAN: 'IBAN',
  IBAN_CODE: 'IBAN',
  SSN: 'SSN',
  US_SSN: 'SSN',
  IP: 'IP',
  IP_ADDRESS: 'IP',
  MAC: 'MAC',
  DOB: 'DOB',
};

const PERSONAL: readonly Kind[] = ['EMAIL', 'PHONE', 'CARD', 'IBAN', 'SSN', 'IP', 'MAC', 'DOB'];

type Found = { readonly start: number; readonly end: number; readonly kind: Kind };
type Detector = (text: string) => readonly Found[];

const ours: Detector = (text) =>
  engine.findings(text).map(({ start, end, rule }) => ({ start, end, kind: rule.kind }));
const specOnly: Detector = (text) =>
  SPEC_PATTERNS.flatMap((pattern, i) =>
    Array.from(text.matchAll(new RegExp(pattern, 'g')), (match) => ({
      start: match.index,
      end: match.index + match[0].length,
      kind: i === 0 ? ('EMAIL' as const) : ('SECRET' as const),
    })),
  );

/** Any overlap counts; a prediction on a label that is not scored is neither right nor wrong. */
function score(
  samples: readonly Sample[],
  detect: Detector,
  kinds: readonly Kind[],
): Readonly<Record<string, string | number>> {
  let [truePredictions, predictions, foundLabels, labels, leaked, characters, clean, altered] = [
    0, 0, 0, 0, 0, 0, 0, 0,
  ];
  for (const { text, spans } of samples) {
    const gold = spans.filter(({ type }) => kinds.includes(KIND_OF_LABEL[type] as Kind));
    const found = detect(text);
    for (const item of found.filter(({ kind }) => kinds.includes(kind))) {
      const overlapping = spans.filter((span) => span.start < item.end && item.start < span.end);
      const isTrue = overlapping.some((span) => gold.includes(span));
      if (!isTrue && overlapping.length > 0) continue;
      predictions++;
      if (isTrue) truePredictions++;
    }
    for (const span of gold) {
      labels++;
      let hidden = 0;
      for (let i = span.start; i < span.end; i++) if (found.some((f) => f.start <= i && i < f.end)) hidden++;
      if (hidden > 0) foundLabels++;
      leaked += span.end - span.start - hidden;
      characters += span.end - span.start;
    }
    if (spans.length === 0) {
      clean++;
      if (found.length > 0) altered++;
    }
  }
  const precision = truePredictions / Math.max(predictions, 1);
  const recall = foundLabels / Math.max(labels, 1);
  return {
    labels,
    precision: precision.toFixed(3),
    recall: recall.toFixed(3),
    F1: ((2 * precision * recall) / Math.max(precision + recall, 1e-9)).toFixed(3),
    leaked: (leaked / Math.max(characters, 1)).toFixed(3),
    'clean altered': `${altered}/${clean}`,
  };
}

function readSets(folder: string): Map<string, readonly Sample[]> {
  const sets = new Map<string, readonly Sample[]>();
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (!file.endsWith('.jsonl')) continue;
    const lines = readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    sets.set(
      file,
      lines.map((line) => JSON.parse(line) as Sample),
    );
  }
  return sets;
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

/** Median of five runs. @returns microseconds of processor time for each call, so that a busy machine matters less */
async function time(calls: number, run: () => Promise<void> | void): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < 7; round++) {
    const start = process.cpuUsage();
    for (let i = 0; i < calls; i++) await run();
    const used = process.cpuUsage(start);
    if (round > 1) rounds.push((used.user + used.system) / calls);
  }
  return rounds.toSorted((a, b) => a - b)[2] as number;
}

async function speedOfDoor(jsonPrompt: boolean): Promise<Readonly<Record<string, string | number>>> {
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
    engine,
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
    'µs each': (perBatch / 512).toFixed(2),
    'MB/s': (bytes / perBatch).toFixed(0),
  };
}

async function speedOfText(
  name: string,
  texts: readonly string[],
): Promise<Readonly<Record<string, string | number>>> {
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  const perRound = await time(3, () => {
    for (const text of texts) engine.redactText(text);
  });
  return {
    text: name,
    'µs each': (perRound / texts.length).toFixed(2),
    'MB/s': (bytes / perRound).toFixed(1),
  };
}

const examples = BUILTIN_RULES.flatMap((rule) => rule.examples.hits.map(({ text }) => text));
const speed = [
  await speedOfDoor(false),
  await speedOfDoor(true),
  await speedOfText('examples of all rules', examples),
];

const folder = process.argv[2];
if (folder !== undefined && existsSync(folder)) {
  const quality: Record<string, string | number>[] = [];
  for (const [set, samples] of readSets(folder)) {
    speed.push(
      await speedOfText(
        set,
        samples.map(({ text }) => text),
      ),
    );
    for (const [detector, detect] of [
      ['ours', ours],
      ['spec patterns', specOnly],
    ] as const) {
      quality.push({ set, detector, kinds: 'SECRET', ...score(samples, detect, ['SECRET']) });
      quality.push({ set, detector, kinds: 'personal', ...score(samples, detect, PERSONAL) });
    }
    if (process.argv.includes('--kinds'))
      for (const kind of PERSONAL)
        quality.push({ set, detector: 'ours', kinds: kind, ...score(samples, ours, [kind]) });
    if (process.argv.includes('--missed')) listMissed(samples);
  }
  console.table(quality.filter((row) => row['labels'] !== 0));
} else
  console.log(`labelled sets: ${folder === undefined ? 'no folder given' : 'folder not there'}, skipped`);
console.table(speed);

/** Shows what a rule's author wants to see: labels that were not hidden, and hits without a label. */
function listMissed(samples: readonly Sample[]): void {
  for (const { id, text, spans } of samples) {
    const found = ours(text);
    for (const span of spans) {
      if (!(span.type in KIND_OF_LABEL) || found.some((f) => f.start < span.end && span.start < f.end))
        continue;
      console.log(
        `missed ${id} ${span.subtype ?? span.type}: ${JSON.stringify(text.slice(Math.max(0, span.start - 40), span.end + 10).slice(0, 160))}`,
      );
    }
    for (const f of found) {
      if (spans.some((span) => f.start < span.end && span.start < f.end)) continue;
      console.log(
        `extra ${id} ${f.kind}: ${JSON.stringify(text.slice(Math.max(0, f.start - 30), f.end + 10).slice(0, 160))}`,
      );
    }
  }
}
