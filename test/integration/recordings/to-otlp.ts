import { fromLangfuse } from './langfuse-export.ts';
import { isObject, type ExportRequest, type JsonObject } from './otlp-json.ts';
import { fromPythonSdk } from './python-sdk.ts';
import { fromSingleSpan } from './single-span.ts';

/**
 * Recordings of agent telemetry as OTLP/JSON `ExportTraceServiceRequest` documents, whatever shape they were
 * stored in. Every span is kept. Documents that are OTLP already stay as they are, base64 ids and enum names
 * included: reading those is the receiver's duty.
 *
 * @param text the file's content
 * @param name tells recordings apart that have no ids of their own
 * @throws Error when the shape is none of the known ones
 */
export function toOtlp(text: string, name: string): readonly object[] {
  const documents = parseDocuments(text);
  return documents.flatMap((document) => convert(document, name));
}

function convert(document: unknown, name: string): readonly object[] {
  if (Array.isArray(document)) return document.flatMap((item: unknown) => convert(item, name));
  if (!isObject(document)) throw new Error(`${name}: not a recording: no JSON object`);
  return converterOf(document, name)(document, name);
}

type Converter = (document: JsonObject, name: string) => readonly (JsonObject | ExportRequest)[];

function converterOf(document: JsonObject, name: string): Converter {
  if ('resourceSpans' in document) return (request) => [request];
  if ('observations' in document) return fromLangfuse;
  if ('spans' in document) return fromPythonSdk;
  if ('spanName' in document) return fromSingleSpan;
  throw new Error(`${name}: not a recording: none of resourceSpans, observations, spans, spanName is there`);
}

/** One JSON document, or one a line. */
function parseDocuments(text: string): readonly unknown[] {
  try {
    return [parseExact(text)];
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    if (lines.length < 2) throw error;
    return lines.map(parseExact);
  }
}

/** JSON whose integers beyond 2^53 become decimal strings: `JSON.parse` alone would round 128-bit ids. */
function parseExact(text: string): unknown {
  const reviver = (_key: string, value: unknown, context: { readonly source?: string }): unknown =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? (context.source ?? value) : value;
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}
