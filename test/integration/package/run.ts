import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND, installInto, pack, packedFiles, ROOT, type UsersNode, usersNodes } from './install.ts';
import { followThroughRestart } from './restart.ts';
import { succeed, within } from '../steps/child.ts';
import { FREE_PORTS, serve } from '../steps/serve.ts';
import { Steps } from '../steps/steps.ts';

/**
 * Packs the package, installs it into an empty folder as a user would, and uses it there: on the pinned Node
 * and, where `engines` allows it, on the machine's own.
 */
const ESBUILD = 'esbuild@0.25.12';
const PROGRAMS = join(ROOT, 'test/integration/package/programs');

interface Manifest {
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** What the program, its client and its readers look for in the package. */
const NEEDED = [
  'package.json',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'dist/main.js',
  'dist/embedded/program.js',
  'dist/embedded/program.d.ts',
  'dist/client/node.js',
  'dist/client/node.d.ts',
  'dist/client/browser.js',
  'dist/control/control.js',
  'dist/control/control.d.ts',
  'dist/otel/open-span-processor.js',
  'dist/otel/open-span-processor.d.ts',
  'dist/sbom.cdx.json',
  'dist/ui/index.html',
  'dist/ui/manifest.webmanifest',
  'proto/explain/v1/explain.proto',
  'config/defaults.jsonc',
  'config/explainability-agent.schema.json',
];
/** What each of these is answered by a service that has taken in nothing. */
const ANSWERS: readonly (readonly [path: string, answer: RegExp])[] = [
  ['/', /<script type="module" crossorigin src="\.\/assets\//],
  ['/manifest.webmanifest', /ExplainabilityAgent/],
  ['/api/graph', /"nodes":\[\]/],
  ['/metrics', /^explain_node_created_total 0$/m],
  ['/healthz', /alive/],
];

/** Programs whose types are checked, and programs that are bundled for browsers. */
const TYPED = ['typed.ts', 'typed-open-spans.ts', 'typed-control.ts', 'typed-inside.ts'];
const BUNDLED = ['browser.js', 'browser-open-spans.js', 'browser-control.js'];

/** Its agents take their time, as people are to follow. */
const DEMO_TIMEOUT_MS = 30_000;

const steps = new Steps();
const work = await mkdtemp(join(tmpdir(), 'explain-package-'));
const app = join(work, 'app');
const started: { kill(): void }[] = [];
try {
  const tarball = await steps.step('npm pack', () => pack(work));
  if (tarball !== undefined) await checkTarball(tarball);
} finally {
  for (const child of started) child.kill();
  await rm(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
steps.finish();

async function checkTarball(tarball: string): Promise<void> {
  await steps.step('the tarball has what runs, and no tests, sources or builds of others', async () => {
    const files = await packedFiles(tarball);
    for (const file of NEEDED) assert.ok(files.includes(file), `${file} is missing`);
    assert.deepEqual(
      files.filter((file) =>
        /(\.(contract|test-support|test)|-for-test)\.(d\.)?[jt]s$|^(src|scripts|bench)\/|\.tgz$/.test(file),
      ),
      [],
    );
  });
  await steps.step('the Dockerfile is on the Node that the project pins', async () => {
    const { devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;
    const dockerfile = await readFile(join(ROOT, 'Dockerfile'), 'utf8');
    assert.equal(/^ARG NODE_VERSION=(\S+)$/m.exec(dockerfile)?.[1], devDependencies['node']);
  });
  const installed = await steps.step('npm install of the tarball, in an empty folder', async () => {
    await installInto(app, tarball);
    for (const name of ['follow.mjs', 'open-spans.mjs', 'inside.mjs', ...TYPED, ...BUNDLED])
      await copyFile(join(PROGRAMS, name), join(app, name));
    return true;
  });
  if (installed !== true) return;
  for (const node of await usersNodes(work)) await checkOn(node);
  await checkTypes();
  await checkBrowserBundle();
}

async function checkOn({ version: node, env }: UsersNode): Promise<void> {
  const options = { cwd: app, env };
  await steps.step(`Node ${node}: npx explainability-agent --version`, async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;
    assert.equal(
      await succeed('npx', ['--no-install', 'explainability-agent', '--version'], options),
      `${version}\n`,
    );
  });
  await steps.step(
    `Node ${node}: serves the page, the API, metrics and gRPC's proto; ends with 0 on SIGTERM`,
    async () => {
      const args = ['serve', ...FREE_PORTS, '--durability', 'memory'];
      const { child, readers } = await serve(COMMAND, args, options);
      started.push(child);
      for (const [path, pattern] of ANSWERS) {
        const response = await fetch(`http://${readers}${path}`);
        assert.equal(response.status, 200, path);
        assert.match(await response.text(), pattern, path);
      }
      assert.equal(await child.stop(), 0);
      assert.equal(child.stderr, '', 'nothing to complain about');
    },
  );
  await steps.step(`Node ${node}: demo plays its agents into the graph; ends with 0 on SIGTERM`, async () => {
    const { child, readers } = await serve(COMMAND, ['demo', ...FREE_PORTS], options);
    started.push(child);
    await within(DEMO_TIMEOUT_MS, 'the demo has steps to show', async () => {
      const answer = await fetch(`http://${readers}/api/graph`).catch(() => assert.fail(child.stderr));
      const graph = (await answer.json()) as { readonly nodes: readonly object[] };
      return graph.nodes.length > 0 ? true : undefined;
    });
    assert.equal(await child.stop(), 0, child.stderr);
  });
  await steps.step(`Node ${node}: explainability-agent/otel announces a span as it starts`, async () => {
    const output = await succeed('node', ['open-spans.mjs'], options);
    assert.deepEqual(JSON.parse(output), ['span.start', 'chat', 'm']);
  });
  await steps.step(`[PK4] Node ${node}: a program has a service of its own, without a port`, async () => {
    const output = await succeed('node', ['inside.mjs'], options);
    assert.deepEqual(JSON.parse(output), ['LLM_CALL', 'OTHER', 'REASONING']);
  });
  for (const scheme of ['http', 'grpc'] as const)
    await steps.step(`Node ${node}: a program follows a live graph through a restart, by ${scheme}`, () =>
      followThroughRestart({ app, env, dataDir: join(work, `data-${node}-${scheme}`), scheme, started }),
    );
}

async function checkTypes(): Promise<void> {
  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])
    await steps.step(
      `TypeScript: explainability-agent, /client, /control and /otel have their types under ${moduleResolution}`,
      async () => {
        const compilerOptions = {
          module,
          moduleResolution,
          target: 'es2022',
          lib: ['es2022', 'dom'],
          types: [],
          strict: true,
          exactOptionalPropertyTypes: true,
          noEmit: true,
        };
        const file = join(app, 'tsconfig.json');
        await writeFile(file, JSON.stringify({ compilerOptions, files: TYPED }));
        // Plain TypeScript sources are modules only where their package says so.
        await succeed('npm', ['pkg', 'set', 'type=module'], { cwd: app });
        await succeed(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', file]);
      },
    );
}

async function checkBrowserBundle(): Promise<void> {
  await steps.step(
    'esbuild bundles explainability-agent/client, /control and /otel for browsers, without anything of Node',
    async () => {
      const tool = join(work, 'esbuild');
      await succeed('npm', ['install', '--prefix', tool, '--no-audit', '--no-fund', ESBUILD]);
      const flags = [
        '--bundle',
        '--platform=browser',
        '--format=esm',
        '--metafile=meta.json',
        '--outdir=out',
      ];
      // On the platform browser a module of Node is an error.
      await succeed(join(tool, 'node_modules/.bin/esbuild'), [...BUNDLED, ...flags], { cwd: app });
      const meta = JSON.parse(await readFile(join(app, 'meta.json'), 'utf8')) as { inputs: object };
      const packages = new Set(
        Object.keys(meta.inputs).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]),
      );
      for (const name of ['ws', '@grpc/grpc-js', 'pino']) assert.ok(!packages.has(name), `${name} is in it`);
      assert.ok(packages.has('explainability-agent'));
    },
  );
}
