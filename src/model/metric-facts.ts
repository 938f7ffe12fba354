/** What is kept over a restart of the metrics that were joined to one span or step log: at most 16, figures and names only. */
export interface MetricFacts {
  readonly kind: 'metric';
  /** Key of the span, `spanKey(...)`, or `log:<logId>`. */
  readonly source: string;
  /** By label: measurements that name the span themselves. */
  readonly measured?: { readonly [label: string]: MeasuredMetric };
  /** By label: what was joined by resource and time. */
  readonly gathered?: { readonly [label: string]: GatheredMetric };
}

interface LabelledMetric {
  readonly unit: string;
  /** Of the metrics of one node the lower ones are kept. */
  readonly rank: number;
  /** Does it mean something to add the values up (a counter, a distribution)? */
  readonly adds?: true;
}

export interface MeasuredMetric extends LabelledMetric {
  /** Time in epoch milliseconds, and value. The latest ones, in order. */
  readonly values: readonly (readonly [time: number, value: number])[];
}

export interface GatheredMetric extends LabelledMetric {
  readonly points: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly last: number;
  /** Epoch milliseconds of the last point that is in it. */
  readonly through: number;
}

/** One entry of `details.metrics` of a node. */
export interface NodeMetric {
  readonly last: number;
  readonly min: number;
  readonly max: number;
  readonly avg: number;
  /** Values that went into it: points of a gauge or counter, measurements of a distribution. */
  readonly points: number;
  /** Only where adding up means something. */
  readonly sum?: number;
  /** UCUM, as the sender wrote it; may be empty. */
  readonly unit: string;
  readonly by: 'exemplar' | 'resource and time';
}

/** The source key of the facts themselves: what is kept of metrics leaves with the step, and counts in its newest state. */
export function metricKey(source: string): string {
  return `metric:${source}`;
}
