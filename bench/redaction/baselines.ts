import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Kind } from '../../src/redaction/rule.ts';
import { SPEC_PATTERNS } from '../../src/redaction/user-patterns.ts';
import { replaced } from './replaced.ts';
import type { Found, Result } from './score.ts';

/** Other people's redactors, run on the same texts. They are no dependencies: the bench installs them into a cache. */

export interface Detector {
  readonly name: string;
  /** What it does with one text, for its speed. */
  readonly run: (text: string) => unknown;
  readonly results: (texts: readonly string[]) => Promise<readonly Result[]>;
}

const PACKAGES = {
  'redact-pii': '3.4.0',
  '@secretlint/core': '12.0.0',
  '@secretlint/secretlint-rule-preset-recommend': '12.0.0',
} as const;
const INSTALL_TIMEOUT_MS = 180_000;

/** Each baseline that could be had; of the others `warn` is told why. */
export async function baselines(warn: (line: string) => void): Promise<readonly Detector[]> {
  const folder = cacheFolder();
  const detectors: Detector[] = [specPatterns];
  try {
    await install(folder, warn);
  } catch (error) {
    warn(`baselines redact-pii and secretlint skipped, npm install failed: ${messageOf(error)}`);
    return detectors;
  }
  for (const [name, load] of [
    ['redact-pii', redactPii],
    ['secretlint', secretlint],
  ] as const) {
    try {
      detectors.push(await load(folder));
    } catch (error) {
      warn(`baseline ${name} skipped: ${messageOf(error)}`);
    }
  }
  return detectors;
}

function cacheFolder(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(cache, 'explainability-agent', 'redaction-baselines');
}

async function install(folder: string, warn: (line: string) => void): Promise<void> {
  const wanted = Object.entries(PACKAGES);
  const isThere = wanted.every(([name, version]) => installedVersion(folder, name) === version);
  if (isThere) return;
  mkdirSync(folder, { recursive: true });
  const specs = wanted.map(([name, version]) => `${name}@${version}`);
  warn(`installing the baselines ${specs.join(', ')} into ${folder}`);
  const flags = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  await promisify(execFile)('npm', ['install', ...flags, ...specs], { timeout: INSTALL_TIMEOUT_MS });
}

function installedVersion(folder: string, name: string): string | undefined {
  const file = join(folder, 'node_modules', name, 'package.json');
  if (!existsSync(file)) return undefined;
  return (createRequire(import.meta.url)(file) as { version?: string }).version;
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

type Find = (text: string) => readonly Found[] | Promise<readonly Found[]>;

/** One that says where something stands: what it would show is made from that. */
function detector(name: string, find: Find, run: Detector['run'] = find): Detector {
  return {
    name,
    run,
    results: async (texts) => {
      const results: Result[] = [];
      for (const text of texts) {
        const found = await find(text);
        results.push([{ text: without(text, found), found }]);
      }
      return results;
    },
  };
}

function without(text: string, found: readonly Found[]): string {
  let result = '';
  let copied = 0;
  for (const { start, end } of found.toSorted((a, b) => a.start - b.start)) {
    if (start >= copied) result += `${text.slice(copied, start)}\0`;
    copied = Math.max(copied, end);
  }
  return result + text.slice(copied);
}

const specPatterns = detector('spec patterns', (text) =>
  SPEC_PATTERNS.flatMap((pattern, i) =>
    Array.from(text.matchAll(new RegExp(pattern, 'g')), (match) => ({
      start: match.index,
      end: match.index + match[0].length,
      kind: i === 0 ? ('EMAIL' as const) : ('SECRET' as const),
    })),
  ),
);

/** What redact-pii writes in the place of a value. Its bare digits count as phones, the most frequent of them. */
const PLACEHOLDERS: Readonly<Record<string, Kind>> = {
  PERSON_NAME: 'PERSON',
  EMAIL_ADDRESS: 'EMAIL',
  PHONE_NUMBER: 'PHONE',
  CREDIT_CARD_NUMBER: 'CARD',
  STREET_ADDRESS: 'ADDRESS',
  US_SOCIAL_SECURITY_NUMBER: 'SSN',
  IP_ADDRESS: 'IP',
  USERNAME: 'SECRET',
  PASSWORD: 'SECRET',
  CREDENTIALS: 'SECRET',
  DIGITS: 'PHONE',
  ZIPCODE: 'ADDRESS',
  URL: 'CUSTOM',
};

async function redactPii(folder: string): Promise<Detector> {
  const load = createRequire(join(folder, 'package.json'));
  const { SyncRedactor } = load('redact-pii') as {
    SyncRedactor: new () => { redact(text: string): string };
  };
  const redactor = new SyncRedactor();
  const placeholder = new RegExp(Object.keys(PLACEHOLDERS).join('|'));
  const kindOf = (name: string): Kind => PLACEHOLDERS[name] ?? 'CUSTOM';
  return detector(
    'redact-pii 3.4',
    (text) => replaced(text, redactor.redact(text), placeholder, kindOf) ?? [],
    (text) => redactor.redact(text),
  );
}

interface Secretlint {
  lintSource(input: object): Promise<{ messages: readonly { range: readonly [number, number] }[] }>;
}

async function secretlint(folder: string): Promise<Detector> {
  const core = (await importFrom(folder, '@secretlint/core')) as Secretlint;
  const preset = (await importFrom(folder, '@secretlint/secretlint-rule-preset-recommend')) as {
    creator: object;
  };
  const { secretLintProfiler } = (await importFrom(folder, '@secretlint/profiler')) as {
    secretLintProfiler: { mark: () => void };
  };
  // It searches all marks of all texts for each mark: thousands of texts would take minutes.
  secretLintProfiler.mark = () => undefined;
  const rules = [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: preset.creator, options: {} }];
  return detector('secretlint 12', async (text) => {
    const source = { filePath: '/text.txt', content: text, ext: '.txt', contentType: 'text' };
    const { messages } = await core.lintSource({
      source,
      options: { config: { rules }, noPhysicFilePath: true, maskSecrets: false },
    });
    return messages.map(({ range }) => ({ start: range[0], end: range[1], kind: 'SECRET' as const }));
  });
}

async function importFrom(folder: string, name: string): Promise<unknown> {
  const manifest = createRequire(import.meta.url)(join(folder, 'node_modules', name, 'package.json')) as {
    module?: string;
    main?: string;
  };
  const entry = join(folder, 'node_modules', name, manifest.module ?? manifest.main ?? 'index.js');
  return import(pathToFileURL(entry).href);
}
