import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { splitArguments } from '../arguments.ts';
import { failure } from '../cli-error.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { print, toJson } from '../output.ts';
import { plainText } from '../terminal/plain-text.ts';
import { tableLines } from '../terminal/table.ts';
import { CONFIG_OPTIONS } from './service.ts';

/** The file is looked at as a whole, because a value may go over lines. */
const MAX_BYTES = 16 * 1024 * 1024;
const OWN_OPTIONS = {
  title: 'Options',
  options: [
    { name: 'findings', help: 'instead of the text: each thing that is hidden, with line, rule and length' },
    { name: 'json', help: 'the same, one JSON object a line' },
  ],
};

export const redact: Command = {
  name: 'redact',
  summary: 'show what would be hidden in a text, and by which rule',
  usage: '[FILE] [--findings] [--json] [--config PATH] [--KEY VALUE …]',
  about: [
    'Prints the text (of standard input without FILE) as it would be kept, and on standard error how often each rule hid something. Nothing is sent anywhere. Markers differ from those of the service, and from run to run.',
    'A rule that hides too much is switched off by its name in "disabledRules", a harmless key is named in "safeKeys"; what is missing goes into "redactionPatterns" and "sensitiveKeys". The options of the configuration can be tried here: --disabled-rules \'["phone"]\'.',
  ],
  options: [OWN_OPTIONS, CONFIG_OPTIONS],
  examples: [
    { line: 'explainability-agent redact agent.log | less', what: 'what would be left of it' },
    { line: 'explainability-agent redact agent.log --findings', what: 'which rule hides what, to tune them' },
  ],
  run: async (args) => {
    const { loadSettings } = await import('../load-settings.ts');
    const { createRedactor } = await import('../../redaction/redactor.ts');
    const { redactorOptions } = await import('../../redaction/redactor-options.ts');
    const { parsed, rest, own } = splitArguments([OWN_OPTIONS], args, 1);
    const settings = loadSettings(rest, own);
    if (settings === undefined) return EXIT.badConfiguration;
    const redactor = createRedactor(await redactorOptions(settings.config, randomBytes(32)));
    const text = await textOf(parsed.positionals[0]);
    if (parsed.has('findings') || parsed.has('json')) {
      await print(
        findingLines(
          findingsIn(text, (line, report) => redactor.redactText(line, report)),
          parsed.has('json'),
        ),
      );
      return EXIT.ok;
    }
    const counts = new Map<string, number>();
    const redacted = redactor.redactText(text, {
      hidden: (rule) => void counts.set(rule, (counts.get(rule) ?? 0) + 1),
    });
    await print(redacted);
    process.stderr.write(summary(counts));
    return EXIT.ok;
  },
};

interface Found {
  readonly line: number;
  readonly rule: string;
  readonly length: number;
}

type Redact = (text: string, report: { hidden(rule: string, length: number): void }) => string;

/** By line; what goes over lines (a key in PEM) counts for the line that it begins in. */
function findingsIn(text: string, redactText: Redact): readonly Found[] {
  const found: Found[] = [];
  const whole = new Map<string, number>();
  redactText(text, { hidden: (rule) => void whole.set(rule, (whole.get(rule) ?? 0) + 1) });
  for (const [index, line] of text.split('\n').entries()) {
    redactText(line, {
      hidden: (rule, length) => {
        found.push({ line: index + 1, rule, length });
        whole.set(rule, (whole.get(rule) ?? 0) - 1);
      },
    });
  }
  // What only the whole text shows has no line of its own.
  for (const [rule, left] of whole) for (let n = 0; n < left; n++) found.push({ line: 0, rule, length: 0 });
  return found;
}

function findingLines(found: readonly Found[], json: boolean): string {
  if (json) {
    return found
      .map(({ line, rule, length }) => `${toJson(line === 0 ? { rule } : { line, rule, length })}\n`)
      .join('');
  }
  if (found.length === 0) return 'Nothing would be hidden.\n';
  const rows = found.map(({ line, rule, length }) =>
    line === 0 ? ['(as a whole)', plainText(rule), ''] : [String(line), plainText(rule), String(length)],
  );
  return `${tableLines([['LINE', 'RULE', 'LENGTH'], ...rows], new Set([0, 2])).join('\n')}\n`;
}

function summary(counts: ReadonlyMap<string, number>): string {
  if (counts.size === 0) return 'nothing would be hidden\n';
  const parts = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([rule, n]) => `${plainText(rule)} ${n}`);
  return `hidden: ${parts.join(', ')} (--findings says in which lines)\n`;
}

async function textOf(file: string | undefined): Promise<string> {
  if (file === undefined || file === '-') return standardInput();
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES) throw tooLarge();
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    throw failure(
      code === 'ENOENT'
        ? 'the file does not exist: check the path'
        : code === 'EISDIR'
          ? 'that is a folder: name a file in it'
          : `the file cannot be read (${code})`,
    );
  }
}

async function standardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tooLarge(): Error {
  return failure('that is more than 16 MiB: give a part of it');
}
