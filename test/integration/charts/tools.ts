import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findGo } from '../collector/build-collector.ts';
import { succeed } from '../steps/child.ts';

const HELM = { name: 'helm', version: 'v3.18.6', module: 'helm.sh/helm/v3/cmd/helm' };
const KUBECONFORM = {
  name: 'kubeconform',
  version: 'v0.7.0',
  module: 'github.com/yannh/kubeconform/cmd/kubeconform',
};
/** A package that has the JSON schemas of Kubernetes in it; they are all that is taken of it. */
const SCHEMAS = { name: 'kubernetes-validate', version: '1.37.0' };
/** The oldest that Chart.yaml names, and the newest that there are schemas of. */
export const KUBERNETES = ['1.27.0', '1.37.0'] as const;

/** A machine with nothing cached needs two minutes on two idle cores. */
const BUILD_LIMIT_MS = 15 * 60_000;

export interface ChartTools {
  readonly helm: string;
  readonly kubeconform: string;
  /** Where kubeconform finds schemas, as it is told by `-schema-location`. */
  readonly schemas: string;
}

/**
 * Helm and kubeconform, built by Go, and the schemas, brought by pip; all are kept in the user's cache.
 * @returns what is missing, where it is
 * @throws Error with what a build, or pip, says when it fails
 */
export async function chartTools(tell: (what: string) => void): Promise<ChartTools | string> {
  const go = await findGo();
  if (go === undefined) return 'Go is not installed, and helm and kubeconform are built with it';
  const [helm, kubeconform, found] = await Promise.all([
    built(go, HELM, tell),
    built(go, KUBECONFORM, tell),
    schemas(tell),
  ]);
  return { helm, kubeconform, schemas: found };
}

function cacheFolder(name: string): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(cache, 'explainability-agent', name);
}

async function built(
  go: string,
  { name, version, module }: typeof HELM,
  tell: (what: string) => void,
): Promise<string> {
  const folder = cacheFolder(`${name}-${version}`);
  const program = join(folder, name);
  if (existsSync(program)) return program;
  tell(`building ${name}, which takes a minute; it is kept for the next time`);
  const env = { ...process.env, GOBIN: folder };
  await promisify(execFile)(go, ['install', `${module}@${version}`], { env, timeout: BUILD_LIMIT_MS });
  return program;
}

async function schemas(tell: (what: string) => void): Promise<string> {
  const { name, version } = SCHEMAS;
  const folder = cacheFolder(`kubernetes-schemas-${version}`);
  const location = join(folder, '{{.NormalizedKubernetesVersion}}/{{.ResourceKind}}{{.KindSuffix}}.json');
  if (existsSync(folder)) return location;
  tell('bringing the schemas of Kubernetes; they are kept for the next time');
  await mkdir(cacheFolder('.'), { recursive: true });
  const work = await mkdtemp(cacheFolder('schemas-'));
  try {
    const python = 'python3';
    await succeed(python, ['-m', 'pip', 'download', '-q', '--no-deps', '-d', work, `${name}==${version}`]);
    const wheel = (await readdir(work)).find((file) => file.endsWith('.whl'));
    if (wheel === undefined) throw new Error(`pip brought no wheel of ${name}`);
    const all = join(work, 'all');
    await succeed(python, ['-m', 'zipfile', '-e', join(work, wheel), all]);
    const found = join(work, 'found');
    for (const kubernetes of KUBERNETES) {
      const from = join(all, `kubernetes_validate/kubernetes-json-schema/v${kubernetes}-local-strict`);
      await takeSchemas(from, join(found, `v${kubernetes}`));
    }
    // Into its place as a whole: what is interrupted leaves no half of it.
    await rename(found, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return location;
}

/** They refer to one another by addresses on the network; here by files. */
async function takeSchemas(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const file of await readdir(from)) {
    const text = (await readFile(join(from, file), 'utf8')).replaceAll(
      '"/api/_definitions.json#',
      '"_definitions.json#',
    );
    const { $id: _, ...schema } = JSON.parse(text) as Record<string, unknown>;
    await writeFile(join(to, file), JSON.stringify(schema));
  }
}
