import { valueKind } from './expectation.ts';
import { unknownName } from './file-layer.ts';
import type { ConfigProblem, Layer, LayerEntry } from './layers.ts';
import { KEY_BY_FLAG } from './names.ts';
import { SECRET_FIELDS, SECRET_KEYS, type ConfigKey } from './schema.ts';
import { textValue } from './text-value.ts';

const CONFIG_FLAG = '--config';

export interface FlagLayer extends Layer {
  /** The path given with `--config`. */
  readonly configPath: string | undefined;
}

interface Flag {
  readonly name: string;
  readonly value: string | undefined;
}

/** What `auth` may be without holding a token. */
const WORDS_OF_AUTH: ReadonlySet<string> = new Set(['none', 'keys']);

/**
 * Reads flags: `--flag=value` and `--flag value`; a boolean alone means true; a list is JSON or a repeated flag.
 * @param argv what follows the command
 * @param others flags of the command itself, for who misspelt one
 */
export function flagLayer(argv: readonly string[], others: readonly string[] = []): FlagLayer {
  const problems: ConfigProblem[] = [];
  const warnings: string[] = [];
  const entries = new Map<ConfigKey, LayerEntry>();
  let configPath: string | undefined;

  for (const { name, value } of flags(argv, problems)) {
    const key = KEY_BY_FLAG.get(name);
    if (name === CONFIG_FLAG) {
      if (configPath !== undefined) problems.push({ path: name, message: 'is given twice: leave one' });
      if (!value) problems.push({ path: name, message: 'must be followed by the path of a file' });
      configPath ??= value || undefined;
    } else if (!key) {
      problems.push({
        path: name,
        message: unknownName('flag', name, [...KEY_BY_FLAG.keys(), CONFIG_FLAG, ...others]),
      });
    } else if (value === undefined && valueKind(key) !== 'boolean') {
      problems.push({ path: name, message: 'must be followed by a value' });
    } else {
      if (holdsSecret(key, value ?? ''))
        warnings.push(
          `${name}: other users of this machine can see flags; the file or the environment keeps it secret`,
        );
      const earlier = entries.get(key);
      const next = value === undefined ? true : textValue(key, value);
      if (earlier && valueKind(key) !== 'list') {
        problems.push({ path: name, message: 'is given twice: leave one' });
      } else {
        entries.set(key, { path: name, value: earlier ? [earlier.value, next].flat() : next });
      }
    }
  }
  return { name: 'flag', entries, problems, warnings, configPath };
}

function holdsSecret(key: ConfigKey, text: string): boolean {
  if (SECRET_KEYS.has(key)) return !WORDS_OF_AUTH.has(text);
  return SECRET_FIELDS[key]?.some((field) => text.includes(`"${field}"`)) ?? false;
}

/** Splits the arguments into flags with their text. */
function flags(argv: readonly string[], problems: ConfigProblem[]): Flag[] {
  const found: Flag[] = [];
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? '';
    if (!argument.startsWith('--') || argument === '--') {
      // Not echoed: it may be a value that lost its flag.
      problems.push({
        path: `argument ${index + 1}`,
        message: 'is not a flag: flags are written --name=value or --name value',
      });
      continue;
    }
    const equals = argument.indexOf('=');
    if (equals !== -1) {
      found.push({ name: argument.slice(0, equals), value: argument.slice(equals + 1) });
      continue;
    }
    const next = argv[index + 1];
    const value = next !== undefined && takesNext(argument, next) ? next : undefined;
    if (value !== undefined) index++;
    found.push({ name: argument, value });
  }
  return found;
}

/** Whether the next argument is the value of this flag. A boolean takes only what is one. */
function takesNext(name: string, next: string): boolean {
  if (next.startsWith('--')) return false;
  const key = KEY_BY_FLAG.get(name);
  return key === undefined || valueKind(key) !== 'boolean' || next === 'true' || next === 'false';
}
