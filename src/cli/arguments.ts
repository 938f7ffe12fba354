import { parseArgs } from 'node:util';
import { didYouMean } from '../config/names.ts';
import { wrongUsage, type CliError } from './cli-error.ts';
import type { Option, OptionGroup } from './command.ts';

/** What every command takes beside its own. */
export const COMMON_OPTIONS = ['help', 'version'] as const;

type Values = { readonly [name: string]: string | boolean | (string | boolean)[] | undefined };

/** The arguments of one call, already checked against the options of the command. */
export class Arguments {
  readonly positionals: readonly string[];
  private readonly values: Values;

  constructor(values: Values, positionals: readonly string[]) {
    this.values = values;
    this.positionals = positionals;
  }

  has(name: string): boolean {
    return this.values[name] !== undefined;
  }

  text(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** The values of an option, also of one that may be given several times; empty when it is not given. */
  list(name: string): readonly string[] {
    return [this.values[name]].flat().filter((one) => typeof one === 'string');
  }
}

/** @throws CliError: an unknown option, a missing value, more words than the command takes */
export function parseArguments(
  groups: readonly OptionGroup[],
  args: readonly string[],
  maxPositionals: number,
): Arguments {
  const options = groups.flatMap((group) => group.options);
  checkOptions(options, args);
  const { values, positionals } = parse(options, args);
  if (positionals.length > maxPositionals) {
    const most = maxPositionals === 0 ? 'takes only options' : `takes at most ${maxPositionals}`;
    throw wrongUsage(`too many words: this command ${most}`);
  }
  const twice = repeated(options, args);
  if (twice !== undefined) throw wrongUsage(`--${twice} is given twice: leave one`);
  return new Arguments(values, positionals);
}

/**
 * The arguments of a command that takes settings of the service as well: its own, and the rest, which is for the configuration.
 * @throws CliError as `parseArguments`
 */
export function splitArguments(
  groups: readonly OptionGroup[],
  args: readonly string[],
  maxPositionals: number,
): { readonly parsed: Arguments; readonly rest: readonly string[]; readonly own: readonly string[] } {
  const options = groups.flatMap((group) => group.options);
  const mine: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    const [, name, equals] = /^--([^=]+)(=)?/s.exec(arg) ?? [];
    const option = options.find((known) => known.name === name);
    const into = name === undefined || option ? mine : rest;
    into.push(arg);
    if (name === undefined || equals !== undefined) continue;
    const hasValue = option ? option.value !== undefined : args[at + 1]?.startsWith('--') === false;
    if (hasValue) into.push(...args.slice(++at, at + 1));
  }
  const own = options.map(({ name }) => name);
  return { parsed: parseArguments(groups, mine, maxPositionals), rest, own };
}

/** Of a command that wants a word first, such as `list`. @param choices as they are typed, such as `audit list` */
export function verbMissing(given: string | undefined, choices: string): CliError {
  const near = given?.startsWith('--') === true ? didYouMean(given.slice(2), COMMON_OPTIONS) : undefined;
  return wrongUsage(
    near === undefined ? `say what to do: ${choices}` : `unknown option ${given}: did you mean --${near}?`,
  );
}

function parse(options: readonly Option[], args: readonly string[]): ReturnType<typeof parseArgs> {
  try {
    return parseArgs({ args: [...args], options: specs(options), allowPositionals: true, strict: true });
  } catch (error) {
    // Its text begins with what is wrong; the rest is advice for another situation.
    const said = error instanceof Error ? error.message.split(/\. |\n/)[0] : 'they cannot be read';
    throw wrongUsage(`the arguments are wrong: ${said}`);
  }
}

function specs(options: readonly Option[]): {
  [name: string]: { type: 'string' | 'boolean'; multiple: boolean };
} {
  return Object.fromEntries(
    options.map(({ name, value, many }) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), multiple: many === true },
    ]),
  );
}

/** Says what is wrong in words of its own, and which option may have been meant. */
function checkOptions(options: readonly Option[], args: readonly string[]): void {
  for (const { name, inline, next } of written(options, args)) {
    const option = options.find((known) => known.name === name);
    if (option === undefined) {
      const near = didYouMean(name, [...options.map((known) => known.name), ...COMMON_OPTIONS]);
      throw wrongUsage(
        `unknown option ${dashed(name)}${near === undefined ? '' : `: did you mean --${near}?`}`,
      );
    }
    if (option.value === undefined && inline) throw wrongUsage(`--${name} takes no value`);
    if (option.value !== undefined && !inline && (next === undefined || /^--?\D/.test(next))) {
      throw wrongUsage(`--${name} must be followed by a value (${option.value})`);
    }
  }
}

interface WrittenOption {
  readonly name: string;
  readonly inline: boolean;
  readonly next: string | undefined;
}

/** The options as they are written, up to `--`. */
function written(options: readonly Option[], args: readonly string[]): readonly WrittenOption[] {
  const found: WrittenOption[] = [];
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? '';
    if (argument === '--') break;
    if (!argument.startsWith('-') || argument === '-') continue;
    const [, name = '', equals] = /^--?([^=]*)(=)?/s.exec(argument) ?? [];
    const inline = equals !== undefined;
    found.push({ name, inline, next: args[index + 1] });
    // The value of an option is not looked at.
    if (!inline && options.some((option) => option.name === name && option.value !== undefined)) index++;
  }
  return found;
}

function repeated(options: readonly Option[], args: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const { name } of written(options, args)) {
    const option = options.find((known) => known.name === name);
    if (seen.has(name) && option?.value !== undefined && option.many !== true) return name;
    seen.add(name);
  }
  return undefined;
}

function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}
