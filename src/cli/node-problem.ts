import { LEAST_NODE } from '../base/version.ts';
import { failure, type CliError } from './cli-error.ts';

/** What to say where Node is too old. npm installs the package there all the same, with a warning. */
export function nodeProblem(running: string): CliError | undefined {
  const [major = 0, minor = 0] = numbers(running);
  const [leastMajor = 0, leastMinor = 0] = numbers(LEAST_NODE);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return failure(`it needs Node ${LEAST_NODE} or later, and runs on ${running}: install a newer Node`);
}

function numbers(version: string): readonly number[] {
  return version.split('.').map(Number);
}
