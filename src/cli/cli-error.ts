import { EXIT } from './exit-codes.ts';

/** Ends a command: its message is the one line that the user sees, so it says what was wrong and what to do. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command could not do what it was asked to do. */
export function failure(message: string): CliError {
  return new CliError(message, EXIT.crash);
}

/** The command was called wrongly. */
export function wrongUsage(message: string): CliError {
  return new CliError(message, EXIT.badConfiguration);
}
