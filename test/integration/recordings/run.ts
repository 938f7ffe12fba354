import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkRecording, type CheckedRecording } from './check-recording.ts';
import { reportRecording } from './conventions-report.ts';
import { expectationOf, loadExpectations, type Expectation } from './expectation.ts';
import { startLiveService } from './live-service.ts';
import { loadRecordings, type Recording } from './load-recordings.ts';
import { recordingRow } from './recording-table.ts';

/**
 * Sends every recording below a folder through the real service and looks for all of it in the graph; what it
 * contains is compared with test/expectations, where there is a file for it.
 * Usage: npm run test:recordings -- FOLDER
 */
const folder = resolve(process.argv[2] ?? 'test/fixtures/telemetry');

if (existsSync(folder)) await run();
else {
  console.log(`no recordings: there is no folder ${folder}; give one as the argument`);
  console.log('0 passed, 0 failed');
}

async function run(): Promise<void> {
  const recordings = await loadRecordings(folder);
  const expectations = await loadExpectations();
  const checked: CheckedRecording[] = [];
  const service = await startLiveService();
  try {
    for (const recording of recordings) {
      const result = await checkRecording(recording, service);
      const mismatches = await findMismatches(recording, expectationOf(expectations, recording.name));
      checked.push({ ...result, problems: [...result.problems, ...mismatches] });
    }
  } finally {
    await service.stop();
  }
  console.table(checked.map(recordingRow));
  const failed = checked.filter(({ problems }) => problems.length > 0);
  for (const { name, problems } of failed) for (const problem of problems) console.log(`${name}: ${problem}`);
  console.log(`${checked.length - failed.length} passed, ${failed.length} failed`);
  if (failed.length > 0) process.exitCode = 1;
}

/** A folder may hold recordings of which nobody has written down what they contain. */
async function findMismatches(
  recording: Recording,
  expectation: Expectation | undefined,
): Promise<readonly string[]> {
  return expectation ? (await reportRecording(recording, expectation)).mismatches : [];
}
