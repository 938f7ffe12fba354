import { ManualClock } from '../../src/base/clock.ts';
import type { CotText } from '../../src/model/facts.ts';
import type { SafeRecord } from '../../src/model/pipeline.ts';
import type { CotRecord, SpanRecord } from '../../src/model/records.ts';
import { MARKER } from '../../src/model/marker.ts';
import { thoughtsOf } from '../../src/model/thought-text.ts';
import { epochMs } from '../../src/model/time.ts';
import { noAudit } from '../../src/redaction/audit-log.ts';
import { RedactionDoor } from '../../src/redaction/door.ts';
import type { Redactor } from '../../src/redaction/redactor.ts';
import type { RedactionReport } from '../../src/redaction/report.ts';
import type { Kind } from '../../src/redaction/rule.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { noMetrics } from '../../src/telemetry/own-metrics.ts';
import type { Detector } from './baselines.ts';
import { replaced } from './replaced.ts';
import type { Shown } from './score.ts';

/** The redactor at the door, as the others are told. */
export function doorDetector(redactor: Redactor): Detector {
  return {
    name: 'ours',
    run: (text) => redactor.redactText(text),
    results: async (texts) => {
      const shown = await throughDoor(redactor, texts);
      return texts.map((text, i) => {
        const { attribute, thought } = shown[i] as Safe;
        return [shownAs(redactor, text, attribute), shownAs(redactor, text, thought)];
      });
    },
  };
}

/** What was hidden is what the redactor says, unless the door did otherwise: JSON is walked. */
function shownAs(redactor: Redactor, text: string, safe: string): Shown {
  const findings = redactor.findings(text);
  const found = findings.map(({ start, end, rule }) => ({ start, end, kind: rule.kind }));
  const isSo = redactor.render(text, findings, 0, text.length, noReport) === safe;
  const kindOf = (marker: string): Kind => marker.slice(1, marker.indexOf(':')) as Kind;
  return { text: safe, found: isSo ? found : (replaced(text, safe, MARKER, kindOf) ?? found) };
}

const noReport: RedactionReport = { hidden() {} };

/** A text as it leaves the door. */
interface Safe {
  /** As an attribute of a span. */
  readonly attribute: string;
  /** As a chain of thought that came in one piece. */
  readonly thought: string;
}

const ATTRIBUTE = 'output.value';
const BATCH = 64;

/** Each text as an attribute of a span, and as a thought. */
async function throughDoor(redactor: Redactor, texts: readonly string[]): Promise<readonly Safe[]> {
  const shown: Safe[] = [];
  for (let from = 0; from < texts.length; from += BATCH)
    shown.push(...(await batchThroughDoor(redactor, texts.slice(from, from + BATCH))));
  return shown;
}

async function batchThroughDoor(redactor: Redactor, texts: readonly string[]): Promise<readonly Safe[]> {
  const passed: SafeRecord[] = [];
  const clock = new ManualClock();
  const door = new RedactionDoor({
    next: {
      consume: (batch) => {
        passed.push(...batch.records);
        return Promise.resolve();
      },
    },
    redactor,
    metrics: noMetrics,
    audit: noAudit,
    logger: silentLogger,
    clock,
    reorderWindowMs: 100,
    enabled: true,
  });
  const records = texts.flatMap((text, i) => [spanWith(text, i), thoughtOf(text, i)]);
  await door.consume({ receivedAt: 0, source: 'bus', records });
  await door.drain();
  const thoughts = new Map<string, CotText[]>();
  const attributes: string[] = [];
  for (const record of passed) {
    if (record.kind === 'span') attributes.push(record.attributes.get(ATTRIBUTE) as string);
    if (record.kind !== 'cot') continue;
    const parts = thoughts.get(record.requestId) ?? [];
    // Of a part the later record is the whole state.
    thoughts.set(record.requestId, [...parts.filter(({ part }) => part !== record.part), record]);
  }
  return texts.map((_, i) => ({
    attribute: attributes[i] ?? '',
    thought: thoughtsOf(thoughts.get(`request-${i}`) ?? []).join('\n'),
  }));
}

function spanWith(text: string, i: number): SpanRecord {
  return {
    kind: 'span',
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: (i + 1).toString(16).padStart(16, '0'),
    parentSpanId: undefined,
    name: 'chat',
    start: epochMs(0),
    end: epochMs(1),
    durationMs: 1,
    status: 'OK',
    statusMessage: '',
    traceState: '',
    attributes: new Map([[ATTRIBUTE, text]]),
    events: [],
    links: [],
    scope: { name: 'bench', version: '', attributes: new Map() },
    resource: { attributes: new Map() },
  };
}

function thoughtOf(text: string, i: number): CotRecord {
  return {
    kind: 'cot',
    requestId: `request-${i}`,
    time: epochMs(0),
    text,
    tokens: undefined,
    final: true,
    summary: undefined,
    agent: undefined,
    model: undefined,
    taskId: undefined,
    traceId: undefined,
    spanId: undefined,
    sequence: undefined,
  };
}
