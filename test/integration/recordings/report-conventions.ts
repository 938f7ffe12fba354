import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { reportRecording, type ReportedRecording } from './conventions-report.ts';
import { expectationOf, loadExpectations } from './expectation.ts';
import { loadRecordings } from './load-recordings.ts';
import { plainTable } from './plain-table.ts';

/**
 * Prints what the service finds in recordings beside what they contain (test/expectations), then each mismatch.
 * Usage: npm run report:conventions -- [FOLDER] [--json]
 */
const asJson = process.argv.includes('--json');
const folder = resolve(
  process.argv.slice(2).find((word) => !word.startsWith('--')) ?? 'test/fixtures/telemetry',
);

if (existsSync(folder)) await run();
else console.log(`no recordings: there is no folder ${folder}; give one as the argument\n0 passed, 0 failed`);

async function run(): Promise<void> {
  const expectations = await loadExpectations();
  const reported: ReportedRecording[] = [];
  for (const recording of await loadRecordings(folder)) {
    const facts = join(dirname(recording.name), 'expected.json');
    if (existsSync(join(folder, facts))) {
      console.error(`${recording.name}: not compared; ${facts} is of another form than test/expectations`);
      continue;
    }
    reported.push(await reportRecording(recording, expectationOf(expectations, recording.name)));
  }
  const failed = reported.filter(({ mismatches }) => mismatches.length > 0);
  if (asJson) console.log(JSON.stringify(reported, null, 2));
  else {
    for (const line of plainTable(reported.map(({ row }) => row))) console.log(line);
    for (const { recording, mismatches } of failed)
      for (const mismatch of mismatches) console.log(`${recording}: ${mismatch}`);
    console.log(`${reported.length - failed.length} passed, ${failed.length} failed`);
  }
  if (failed.length > 0) process.exitCode = 1;
}
