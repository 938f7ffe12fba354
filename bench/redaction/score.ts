import type { Kind } from '../../src/redaction/rule.ts';
import { randomNumbers } from './markup.ts';
import type { Label, Sample } from './sample.ts';

export interface Found {
  readonly start: number;
  readonly end: number;
  readonly kind: Kind;
}

/** How the sets name what our rules call otherwise. Labels of other types are not scored. */
export const KIND_OF_LABEL: Readonly<Record<string, Kind>> = {
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
  PERSON: 'PERSON',
  ADDRESS: 'ADDRESS',
  STREET_ADDRESS: 'ADDRESS',
};

export const STRUCTURED: readonly Kind[] = ['EMAIL', 'PHONE', 'CARD', 'IBAN', 'SSN', 'IP', 'MAC', 'DOB'];

/** What one text adds to the sums. */
interface Counts {
  readonly predictions: number;
  readonly truePredictions: number;
  readonly labels: number;
  readonly foundLabels: number;
  /** Labels that were found from their first to their last character. */
  readonly exact: number;
}

/** A text as a reader gets it. */
export interface Shown {
  readonly text: string;
  /** What is hidden in it, in offsets of the original. */
  readonly found: readonly Found[];
}

/** What a detector makes of a text, in each of the ways that it is shown. The first one counts for what was found. */
export type Result = readonly [Shown, ...Shown[]];

export interface Score {
  readonly labels: number;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  /** Bounds between which 95 of 100 draws of as many texts lie. */
  readonly f1Low: number;
  readonly f1High: number;
  /** As `f1`, but only what begins and ends where the label does counts. */
  readonly exactF1: number;
  /** Share of the labels that `isLeaked` says are, hidden by whatever rule. */
  readonly leaked: number;
  readonly cleanTexts: number;
  readonly alteredCleanTexts: number;
}

/**
 * Any overlap counts, of the kinds that are asked for; a prediction on a label that is not scored is neither
 * right nor wrong. Texts that are said to hold something without saying where are left out.
 */
export function score(
  samples: readonly Sample[],
  results: readonly Result[],
  kinds: readonly Kind[],
  withInterval = true,
): Score {
  const perText: Counts[] = [];
  let [leaked, cleanTexts, alteredCleanTexts] = [0, 0, 0];
  for (const [i, sample] of samples.entries()) {
    if (isUnplaced(sample)) continue;
    const shown = results[i] as Result;
    perText.push(countsOf(sample, shown[0].found, kinds));
    for (const span of sample.spans) if (isOf(span, kinds) && isLeaked(span, shown)) leaked++;
    if (sample.spans.length > 0) continue;
    cleanTexts++;
    if (shown.some(({ text }) => text !== sample.text)) alteredCleanTexts++;
  }
  const { precision, recall, f1, exactF1 } = ratios(perText);
  const [f1Low, f1High] = withInterval ? bootstrap(perText) : [f1, f1];
  const labels = perText.reduce((sum, counts) => sum + counts.labels, 0);
  return {
    labels,
    precision,
    recall,
    f1,
    f1Low,
    f1High,
    exactF1,
    leaked: leaked / Math.max(labels, 1),
    cleanTexts,
    alteredCleanTexts,
  };
}

/** So many characters of a value in a row give it away; of a shorter value all of them. */
const TELLING = 6;

/** Whether enough of the value is left where it stood, in one of the ways in which the text is shown. */
export function isLeaked({ start, end }: Label, result: Result): boolean {
  const telling = Math.min(TELLING, end - start);
  return result.some(({ found }) => {
    let left = 0;
    for (let at = start; at < end; at++) {
      left = found.some((item) => item.start <= at && at < item.end) ? 0 : left + 1;
      if (left >= telling) return true;
    }
    return false;
  });
}

function isOf(span: Label, kinds: readonly Kind[]): boolean {
  return kinds.includes(KIND_OF_LABEL[span.type] as Kind);
}

function isUnplaced(sample: Sample): boolean {
  return sample.kind === 'positive' && sample.spans.length === 0;
}

function countsOf({ spans }: Sample, found: readonly Found[], kinds: readonly Kind[]): Counts {
  const gold = spans.filter((span) => isOf(span, kinds));
  let [predictions, truePredictions] = [0, 0];
  for (const item of found) {
    if (!kinds.includes(item.kind)) continue;
    const touched = spans.filter((span) => overlap(span, item));
    const isTrue = touched.some((span) => gold.includes(span));
    if (!isTrue && touched.length > 0) continue;
    predictions++;
    if (isTrue) truePredictions++;
  }
  const ofKinds = found.filter((item) => kinds.includes(item.kind));
  const foundLabels = gold.filter((span) => ofKinds.some((item) => overlap(span, item))).length;
  const exact = gold.filter((span) =>
    ofKinds.some(({ start, end }) => start === span.start && end === span.end),
  ).length;
  return { predictions, truePredictions, labels: gold.length, foundLabels, exact };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function overlap(a: Range, b: Range): boolean {
  return a.start < b.end && b.start < a.end;
}

function ratios(texts: readonly Counts[]): Pick<Score, 'precision' | 'recall' | 'f1' | 'exactF1'> {
  const sum = (of: keyof Counts): number => texts.reduce((total, counts) => total + counts[of], 0);
  const precision = sum('truePredictions') / Math.max(sum('predictions'), 1);
  const recall = sum('foundLabels') / Math.max(sum('labels'), 1);
  const exactPrecision = sum('exact') / Math.max(sum('predictions'), 1);
  const exactRecall = sum('exact') / Math.max(sum('labels'), 1);
  return {
    precision,
    recall,
    f1: harmonic(precision, recall),
    exactF1: harmonic(exactPrecision, exactRecall),
  };
}

function harmonic(a: number, b: number): number {
  return (2 * a * b) / Math.max(a + b, 1e-9);
}

const DRAWS = 200;

/** The percentile bootstrap over texts (Efron 1979), with the same draws in each run. */
function bootstrap(texts: readonly Counts[]): readonly [number, number] {
  const next = randomNumbers(11);
  const draws = Array.from({ length: DRAWS }, () => {
    const drawn = texts.map(() => texts[Math.floor(next() * texts.length)] as Counts);
    return ratios(drawn).f1;
  }).toSorted((a, b) => a - b);
  return [draws[Math.floor(DRAWS * 0.025)] ?? 0, draws[Math.ceil(DRAWS * 0.975) - 1] ?? 0];
}
