import type { Label, Sample } from './sample.ts';

/** Kinds of ids that sets label as secrets, and that vendors issue to be shown (RD34). */
const SHOWN_IDS: ReadonlySet<string> = new Set([
  'AzureTenantId',
  'AzureClientId',
  'AWSAccountID',
  'AWS S3 Bucket',
]);

/** A type that `KIND_OF_LABEL` does not know: what is found there is neither right nor wrong. */
const NOT_SCORED = 'NOT_SCORED';

/**
 * The sample with labels by the stated policy: ids that are issued to be shown are no secrets, and a labelled value that
 * stands in the text again is a secret there as well, though the set does not ask for it.
 */
export function byPolicy(sample: Sample): Sample {
  const labels = sample.spans.map((label) =>
    SHOWN_IDS.has(label.subtype ?? '') ? { ...label, type: NOT_SCORED } : label,
  );
  const values = new Set(labels.map(({ start, end }) => sample.text.slice(start, end)).filter(Boolean));
  const again = [...values].flatMap((value) => placesOf(value, sample.text));
  return {
    ...sample,
    spans: [...labels, ...again.filter((place) => !labels.some((label) => meets(label, place)))],
  };
}

function placesOf(value: string, text: string): readonly Label[] {
  const places: Label[] = [];
  for (let start = text.indexOf(value); start >= 0; start = text.indexOf(value, start + value.length))
    places.push({ start, end: start + value.length, type: NOT_SCORED });
  return places;
}

function meets(a: Label, b: Label): boolean {
  return a.start < b.end && b.start < a.end;
}
