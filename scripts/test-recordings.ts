import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkRecording, type CheckedRecording } from './recordings/check-recording.ts';
import { startLiveService } from './recordings/live-service.ts';
import { loadRecordings } from './recordings/load-recordings.ts';
import { recordingRow } from './recordings/recording-table.ts';

/**
 * Sends every recording below a folder through the real service and looks for all of it in the graph.
 * Usage: test-recordings.ts FOLDER
 */
const folder = resolve(process.argv[2] ?? 'test/fixtures/telemetry');

if (existsSync(folder)) await run();
else {
  console.log(`no recordings: there is no folder ${folder}; give one as the argument`);
  console.log('0 passed, 0 failed');
}

async function run(): Promise<void> {
  const recordings = await loadRecordings(folder);
  const checked: CheckedRecording[] = [];
  const service = await startLiveService();
  try {
    for (const recording of recordings) checked.push(await checkRecording(recording, service));
  } finally {
    await service.stop();
  }
  console.table(checked.map(recordingRow));
  const failed = checked.filter(({ problems }) => problems.length > 0);
  for (const { name, problems } of failed) for (const problem of problems) console.log(`${name}: ${problem}`);
  console.log(`${checked.length - failed.length} passed, ${failed.length} failed`);
  if (failed.length > 0) process.exitCode = 1;
}
