import { agentJsonSchema, type KeySchema } from './expectation.ts';
import type { ConfigSources } from './load-config.ts';
import { envName, FILE_KEY, flagName } from './names.ts';
import { CONFIG_KEYS, SECRET_FIELDS, SECRET_KEYS, type ConfigKey, type ServiceConfig } from './schema.ts';

/** What stands in the place of a secret. */
const MASK = '********';

/** The effective configuration as a commented configuration file: each key with where it came from, secrets masked. */
export function describeConfig(config: ServiceConfig, sources: ConfigSources): string {
  return asFile((key) => {
    const { layer, path } = sources[key];
    const value = SECRET_KEYS.has(key) ? masked(config[key]) : withoutFields(config[key], SECRET_FIELDS[key]);
    return { comments: [layer === 'default' ? 'default' : `${layer}: ${path}`], value };
  });
}

/** Of `auth` the words are no secrets. */
function masked(value: unknown): unknown {
  if (typeof value === 'string' && value !== 'none' && value !== 'keys') return MASK;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, secret]) => [name, secret && MASK]));
}

/** @param fields those that are secret */
function withoutFields(value: unknown, fields: readonly string[] = []): unknown {
  if (typeof value !== 'object' || value === null || fields.length === 0) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, given]) => [name, fields.includes(name) && given ? MASK : given]),
  );
}

/** The defaults as a commented configuration file. A key without a default stands there as a comment. */
export function renderDefaults(): string {
  return (
    '// Every key of the configuration with its default. Copy what you change into ~/.nootropic/config.json.\n' +
    '// Made by scripts/write-config-schema.ts from src/config/keys/.\n' +
    asFile((key) => {
      const schema: KeySchema = agentJsonSchema.properties[key];
      return {
        comments: [schema.description ?? '', `Environment: ${envName(key)}, flag: ${flagName(key)}`],
        value: schema.default,
      };
    })
  );
}

/** JSON schema of the whole file, for editors and for other programs. */
export function renderJsonSchema(): string {
  const { $schema, ...agent } = agentJsonSchema;
  const file = {
    $schema,
    title: 'Configuration of the ExplainabilityAgent',
    type: 'object',
    properties: { [FILE_KEY]: agent },
  };
  return `${oneLineLists(JSON.stringify(file, null, 2))}\n`;
}

interface Line {
  readonly comments: readonly string[];
  readonly value: unknown;
}

function asFile(line: (key: ConfigKey) => Line): string {
  const blocks = CONFIG_KEYS.map((key) => {
    const { comments, value } = line(key);
    const commented = comments.map((comment) => `    // ${comment}\n`).join('');
    if (value === undefined) return `${commented}    // "${key}": not set\n`;
    const json = trailingCommas(JSON.stringify(value, null, 2)).replaceAll('\n', '\n    ');
    return `${commented}    "${key}": ${json},\n`;
  });
  return `{\n  "${FILE_KEY}": {\n${blocks.join('\n')}  },\n}\n`;
}

/** Lists of plain words on one line, as the formatter of this repository writes them. */
/** A longer list has an item a line. */
const MAX_LIST_CHARS = 80;

function oneLineLists(json: string): string {
  return json.replace(/\[\n\s+((?:"[^"\\]*"(?:,\n\s+)?)+)\n\s+\]/g, (list: string, items: string) => {
    const line = `[${items.replace(/,\n\s+/g, ', ')}]`;
    return line.length <= MAX_LIST_CHARS ? line : list;
  });
}

/** After the last item too, as the formatter of this repository writes JSON with comments. */
function trailingCommas(json: string): string {
  return json.replace(/([^[{,])(\n\s*[\]}])/g, '$1,$2');
}
