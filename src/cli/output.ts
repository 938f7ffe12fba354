import { once } from 'node:events';
import type { Noticed } from '../model/noticed.ts';
import type { Arguments } from './arguments.ts';
import { EXIT } from './exit-codes.ts';
import { plainText } from './terminal/plain-text.ts';

/**
 * Standard output of a command. Who reads it may go at any time (`| head`): that is no failure, the command is
 * over then.
 */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** Says on standard error what an answer lacks, or is put together of; the answer itself may be for a program. */
export function told<T extends Noticed>(answer: T): T {
  for (const notice of answer.notices ?? []) process.stderr.write(`note: ${plainText(notice)}\n`);
  return answer;
}

/** Ends the process quietly when nobody reads its output any more. */
export function endWithTheReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? 0 : 1);
  });
  // Nobody is left to be told.
  process.stderr.on('error', () => undefined);
}

/** What JSON lets through and a terminal would obey, in the order in which it shows text too, or a line-wise reader would take for a line's end. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** @param pretty over several lines, for people */
export function toJson(value: unknown, pretty = false): string {
  const json = pretty ? JSON.stringify(value, null, 2) : JSON.stringify(value);
  return json.replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** As JSON where `--json` is given, else in lines. @returns the exit code */
export async function printAnswer(
  args: Arguments,
  answer: unknown,
  lines: () => readonly string[],
): Promise<number> {
  await print(`${args.has('json') ? toJson(answer, process.stdout.isTTY) : lines().join('\n')}\n`);
  return EXIT.ok;
}
