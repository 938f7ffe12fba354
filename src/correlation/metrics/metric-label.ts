import type { Attributes } from '../../model/attributes.ts';
import type { MetricRecord } from '../../model/records.ts';
import { textHash } from '../../model/text-hash.ts';

/** What OpenTelemetry allows in the name of an instrument, and Prometheus' colon; at most 255 characters. */
const NAME = /^[A-Za-z][\w.\-/:]{0,254}$/;
/** Values longer than this, or with a blank, are texts and no names. */
const VALUE = /^\S{1,64}$/;
/** A label names at most so many attributes. */
const MAX_PARTS = 3;

/**
 * Attributes that make another metric of it: added up or averaged over them the figures would mean nothing. All
 * other attributes only tell series apart.
 */
const SPLITTING: ReadonlySet<string> = new Set([
  'gen_ai.token.type',
  'gen_ai.request.model',
  'gen_ai.operation.name',
  'model',
  'model_name',
  'type',
  'state',
  'direction',
  'cpu.mode',
  'process.cpu.state',
  'system.cpu.state',
  'system.memory.state',
  'v8js.heap.space.name',
  'jvm.memory.type',
  'hw.id',
  'hw.gpu.task',
  'gpu',
  'gpu.id',
  'queue',
  'queue.name',
  'messaging.destination.name',
]);

/** Names that no metric should have are not shown. */
export function isMetricName(name: string): boolean {
  return NAME.test(name);
}

/** `gen_ai.client.token.usage{gen_ai.token.type=input}`: under what the figures stand in `details.metrics`. */
export function labelOf({ name, attributes }: Pick<MetricRecord, 'name' | 'attributes'>): string {
  const parts: string[] = [];
  for (const [key, value] of attributes) {
    if (!SPLITTING.has(key) || typeof value === 'object') continue;
    const word = String(value);
    if (VALUE.test(word)) parts.push(`${key}=${word}`);
  }
  if (parts.length === 0) return name;
  return `${name}{${parts.sort().slice(0, MAX_PARTS).join(',')}}`;
}

/** The same for all points of one time series and, but for 53 bits, for no other. */
export function seriesId({ name, unit, instrument, temporality, attributes, scope }: MetricRecord): string {
  const sorted = [...attributes].sort(([a], [b]) => (a < b ? -1 : 1));
  const identity = [name, unit, instrument, temporality ?? '', scope.name, sorted];
  return textHash(`series:${JSON.stringify(identity)}`) ?? '';
}

/** The first of some attributes that is a text. */
export function firstText(attributes: Attributes, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = attributes.get(key);
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}
