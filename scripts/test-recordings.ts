import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadRecordings, type Recording } from './recordings/load-recordings.ts';
import { decodeRecording } from './recordings/decode-recording.ts';
import { summariseRecording, type RecordingSummary } from './recordings/summarise-recording.ts';

/**
 * Reads every recording below a folder through the OTLP decoder and the conventions, and prints what was found.
 * Fails when a span is lost on the way.
 */
const folder = resolve(process.argv[2] ?? '../shared/data/telemetry');

if (!existsSync(folder)) {
  console.log(`no recordings: there is no folder ${folder}; give one as the argument`);
} else {
  const recordings = await loadRecordings(folder);
  let failed = 0;
  for (const recording of recordings) if (!report(recording)) failed += 1;
  console.log(`${recordings.length - failed} recordings passed, ${failed} failed`);
  process.exitCode = failed === 0 && recordings.length > 0 ? 0 : 1;
}

/** @returns false when spans were refused, lost or made up */
function report(recording: Recording): boolean {
  const { spans, refused } = decodeRecording(recording.requests);
  const summary = summariseRecording(spans);
  const isWhole =
    refused === 0 &&
    sameIds(
      recording.spanIds,
      spans.map(({ spanId }) => spanId),
    );
  console.log(`${isWhole ? 'ok  ' : 'FAIL'} ${recording.name}: ${describe(summary)}`);
  if (!isWhole)
    console.log(`     ${recording.spanIds.length} spans recorded, ${spans.length} read, ${refused} refused`);
  return isWhole;
}

function sameIds(recorded: readonly string[], read: readonly string[]): boolean {
  return recorded.length === read.length && new Set([...recorded, ...read]).size === new Set(recorded).size;
}

function describe(summary: RecordingSummary): string {
  const types = Object.entries(summary.types).map(([type, count]) => `${count} ${type}`);
  return [
    `${summary.spans} spans (${types.join(', ')})`,
    `conventions ${summary.conventions.join(', ') || 'none'}`,
    `models ${summary.models.join(', ') || 'none'}`,
    `agents ${summary.agents.join(', ') || 'none'}`,
    `tokens ${summary.tokensIn} in, ${summary.tokensOut} out`,
    `cost ${summary.costUsd === 0 ? 'none' : summary.costUsd.toFixed(6)} USD`,
    `${summary.withReasoning} with reasoning`,
  ].join('; ');
}
