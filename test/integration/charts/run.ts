import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { checkManifests, manifestsOf, settingsOf } from './rendered.ts';
import { chartTools, KUBERNETES, type ChartTools } from './tools.ts';
import { run, succeed } from '../steps/child.ts';
import { Steps } from '../steps/steps.ts';

/** Renders the Helm chart with several files of values, checks it against the schemas of Kubernetes and our settings. */
const ROOT = resolve(import.meta.dirname, '../../..');
const CHART = join(ROOT, 'charts/explainability-agent');
const COLLECTOR_CONFIGS = ['cells.yaml', 'cells-static.yaml', 'cells-by-attribute.yaml'];
/** What is wrong, and what is said of it. */
const REFUSED: readonly (readonly [flags: string, says: RegExp])[] = [
  ['auth.mode=token', /\/auth\/existingSecret/],
  ['auth.mode=none,tls.mode=secret', /\/tls\/existingSecret/],
  ['auth.mode=none', /tls\.gatewayName/],
  ['auth.mode=none,tls.mode=secret,tls.existingSecret=a', /tls\.gatewayName/],
  ['auth.existingSecret=a,tls.sidecars=true', /auth\.gatewayTokenKey/],
  ['auth.mode=none,cells.replicas=0', /\/cells\/replicas.*minimum/],
  ['auth.mode=none,config.port=1', /\/config/],
  ['auth.mode=none,cels.replicas=2', /additional properties 'cels'/],
];

const steps = new Steps();
const tools = await steps.step('Helm, kubeconform and schemas', () =>
  chartTools((what) => console.log(`  ${what}`)),
);
if (typeof tools === 'string') console.log(`NOT RUN, the chart is not checked: ${tools}`);
else if (tools) await checkChart(tools);
steps.finish();

async function checkChart({ helm, kubeconform, schemas }: ChartTools): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'test-charts-'));
  try {
    for (const name of (await readdir(join(CHART, 'ci'))).sort()) {
      const values = join(CHART, 'ci', name);
      await steps.step(`[DP1] ${name}: helm lint`, () =>
        succeed(helm, ['lint', '--strict', CHART, '-f', values]),
      );
      const text = await steps.step(`[DP1] ${name}: helm template`, () => render(helm, ['-f', values]));
      if (text === undefined) continue;
      const file = join(work, `${name}.rendered`);
      await writeFile(file, text);
      for (const version of KUBERNETES)
        await steps.step(`[DP1] ${name}: valid for Kubernetes ${version}`, () =>
          validate(kubeconform, schemas, version, file),
        );
      await steps.step(`[DP2] ${name}: settings, names and ports`, async () => {
        const { cells } = parse(await readFile(values, 'utf8')) as { cells?: { replicas?: number } };
        checkManifests(manifestsOf(text), cells?.replicas ?? 3);
      });
    }
    await steps.step('[DP2] the Collector has our configuration', () => checkCollectorConfig(helm));
    await steps.step('[DP2] cells take settings, gateways know their token', () => checkSettings(helm));
    for (const [flags, says] of REFUSED)
      await steps.step(`[DP3] refused: ${flags}`, async () => {
        const { code, stderr } = await run(helm, [
          'template',
          'explain',
          CHART,
          '--kube-version',
          KUBERNETES[1],
          '--set',
          flags,
        ]);
        assert.notEqual(code, 0);
        assert.match(stderr, says);
      });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function render(helm: string, args: readonly string[]): Promise<string> {
  return succeed(helm, ['template', 'explainability-agent', CHART, '--kube-version', KUBERNETES[1], ...args]);
}

async function validate(kubeconform: string, schemas: string, version: string, file: string): Promise<void> {
  // There is no schema of the Prometheus Operator's kinds in the package.
  const skip = ['-skip', 'ServiceMonitor'];
  await succeed(kubeconform, [
    '-strict',
    '-kubernetes-version',
    version,
    '-schema-location',
    schemas,
    ...skip,
    file,
  ]);
}

async function checkCollectorConfig(helm: string): Promise<void> {
  const text = await render(helm, ['-f', join(CHART, 'ci/token-values.yaml')]);
  const config = manifestsOf(text).find(({ data }) => data?.['cells.yaml'] !== undefined)?.data;
  for (const name of COLLECTOR_CONFIGS) {
    const ours = await readFile(join(ROOT, 'config/otel-collector', name), 'utf8');
    assert.equal(config?.[name]?.trimEnd(), ours.trimEnd());
  }
}

async function checkSettings(helm: string): Promise<void> {
  const manifests = manifestsOf(await render(helm, ['-f', join(CHART, 'ci/tls-values.yaml')]));
  const cell = settingsOf(manifests, 'cell');
  assert.equal(cell.nodeTTLMinutes, 240);
  assert.equal(cell.dataDir, '/data');
  const { gateway, role } = settingsOf(manifests, 'gateway');
  assert.equal(role, 'gateway');
  assert.ok(typeof cell.auth === 'object');
  assert.equal(gateway?.token, cell.auth.gatewayToken);
  assert.ok(gateway?.token !== undefined);
}
