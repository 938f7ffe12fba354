/** `npm audit` of what is installed with the package: fails for what is known to be dangerous, and says when nobody could be asked. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const TIMEOUT_MS = 60_000;

interface Report {
  readonly message?: string;
  readonly metadata?: { readonly vulnerabilities: Readonly<Record<string, number>> };
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
}

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json', '--fetch-retries=0'], {
  cwd: ROOT,
  encoding: 'utf8',
  timeout: TIMEOUT_MS,
});
const report = parsed(stdout);
if (report?.metadata === undefined) {
  console.log(
    `SKIPPED: the registry has no answer to npm audit${report?.message ? ` (${report.message})` : ''}`,
  );
} else {
  const found = Object.entries(report.vulnerabilities ?? {});
  for (const [name, { severity, range }] of found) console.log(`${severity}: ${name} ${range}`);
  const grave = found.filter(([, { severity }]) => severity === 'high' || severity === 'critical').length;
  console.log(`${found.length} packages with known vulnerabilities, ${grave} of them high or critical`);
  if (grave > 0) process.exitCode = 1;
}

function parsed(text: string): Report | undefined {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return undefined;
  }
}
