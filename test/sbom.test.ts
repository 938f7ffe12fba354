import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { SBOM_FILE, writeSbom } from '../scripts/sbom.ts';

const ROOT = resolve(import.meta.dirname, '..');

test('[AC84] the bill of materials has what is installed and what the page is built of, and no tools', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeSbom(ROOT, folder);
  const bom = JSON.parse(readFileSync(join(folder, SBOM_FILE), 'utf8')) as {
    readonly bomFormat: string;
    readonly metadata: { readonly component: { readonly name: string } };
    readonly components: readonly { readonly purl: string; readonly version: string }[];
    readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  };
  assert.equal(bom.bomFormat, 'CycloneDX');
  assert.equal(bom.metadata.component.name, 'explainability-agent');
  const urls = bom.components.map(({ purl }) => decodeURIComponent(purl));
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const [name, version] of Object.entries(dependencies))
    assert.ok(urls.includes(`pkg:npm/${name}@${version}`), name);
  for (const name of ['react', 'react-dom', '@xyflow/react', 'radix-ui', 'body-parser'])
    assert.ok(
      urls.some((url) => url.startsWith(`pkg:npm/${name}@`)),
      name,
    );
  for (const name of ['typescript', 'playwright-core', 'prettier', 'vite'])
    assert.ok(!urls.some((url) => url.startsWith(`pkg:npm/${name}@`)), name);
});
