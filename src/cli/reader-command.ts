import { parseArguments, type Arguments } from './arguments.ts';
import { explainFailure } from './explain-failure.ts';
import type { Command } from './command.ts';
import { CONNECTION_OPTIONS, targetOf, type Target } from './reader-options.ts';

export interface ReaderCommand extends Omit<Command, 'run'> {
  /** How many words it takes beside its options. */
  readonly maxWords: number;
  /** @returns the exit code */
  readonly run: (args: Arguments, target: Target) => Promise<number>;
}

/** A command that asks a running service for something: where that is, and what is told when it fails. */
export function readerCommand({ maxWords, run, options, ...rest }: ReaderCommand): Command {
  const all = [...options, CONNECTION_OPTIONS];
  return {
    ...rest,
    options: all,
    run: async (args) => {
      const parsed = parseArguments(all, args, maxWords);
      const target = targetOf(parsed);
      try {
        return await run(parsed, target);
      } catch (error) {
        throw explainFailure(error, target);
      }
    },
  };
}
