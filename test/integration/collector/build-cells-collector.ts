import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildCollector, type BuiltCollector } from './build-collector.ts';

const STAND_IN = resolve(import.meta.dirname, 'stand-in');
const EXPORTER = /^ {2}- gomod: \S+\/loadbalancingexporter v.*$/m;
/** Go says so of a module that its proxy does not have, or does not give. */
const REFUSED = /loadbalancingexporter\S*: .*(?:403 Forbidden|404 Not Found|410 Gone)/;

export interface CellsCollector extends BuiltCollector {
  /** Why it has the stand-in instead of the load_balancing exporter. */
  readonly standsIn?: string;
}

/**
 * A Collector that shares traces out to cells: made of what the manifest lists, or, where the proxy for Go modules
 * does not give the load_balancing exporter, with the exporter in `stand-in`, which has the same settings.
 * @returns undefined when Go is not installed
 * @throws Error with the end of the builder's output when it fails
 */
export async function buildCellsCollector(
  manifest: string,
  tell: (what: string) => void,
): Promise<CellsCollector | undefined> {
  try {
    return await buildCollector(manifest, tell);
  } catch (error) {
    const refused = REFUSED.exec(error instanceof Error ? error.message : '')?.[0];
    if (refused === undefined) throw error;
    const built = await buildWithStandIn(manifest, tell);
    return built && { ...built, standsIn: refused };
  }
}

async function buildWithStandIn(
  manifest: string,
  tell: (what: string) => void,
): Promise<BuiltCollector | undefined> {
  const hash = createHash('sha256');
  for (const name of (await readdir(STAND_IN)).sort()) hash.update(await readFile(join(STAND_IN, name)));
  const parts = await readFile(manifest, 'utf8');
  const own = `  - gomod: explainability-agent/standin v0.0.0\n    path: ${STAND_IN}`;
  const folder = await mkdtemp(join(tmpdir(), 'test-collector-'));
  try {
    const changed = join(folder, 'builder.yaml');
    // Another source is another Collector.
    await writeFile(changed, `# ${hash.digest('hex')}\n${parts.replace(EXPORTER, own)}`);
    return await buildCollector(changed, tell);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
