import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The part of CycloneDX 1.5 that is looked at. */
interface Bom {
  readonly metadata: { component: { name: string; readonly 'bom-ref': string } };
  components: readonly { readonly 'bom-ref': string; readonly name: string; readonly group?: string }[];
  dependencies: readonly { readonly ref: string; dependsOn: readonly string[] }[];
}

/** A list of what the package needs, and of what is built into its page. */
export const SBOM_FILE = 'sbom.cdx.json';

/**
 * Writes the software bill of materials (CycloneDX) into a folder: the packages that are installed with this one, and those
 * that the page is built of, which are installed for building alone.
 * @throws Error when npm has no answer
 */
export function writeSbom(root: string, folder: string): void {
  const { status, stdout } = spawnSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error('npm sbom failed: the bill of materials is not written');
  const bom = JSON.parse(stdout) as Bom;
  const { name, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly dependencies: object;
  };
  const wanted = new Set([...Object.keys(dependencies), ...packagesOfPage(join(root, 'ui'))]);
  const own = bom.metadata.component['bom-ref'];
  const refs = reachable(bom, own, wanted);
  bom.metadata.component.name = name;
  bom.components = bom.components.filter((one) => refs.has(one['bom-ref']));
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => ref === own || refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
  writeFileSync(join(folder, SBOM_FILE), `${JSON.stringify(bom, null, 1)}\n`);
}

/** Of the packages that this one names, those wanted, and all below them. */
function reachable(bom: Bom, own: string, wanted: ReadonlySet<string>): ReadonlySet<string> {
  const below = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const names = new Map(
    bom.components.map((one) => [
      one['bom-ref'],
      one.group === undefined ? one.name : `${one.group}/${one.name}`,
    ]),
  );
  const refs = new Set((below.get(own) ?? []).filter((ref) => wanted.has(names.get(ref) ?? '')));
  for (const ref of refs) for (const next of below.get(ref) ?? []) refs.add(next);
  return refs;
}

/** Named in the imports of its sources. */
function packagesOfPage(folder: string): ReadonlySet<string> {
  const packages = new Set<string>();
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/(?<!config|test)\.tsx?$/.test(file)) continue;
    const source = readFileSync(join(folder, file), 'utf8');
    for (const [, name = ''] of source.matchAll(/(?:from|import) '((?:@[\w.-]+\/)?[\w][\w.-]*)/g))
      packages.add(name);
  }
  return packages;
}
