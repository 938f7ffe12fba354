import type { JsonObject } from '../../base/json.ts';
import { boundText } from '../bounded-values.ts';
import { takeLog } from './classify-log.ts';
import type { DecodeState } from './decode-state.ts';
import type { LogDraft } from './log-draft.ts';
import { enumNumber, field, hexId, text } from './json-fields.ts';
import { time } from './traces-json.ts';
import { anyValue } from './values-json.ts';
import { attempt, attributesOf, walkJson, type JsonNames } from './walk-json.ts';

const NAMES: JsonNames = [
  ['resourceLogs', 'resource_logs'],
  ['scopeLogs', 'scope_logs'],
  ['logRecords', 'log_records'],
];

/** SEVERITY_NUMBER_TRACE is 1, TRACE2 is 2, … FATAL4 is 24: four steps for each of six levels. */
const SEVERITIES = new Map(
  ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'].flatMap((level, i) =>
    ['', '2', '3', '4'].map((step, j) => [`SEVERITY_NUMBER_${level}${step}`, i * 4 + j + 1] as const),
  ),
);

/**
 * ExportLogsServiceRequest, JSON, a record a step. CoT entries, Reflexion events, open spans and other log records go to `state`.
 * @throws BoundaryError INVALID_ARGUMENT, TOO_LARGE
 */
export function decodeLogsJson(body: Buffer, state: DecodeState): Generator<void, void> {
  return walkJson(body, state, NAMES, (log, path, resource, scope) => {
    if (!state.takeRecord()) return;
    attempt(state, path, () => {
      const problem = takeLog(readLog(log, state), scope, resource, state);
      if (problem !== undefined) state.reject(`${path}.${problem}`);
    });
  });
}

function readLog(log: JsonObject, state: DecodeState): LogDraft {
  return {
    time: time(field(log, 'timeUnixNano', 'time_unix_nano'), 'timeUnixNano'),
    observedTime: time(field(log, 'observedTimeUnixNano', 'observed_time_unix_nano'), 'observedTimeUnixNano'),
    severityNumber: enumNumber(field(log, 'severityNumber', 'severity_number'), SEVERITIES, 'severityNumber'),
    severityText: boundText(text(field(log, 'severityText', 'severity_text'), 'severityText'), state),
    body: anyValue(log['body'], 'body', state, 0),
    attributes: attributesOf(log, 'attributes', state),
    traceId: hexId(field(log, 'traceId', 'trace_id'), 16, 'traceId'),
    spanId: hexId(field(log, 'spanId', 'span_id'), 8, 'spanId'),
    eventName: boundText(text(field(log, 'eventName', 'event_name'), 'eventName'), state),
  };
}
