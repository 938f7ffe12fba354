import { ManualClock } from '../../src/base/clock.ts';
import type { CotText } from '../../src/model/facts.ts';
import type { SafeRecord } from '../../src/model/pipeline.ts';
import type { CotRecord, SpanRecord } from '../../src/model/records.ts';
import { MARKER } from '../../src/model/marker.ts';
import { thoughtsOf } from '../../src/model/thought-text.ts';
import type { Redactor } from '../../src/redaction/redactor.ts';
import type { RedactionReport } from '../../src/redaction/report.ts';
import type { Kind } from '../../src/redaction/rule.ts';
import { makeDoor, makeEntry } from '../../test/support/make-door.ts';
import { makeSpan } from '../../test/support/world.ts';
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
  const door = makeDoor(redactor, new ManualClock(), (records) => void passed.push(...records));
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
  return makeSpan({ spanId: (i + 1).toString(16).padStart(16, '0'), attrs: { [ATTRIBUTE]: text } });
}

function thoughtOf(text: string, i: number): CotRecord {
  return makeEntry({ requestId: `request-${i}`, text, final: true });
}
