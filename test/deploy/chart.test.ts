import assert from 'node:assert/strict';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

/** What `npm run test:charts` renders by Helm, as far as it can be read. */
const ROOT = join(import.meta.dirname, '../..');
const CHART = join(ROOT, 'charts/explainability-agent');

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean;
}

function read(...path: readonly string[]): string {
  return readFileSync(join(CHART, ...path), 'utf8');
}

/** Paths such as `cells.replicas`; objects that are empty by default are leaves. */
function pathsOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0)
    return [path];
  return Object.entries(value).flatMap(([key, inner]) =>
    pathsOf(inner, path === '' ? key : `${path}.${key}`),
  );
}

const values: unknown = parse(read('values.yaml'));

test('[DP3] the schema of values knows every value, and nothing else', () => {
  const schema = JSON.parse(read('values.schema.json')) as Schema;
  const known = (node: Schema, path: string): string[] =>
    node.additionalProperties === false && node.properties
      ? Object.entries(node.properties).flatMap(([key, inner]) =>
          known(inner, path === '' ? key : `${path}.${key}`),
        )
      : [path];
  const outer = new Set(known(schema, '').filter((path) => path !== 'global'));
  const inner = pathsOf(values).map((path) =>
    [...outer].find((one) => path === one || path.startsWith(`${one}.`)),
  );
  assert.ok(inner.every((path) => path !== undefined));
  assert.deepEqual(new Set(inner), outer);
});

test('[DP3] templates take values that there are', () => {
  const given = pathsOf(values);
  for (const name of readdirSync(join(CHART, 'templates')))
    for (const [, path = ''] of read('templates', name).matchAll(/\.Values\.([\w.]+)/g))
      assert.ok(
        given.some((one) => one === path || one.startsWith(`${path}.`) || path.startsWith(`${one}.`)),
        `${name}: ${path}`,
      );
});

test('[DP2] the chart has the version of the program, and its Collector our configuration and its version', () => {
  const { version, appVersion } = parse(read('Chart.yaml')) as { version: string; appVersion: string };
  const program = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  assert.deepEqual([version, appVersion], [program.version, program.version]);
  for (const name of ['cells.yaml', 'cells-static.yaml', 'cells-by-attribute.yaml'])
    assert.equal(
      realpathSync(join(CHART, 'files', name)),
      realpathSync(join(ROOT, 'config/otel-collector', name)),
    );
  const { tag } = (parse(read('values.yaml')) as { collector: { image: { tag: string } } }).collector.image;
  const built = readFileSync(join(ROOT, 'config/otel-collector/builder-cells.yaml'), 'utf8');
  assert.ok(built.includes(`\n  version: ${tag}\n`), tag);
});
