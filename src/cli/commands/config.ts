import { parse } from 'jsonc-parser';
import { verbMissing } from '../arguments.ts';
import { wrongUsage } from '../cli-error.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { print, toJson } from '../output.ts';
import { plainText } from '../terminal/plain-text.ts';
import { CONFIG_OPTIONS } from './service.ts';

const SOURCES = 'sources';
const SOURCES_FLAG = `--${SOURCES}`;

export const config: Command = {
  name: 'config',
  summary: 'check the configuration, print it, or print its JSON schema',
  usage: '(check | print | schema) [--config PATH] [--KEY VALUE …]',
  about: [
    'check: says OK, or all that is wrong at once (exit code 2). Nothing is started.',
    'print: what holds after the file, the environment and the options, as JSON; secrets are masked. With --sources as a commented file that says where each value comes from.',
    'schema: the JSON schema of the configuration file, for editors.',
  ],
  options: [
    {
      ...CONFIG_OPTIONS,
      options: [
        ...CONFIG_OPTIONS.options,
        { name: SOURCES, help: 'with print: where each value comes from' },
      ],
    },
  ],
  examples: [
    { line: 'explainability-agent config check --config ./config.json', what: 'before a start' },
    { line: 'explainability-agent config print --sources', what: 'what holds, and why' },
    { line: 'explainability-agent config schema > explainability-agent.schema.json', what: 'for an editor' },
  ],
  run: async ([verb, ...args]) => {
    switch (verb) {
      case 'check':
        return check(args);
      case 'print':
        return printMerged(args);
      case 'schema':
        return printSchema(args);
      case undefined:
      default:
        throw verbMissing(verb, 'config check, config print or config schema');
    }
  },
};

async function check(args: readonly string[]): Promise<number> {
  const { loadSettings } = await import('../load-settings.ts');
  const settings = loadSettings(args);
  if (settings === undefined) return EXIT.badConfiguration;
  const warnings = settings.warnings.map((warning) => `warning: ${plainText(warning)}\n`);
  await print(`${warnings.join('')}OK\n`);
  return EXIT.ok;
}

async function printMerged(args: readonly string[]): Promise<number> {
  const { loadSettings } = await import('../load-settings.ts');
  const { describeConfig } = await import('../../config/describe-config.ts');
  const settings = loadSettings(
    args.filter((argument) => argument !== SOURCES_FLAG),
    [SOURCES],
  );
  if (settings === undefined) return EXIT.badConfiguration;
  const described = describeConfig(settings.config, settings.sources);
  // The commented file is the one place that knows what is secret.
  const plain = (): string => `${toJson(parse(described, undefined, { allowTrailingComma: true }), true)}\n`;
  await print(args.includes(SOURCES_FLAG) ? described : plain());
  return EXIT.ok;
}

async function printSchema(args: readonly string[]): Promise<number> {
  if (args.length > 0) throw wrongUsage('config schema takes no options');
  const { renderJsonSchema } = await import('../../config/describe-config.ts');
  await print(renderJsonSchema());
  return EXIT.ok;
}
