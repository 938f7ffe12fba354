/** Values of a Prometheus text. */
export interface Samples {
  /** The sum of a metric's samples that have all of these labels; 0 when there is none. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
}

interface Sample {
  readonly name: string;
  readonly labels: string;
  readonly value: number;
}

/** @throws Error when the address does not answer, or not with 200 */
export async function scrape(
  url: string,
  limitMs: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Samples> {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(limitMs) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return parseSamples(await response.text());
}

function parseSamples(text: string): Samples {
  const samples = Array.from(
    text.matchAll(/^([a-z_]+)(\{.*\})? (\S+)$/gim),
    ([, name, labels, value]): Sample => {
      return { name: name ?? '', labels: labels ?? '', value: Number(value) };
    },
  );
  return {
    sum: (name, labels = {}) => {
      const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
      return samples
        .filter((sample) => sample.name === name && wanted.every((label) => sample.labels.includes(label)))
        .reduce((sum, { value }) => sum + value, 0);
    },
  };
}
