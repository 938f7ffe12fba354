import { didYouMean } from '../config/names.ts';
import { clip } from '../model/one-line.ts';
import { wrongUsage, type CliError } from './cli-error.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './commands.ts';
import { EXIT } from './exit-codes.ts';
import { explainFailure } from './explain-failure.ts';
import { asTyped, commandHelp, programHelp } from './help.ts';
import { nodeProblem } from './node-problem.ts';
import { endWithTheReader, print } from './output.ts';
import { PROCESS_WORD, PROGRAM } from './program.ts';
import { DEFAULT_URL } from './reader-options.ts';
import { plainText } from './terminal/plain-text.ts';
import { VERSION } from '../base/version.ts';

const HELP_FLAGS: ReadonlySet<string> = new Set(['--help', '-h']);

/** Runs one command. @returns the exit code of the process */
export async function runCli(argv: readonly string[]): Promise<number> {
  endWithTheReader();
  const [first, ...rest] = argv;
  try {
    if (first === '--version') return await say(`${VERSION}\n`);
    if (first !== undefined && HELP_FLAGS.has(first)) return await say(programHelp(COMMANDS));
    if (first === 'help') return await say(helpAbout(rest));
    // No command of people: how `serve` with `cells` starts its processes.
    if (first === PROCESS_WORD) return await (await import('./cells/run-process.ts')).runProcess();
    // Without a command it is `serve`, so that a container needs only flags.
    if (first === undefined || first.startsWith('-')) return await run(commandOf('serve'), argv);
    return await run(commandOf(first), rest);
  } catch (error) {
    return complain(explainFailure(error, { url: DEFAULT_URL, token: undefined }), undefined);
  }
}

async function run(command: Command, args: readonly string[]): Promise<number> {
  if (asksForHelp(args)) return say(commandHelp(command));
  if (args.includes('--version')) return say(`${VERSION}\n`);
  try {
    const problem = nodeProblem(process.versions.node);
    if (problem !== undefined) throw problem;
    return await command.run(args);
  } catch (error) {
    return complain(explainFailure(error, { url: DEFAULT_URL, token: undefined }), command);
  }
}

/** Behind `--` everything is a word. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? args.length : end).some((argument) => HELP_FLAGS.has(argument));
}

function helpAbout([name]: readonly string[]): string {
  return name === undefined ? programHelp(COMMANDS) : commandHelp(commandOf(name));
}

/** Of what was typed so much is said again. */
const MAX_NAME_CHARS = 60;

function commandOf(name: string): Command {
  const found = COMMANDS.find((command) => command.name === name);
  if (found !== undefined) return found;
  const names = COMMANDS.map((command) => command.name);
  const near = didYouMean(name, names);
  throw wrongUsage(
    `unknown command "${clip(name, MAX_NAME_CHARS)}": ${near === undefined ? `there are ${names.join(', ')}` : `did you mean "${near}"?`}`,
  );
}

async function say(text: string): Promise<number> {
  await print(text);
  return EXIT.ok;
}

function complain(error: CliError, command: Command | undefined): number {
  const where = command === undefined ? '' : ` ${command.name}`;
  const hint = error.exitCode === EXIT.badConfiguration ? ` (see ${PROGRAM}${where} --help)` : '';
  process.stderr.write(`explainability-agent${where}: ${plainText(asTyped(error.message))}${hint}\n`);
  return error.exitCode;
}
