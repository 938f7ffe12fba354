import type { Kind } from '../../src/redaction/rule.ts';
import { randomNumbers } from './markup.ts';
import type { Sample } from './sample.ts';

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
}

export interface Score {
  readonly labels: number;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  /** Bounds between which 95 of 100 draws of as many texts lie. */
  readonly f1Low: number;
  readonly f1High: number;
  /** Share of the labels' characters that stay visible, hidden by whatever rule. */
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
  found: readonly (readonly Found[])[],
  kinds: readonly Kind[],
  withInterval = true,
): Score {
  const perText: Counts[] = [];
  let [leaked, characters, cleanTexts, alteredCleanTexts] = [0, 0, 0, 0];
  for (const [i, sample] of samples.entries()) {
    if (isUnplaced(sample)) continue;
    const predictions = found[i] ?? [];
    perText.push(countsOf(sample, predictions, kinds));
    for (const span of sample.spans) {
      if (!kinds.includes(KIND_OF_LABEL[span.type] as Kind)) continue;
      characters += span.end - span.start;
      for (let at = span.start; at < span.end; at++)
        if (!predictions.some(({ start, end }) => start <= at && at < end)) leaked++;
    }
    if (sample.spans.length > 0) continue;
    cleanTexts++;
    if (predictions.length > 0) alteredCleanTexts++;
  }
  const { precision, recall, f1 } = ratios(perText);
  const [f1Low, f1High] = withInterval ? bootstrap(perText) : [f1, f1];
  const labels = perText.reduce((sum, counts) => sum + counts.labels, 0);
  return {
    labels,
    precision,
    recall,
    f1,
    f1Low,
    f1High,
    leaked: leaked / Math.max(characters, 1),
    cleanTexts,
    alteredCleanTexts,
  };
}

function isUnplaced(sample: Sample): boolean {
  return sample.kind === 'positive' && sample.spans.length === 0;
}

function countsOf({ spans }: Sample, found: readonly Found[], kinds: readonly Kind[]): Counts {
  const gold = spans.filter(({ type }) => kinds.includes(KIND_OF_LABEL[type] as Kind));
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
  return { predictions, truePredictions, labels: gold.length, foundLabels };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function overlap(a: Range, b: Range): boolean {
  return a.start < b.end && b.start < a.end;
}

function ratios(texts: readonly Counts[]): { precision: number; recall: number; f1: number } {
  let [predictions, truePredictions, labels, foundLabels] = [0, 0, 0, 0];
  for (const counts of texts) {
    predictions += counts.predictions;
    truePredictions += counts.truePredictions;
    labels += counts.labels;
    foundLabels += counts.foundLabels;
  }
  const precision = truePredictions / Math.max(predictions, 1);
  const recall = foundLabels / Math.max(labels, 1);
  return { precision, recall, f1: (2 * precision * recall) / Math.max(precision + recall, 1e-9) };
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
