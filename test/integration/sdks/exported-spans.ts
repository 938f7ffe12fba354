import { isObject, listOf } from '../recordings/otlp-json.ts';
import { recordedSpans, type RecordedSpan } from '../recordings/recording-spans.ts';
import type { NamedSpans } from './spec.ts';

interface Begun {
  readonly spanId: string;
  readonly name: string;
  readonly start: bigint;
}

/** What a program exported: its spans by the names that a spec calls them. */
export class ExportedSpans implements NamedSpans {
  readonly spans: readonly RecordedSpan[];
  private readonly byName: ReadonlyMap<string, RecordedSpan>;

  constructor(requests: readonly object[]) {
    this.spans = recordedSpans(requests);
    const byId = new Map(this.spans.map((span) => [span.spanId, span]));
    const begun = begunSpans(requests).sort((a, b) => Number(a.start - b.start));
    const named: [string, RecordedSpan][] = [];
    for (const [name, same] of Map.groupBy(begun, (span) => span.name))
      for (const [index, { spanId }] of same.entries()) {
        const span = byId.get(spanId);
        if (span) named.push([same.length === 1 ? name : `${name}#${index + 1}`, span]);
      }
    this.byName = new Map(named);
  }

  get names(): readonly string[] {
    return [...this.byName.keys()];
  }

  spanId(name: string): string {
    return this.named(name).spanId;
  }

  traceId(name: string): string {
    return this.named(name).traceId;
  }

  /** The text with names in the place of ids. */
  inNames(text: string): string {
    let named = text;
    for (const [name, { spanId }] of this.byName) named = named.replaceAll(spanId, `"${name}"`);
    return named;
  }

  private named(name: string): RecordedSpan {
    const span = this.byName.get(name);
    if (!span) throw new Error(`no span "${name}" was exported, but ${this.names.join(', ')}`);
    return span;
  }
}

function begunSpans(requests: readonly object[]): Begun[] {
  return requests
    .flatMap((request) => listOf(request, 'resourceSpans'))
    .flatMap((resource) => listOf(resource, 'scopeSpans'))
    .flatMap((scope) => listOf(scope, 'spans'))
    .filter(isObject)
    .map(({ spanId, name, startTimeUnixNano }) => ({
      spanId: String(spanId),
      name: String(name),
      start: BigInt(String(startTimeUnixNano)),
    }));
}
