import type { Command, Option } from './command.ts';
import { PROGRAM } from './program.ts';
import { wrapToWidth } from './terminal/plain-text.ts';
import { VERSION } from '../base/version.ts';

/** Terminals of this width show the help without breaking lines. */
const WIDTH = 100;

const EXIT_CODES = `Exit codes
  0  done
  1  it failed: nothing answers, something was refused, the service crashed
  2  wrong usage or configuration
`;

/** The help of the whole program. */
export function programHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => [name, summary] as const);
  return [
    `explainability-agent ${VERSION}: a live causal graph of what LLM agents thought and did\n`,
    `Usage: ${PROGRAM} <command> [options]\n`,
    `Commands\n${table(rows)}`,
    `Options\n${table([
      ['--help', 'this text; after a command, or as "help COMMAND": options and examples of the command'],
      ['--version', 'the version'],
    ])}`,
    EXIT_CODES,
  ].join('\n');
}

/** The help of one command. */
export function commandHelp({ name, summary, usage, about, options, examples }: Command): string {
  const blocks = [
    `${PROGRAM} ${name}: ${summary}\n`,
    `Usage: ${PROGRAM} ${name} ${usage}`.trimEnd() + '\n',
    about.length === 0 ? '' : `${about.flatMap((line) => wrapToWidth(line, WIDTH)).join('\n')}\n`,
    ...options.map(
      (group) => `${group.title}\n${table(group.options.map((option) => [flag(option), option.help]))}`,
    ),
    `Examples\n${examples.map(({ line, what }) => `  # ${what}\n  ${asTyped(line)}\n`).join('')}`,
    EXIT_CODES,
  ];
  return blocks.filter((block) => block !== '').join('\n');
}

/** Examples and messages name the installed program; here it may be called otherwise. */
export function asTyped(line: string): string {
  return line.replaceAll(/\bexplainability-agent (?=[a-z-])/g, () => `${PROGRAM} `);
}

function flag({ name, value, many }: Option): string {
  return `--${name}${value === undefined ? '' : ` ${value}`}${many === true ? ' …' : ''}`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  const first = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows
    .map(([name, text]) => {
      const [line = '', ...more] = wrapToWidth(text, WIDTH - first - 2);
      const rest = more.map((one) => `${' '.repeat(first + 2)}${one}\n`).join('');
      return `  ${name.padEnd(first)}${line}\n${rest}`;
    })
    .join('');
}
