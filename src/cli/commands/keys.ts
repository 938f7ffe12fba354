import type { KeyInfo } from '../../access/key-record.ts';
import type { ShownKey } from '../../access/keys.ts';
import { ROLES } from '../../access/roles.ts';
import { isJson, parseJson } from '../../base/json.ts';
import { splitArguments, type Arguments } from '../arguments.ts';
import { askHttp } from '../ask-http.ts';
import { failure, wrongUsage } from '../cli-error.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { print, toJson } from '../output.ts';
import { CONNECTION_OPTIONS, targetOf } from '../reader-options.ts';
import { plainText } from '../terminal/plain-text.ts';
import { tableLines } from '../terminal/table.ts';
import { CONFIG_OPTIONS } from './service.ts';

const OWN_OPTIONS = {
  title: 'Options',
  options: [
    {
      name: 'role',
      value: 'ROLE',
      many: true as const,
      help: `create: ${ROLES.join(', ')}; several if given several times`,
    },
    { name: 'project', value: 'NAME', help: 'create: the project that it belongs to (default: default)' },
    {
      name: 'expires-in-days',
      value: 'N',
      help: 'create: how long it is good (default: until it is revoked)',
    },
    {
      name: 'capability',
      value: 'JSON',
      many: true as const,
      help: 'create: what it may say by MEW and whom it may interrupt, such as \'{"kind": "reasoning/*"}\'; several if given several times (default: all that its roles allow)',
    },
    { name: 'expires-at', value: 'TIME', help: 'create: until when, such as 2027-01-31T00:00:00Z' },
    { name: 'grace-minutes', value: 'N', help: 'rotate: how long the former key goes on (default: 0)' },
    { name: 'json', help: 'the answer as JSON' },
  ],
};
const ONLINE_OPTIONS = [OWN_OPTIONS, CONNECTION_OPTIONS];
const VERBS = ['list', 'create', 'revoke', 'rotate'] as const;

/** What is done, wherever the keys are. */
interface Source {
  list(): Promise<readonly KeyInfo[]>;
  create(request: object): Promise<ShownKey>;
  revoke(id: string): Promise<KeyInfo>;
  rotate(id: string, graceMinutes: number): Promise<ShownKey>;
}

export const keys: Command = {
  name: 'keys',
  summary: 'make, list, revoke and rotate keys',
  usage: '[list | create NAME --role ROLE | revoke ID | rotate ID] [options]',
  about: [
    'A key is shown once; of it a hash is kept. It is sent as `Authorization: Bearer …` or `x-api-key`. From the first key on, whoever comes must show one.',
    'Without --url the keys in the data folder are dealt with, and the service must be stopped; so the first one is made. With --url and the key of an administrator (--token) a running service is asked.',
  ],
  options: [...ONLINE_OPTIONS, CONFIG_OPTIONS],
  examples: [
    {
      line: 'explainability-agent keys create me --role admin --data-dir /data',
      what: 'the first key, before the service is started',
    },
    {
      line: 'explainability-agent keys create "web agents" --role sender --url http://127.0.0.1:9000',
      what: 'one more, of a running service ($EXPLAINABILITY_AGENT_TOKEN is the admin key)',
    },
  ],
  run: async ([word = 'list', ...args]) => {
    const verb = VERBS.find((one) => one === word);
    if (word.startsWith('-')) return run('list', undefined, [word, ...args]);
    if (verb === undefined) throw wrongUsage(`say what to do: ${VERBS.join(', ')}`);
    const [first] = args;
    const isNamed = first !== undefined && !first.startsWith('-');
    return run(verb, isNamed ? first : undefined, isNamed ? args.slice(1) : args);
  },
};

async function run(
  verb: (typeof VERBS)[number],
  word: string | undefined,
  args: readonly string[],
): Promise<number> {
  const { parsed, rest, own } = splitArguments(ONLINE_OPTIONS, args, 0);
  const act = (source: Source): Promise<number> => perform(verb, word, parsed, source);
  if (!parsed.has('url')) return offline(parsed, [rest, own], act);
  if (rest.length > 0)
    throw wrongUsage('--url is for a running service: leave out what belongs to its configuration');
  const target = targetOf(parsed);
  const ask = <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<T> =>
    askHttp<T>(target, method, `/api/keys${path}`, body);
  return act({
    list: async () => (await ask<{ keys: readonly KeyInfo[] }>('GET', '')).keys,
    create: (request) => ask('POST', '', request),
    revoke: async (id) => (await ask<{ revoked: KeyInfo }>('DELETE', `/${encodeURIComponent(id)}`)).revoked,
    rotate: (id, graceMinutes) => ask('POST', `/${encodeURIComponent(id)}/rotate`, { graceMinutes }),
  });
}

async function offline(
  parsed: Arguments,
  settingsOf: readonly [argv: readonly string[], own: readonly string[]],
  act: (source: Source) => Promise<number>,
): Promise<number> {
  if (parsed.has('token')) throw wrongUsage('--token is for a running service: name it with --url');
  const { loadSettings } = await import('../load-settings.ts');
  const { withKeysOf } = await import('../../service/keys-offline.ts');
  const { createPinoLogger } = await import('../../telemetry/pino-logger.ts');
  const settings = loadSettings(...settingsOf);
  if (settings === undefined) return EXIT.badConfiguration;
  try {
    return await withKeysOf(settings.config, createPinoLogger({ level: 'error' }), (found) =>
      act({ ...found, list: async () => found.list() }),
    );
  } catch (error) {
    const said = error instanceof Error ? error.message : 'unknown';
    throw failure(
      /in use by another service/.test(said) ? `${said}; or ask it: --url URL --token KEY` : said,
    );
  }
}

async function perform(
  verb: (typeof VERBS)[number],
  word: string | undefined,
  parsed: Arguments,
  source: Source,
): Promise<number> {
  const asJson = parsed.has('json');
  if (verb === 'list') {
    if (word !== undefined) throw wrongUsage('keys list takes only options');
    return showList(await source.list(), asJson);
  }
  if (word === undefined)
    throw wrongUsage(
      verb === 'create'
        ? 'say what the key is for: keys create NAME --role ROLE'
        : `say which: keys ${verb} ID`,
    );
  if (verb === 'create') return showKey(await source.create(requestOf(word, parsed)), asJson);
  if (verb === 'rotate')
    return showKey(await source.rotate(word, numberOf(parsed, 'grace-minutes') ?? 0), asJson);
  const revoked = await source.revoke(word);
  await print(asJson ? `${toJson(revoked)}\n` : `Revoked: ${revoked.id} (${plainText(revoked.name)}).\n`);
  return EXIT.ok;
}

function requestOf(name: string, parsed: Arguments): object {
  const [project, expiresAt] = [parsed.text('project'), parsed.text('expires-at')];
  const expiresInDays = numberOf(parsed, 'expires-in-days');
  return {
    name,
    roles: parsed.list('role'),
    ...(project !== undefined && { project }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(expiresInDays !== undefined && { expiresInDays }),
    ...(parsed.has('capability') && { capabilities: parsed.list('capability').map(capabilityIn) }),
  };
}

function capabilityIn(text: string): unknown {
  if (!isJson(text)) throw wrongUsage(`--capability must be JSON, such as '{"kind": "reasoning/*"}'`);
  return parseJson(text);
}

function numberOf(parsed: Arguments, name: string): number | undefined {
  const text = parsed.text(name);
  if (text === undefined) return undefined;
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw wrongUsage(`--${name} must be a number`);
  return Number(text);
}

async function showKey(shown: ShownKey, asJson: boolean): Promise<number> {
  if (asJson) await print(`${toJson(shown)}\n`);
  else {
    await print(`${shown.key}\n`);
    process.stderr.write(
      `${shown.id}: ${shown.roles.join(' + ')} of ${shown.project}, good until ${shown.expiresAt ?? 'it is revoked'}. The key is shown this once.\n`,
    );
  }
  return EXIT.ok;
}

async function showList(found: readonly KeyInfo[], asJson: boolean): Promise<number> {
  if (asJson) await print(`${toJson(found)}\n`);
  else if (found.length === 0) await print('There are no keys.\n');
  else {
    const rows = found.map((key) => [
      key.id,
      plainText(key.name),
      key.roles.join(' + '),
      key.project,
      key.expiresAt ?? '-',
      key.lastUsedAt ?? '-',
      key.capabilities?.map((one) => JSON.stringify(one)).join(' ') ?? '-',
    ]);
    await print(`${tableLines([HEADINGS, ...rows]).join('\n')}\n`);
  }
  return EXIT.ok;
}

const HEADINGS = ['id', 'name', 'roles', 'project', 'expires', 'last used', 'capabilities'];
