import { Readable } from 'node:stream';
import { runCli } from '../../src/cli/run-cli.ts';

/** One command for a process that runs many (`run-command.ts`). */
export interface HostedCommand {
  readonly args: readonly string[];
  readonly input: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

// Nobody is left to send a command.
process.on('disconnect', () => process.exit());
process.on('message', (command: HostedCommand) => {
  void runOne(command).then((result) => process.send?.(result));
});

/** As the program would run it in a process of its own: with these arguments, this input, environment and folder. */
async function runOne({ args, input, env, cwd }: HostedCommand): Promise<Result> {
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].removeAllListeners('error');
    process[name].write = (chunk: string | Uint8Array) => {
      written[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      return true;
    };
  }
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
  process.env = { ...env };
  process.chdir(cwd);
  return { code: await runCli(args), ...written };
}
