import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

/**
 * Which folder may import which: data runs one way, siblings never know each other, only `service` knows
 * everything. A folder that is not named here fails the test.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  base: [],
  model: ['base'],
  telemetry: ['model', 'base'],
  conventions: ['model', 'base'],
  access: ['transport', 'model', 'base', 'telemetry'],
  transport: ['base', 'telemetry'],
  receivers: ['access', 'transport', 'model', 'base', 'telemetry'],
  redaction: ['model', 'base', 'telemetry'],
  // What the operator adds to prompts.
  adaptations: ['model', 'base', 'telemetry'],
  correlation: ['conventions', 'model', 'base', 'telemetry'],
  graph: ['model', 'base'],
  // The reader's side: runs in other people's programs and pages.
  client: ['model', 'base'],
  // Runs in the programs of those who are watched.
  otel: [],
  // Likewise: what agents are told by.
  control: [],
  pruning: ['graph', 'model', 'base'],
  guards: ['pruning', 'graph', 'model', 'base'],
  analysis: ['graph', 'model', 'base'],
  subscriptions: ['analysis', 'pruning', 'graph', 'model', 'base', 'telemetry'],
  storage: ['model', 'base', 'telemetry'],
  exporters: ['model', 'base'],
  servers: ['access', 'subscriptions', 'exporters', 'transport', 'model', 'base', 'telemetry'],
  config: ['model', 'base'],
  // One service over many: a reader of each of them.
  gateway: [
    'client',
    'subscriptions',
    'analysis',
    'graph',
    'access',
    'transport',
    'receivers',
    'config',
    'telemetry',
    'model',
    'base',
  ],
  service: [
    'gateway',
    'config',
    'access',
    'adaptations',
    'servers',
    'exporters',
    'storage',
    'subscriptions',
    'guards',
    'pruning',
    'graph',
    'correlation',
    'redaction',
    'receivers',
    'transport',
    'model',
    'base',
    'telemetry',
  ],
  // The service inside of other people's programs. `redaction` for the check of user patterns.
  embedded: ['service', 'config', 'redaction', 'receivers', 'subscriptions', 'model', 'base', 'telemetry'],
  // `redaction` for the check of user patterns that the configuration is given.
  cli: ['service', 'access', 'config', 'client', 'exporters', 'redaction', 'telemetry', 'model', 'base'],
  main: ['cli'],
};

/** Graphology is an implementation detail of one folder; the process may be ended by the command line only. */
const ONLY_IN: readonly { readonly what: RegExp; readonly folders: readonly string[] }[] = [
  { what: /from 'graphology'/, folders: ['client'] },
  { what: /process\.exit/, folders: ['cli', 'main'] },
  { what: /from '@opentelemetry\/(?!api(?:-logs)?')/, folders: ['telemetry', 'cli'] },
  { what: /as Redacted</, folders: ['redaction'] },
];

const SRC = resolve(import.meta.dirname, '../src');

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    const isSource = entry.name.endsWith('.ts') && !/\.(test|contract|test-support)\.ts$/.test(entry.name);
    return isSource && !entry.name.endsWith('-for-test.ts') ? [path] : [];
  });
}

function folderOf(path: string): string {
  return (relative(SRC, path).split('/')[0] ?? '').replace(/\.ts$/, '');
}

test('[AR1] imports go only where the table allows', () => {
  const wrong: string[] = [];
  for (const file of sources(SRC)) {
    const from = folderOf(file);
    const allowed = ALLOWED[from];
    assert.ok(allowed, `src/${from} is not in the import table`);
    for (const [, target] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)) {
      const to = folderOf(resolve(dirname(file), target ?? ''));
      if (to !== from && !allowed.includes(to)) wrong.push(`${relative(SRC, file)} imports ${to}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('[AR2] what belongs to one folder is used there only', () => {
  const wrong: string[] = [];
  for (const file of sources(SRC)) {
    const text = readFileSync(file, 'utf8');
    for (const { what, folders } of ONLY_IN) {
      if (what.test(text) && !folders.includes(folderOf(file)))
        wrong.push(`${relative(SRC, file)}: ${what.source}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('[AR3] receivers, servers and conventions do not know their siblings', () => {
  const shared = new Set(['otlp', 'events']);
  const wrong: string[] = [];
  for (const stage of ['receivers', 'servers']) {
    for (const file of sources(join(SRC, stage))) {
      const [, own = ''] = relative(SRC, file).split('/');
      for (const [, target] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)) {
        const [folder, sibling = ''] = relative(SRC, resolve(dirname(file), target ?? '')).split('/');
        const isFile = sibling.endsWith('.ts');
        if (folder === stage && !isFile && sibling !== own && !shared.has(sibling)) {
          wrong.push(`${relative(SRC, file)} imports ${stage}/${sibling}`);
        }
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test('[AR4] no file imports itself by way of others', () => {
  const imports = new Map<string, readonly string[]>();
  for (const file of sources(SRC)) {
    const found = readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g);
    imports.set(
      file,
      [...found].map(([, target]) => resolve(dirname(file), target ?? '')),
    );
  }
  // Whoever imports nothing that is left is in no circle.
  for (let before = 0; before !== imports.size;) {
    before = imports.size;
    for (const [file, targets] of imports)
      if (!targets.some((target) => imports.has(target))) imports.delete(file);
  }
  assert.deepEqual(
    [...imports.keys()].map((file) => relative(SRC, file)),
    [],
    'these are in circles of imports, or import such files',
  );
});

/** The page: data runs from the connection through the state to what is drawn; a view is loaded when it is shown. */
const UI_ALLOWED: Readonly<Record<string, readonly string[]>> = {
  state: [],
  connection: ['state'],
  layout: ['state'],
  widgets: ['connection', 'state'],
  views: ['layout', 'widgets', 'connection', 'state'],
  app: ['views', 'widgets', 'connection', 'state'],
  main: ['app', 'connection', 'state'],
};
const UI = resolve(import.meta.dirname, '../ui');
/** More than one screen or two is more than one thing. */
const UI_MAX_LINES = 200;

test('[AR5] the page imports where its table allows, and of the service its client, model and exports', () => {
  const wrong: string[] = [];
  const files = readdirSync(UI, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => /\.tsx?$/.test(name) && name !== 'vite.config.ts')) {
    const text = readFileSync(join(UI, file), 'utf8');
    const [from = ''] = file.replace(/\.tsx?$/, '').split('/');
    const allowed = UI_ALLOWED[from];
    assert.ok(allowed, `ui/${from} is not in the import table`);
    if (text.split('\n').length > UI_MAX_LINES) wrong.push(`${file} has more than ${UI_MAX_LINES} lines`);
    for (const [, named, lazy] of text.matchAll(
      /^(?:import|export|\} from)[^;]*?from '(\.[^']+)'|import\('(\.[^']+)'\)/gm,
    )) {
      const path = relative(UI, resolve(dirname(join(UI, file)), named ?? lazy ?? ''));
      if (path === '../src/client/browser.ts') continue;
      if (path.startsWith('../src/model/') || path.startsWith('../src/exporters/')) continue;
      const [to = ''] = path.replace(/\.tsx?$/, '').split('/');
      if (to !== from && !allowed.includes(to)) wrong.push(`${file} imports ${path}`);
    }
  }
  assert.deepEqual(wrong, []);
});
