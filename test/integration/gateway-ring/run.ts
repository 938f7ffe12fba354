import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findGo } from '../collector/build-collector.ts';

/**
 * Asks the ring of the Collector's `load_balancing` exporter itself, in its own Go source, and writes what it answers
 * to the table that the unit test compares ours with (`--write`), or compares the two.
 *
 *   node test/integration/gateway-ring/run.ts [--write]
 */

/** The newest version that the module proxy has. */
const EXPORTER =
  'github.com/open-telemetry/opentelemetry-collector-contrib/exporter/loadbalancingexporter@v0.161.0';
const PDATA = 'go.opentelemetry.io/collector/pdata/pcommon@v1.67.0';
const SOURCES = ['consistent_hashing.go', 'attribute_routing.go'];
const TABLE = new URL('../../fixtures/gateway/collector-ring.json', import.meta.url);

const RINGS = [
  ['cell-0:4317'],
  ['cell-0:4317', 'cell-1:4317'],
  ['cell-0:4317', 'cell-1:4317', 'cell-2:4317'],
  ['10.0.0.7', '10.0.0.8', '[fd00::1]:4317'],
  named(12),
  // So many that points of theirs meet.
  named(60),
];
const ATTRIBUTES = [
  ['session.id', 's-1'],
  ['session.id', 'sitzung ü 😀'],
  ['session.id', ''],
  ['tenant', 'a=b|c'],
  ['session.id', 17],
  ['session.id', 1.5],
  ['session.id', true],
  ['service.name', 'support-agent'],
];

const run = promisify(execFile);
const go = await findGo();
if (go === undefined) {
  console.log('Go is not installed: nothing was compared');
} else {
  const table = await askedOf(go);
  if (process.argv.includes('--write')) await writeFile(TABLE, table);
  else assert.equal(table, await readFile(TABLE, 'utf8'), 'the exporter chooses as the table says');
  console.log(`the ring of ${EXPORTER} chooses as the table says`);
}

async function askedOf(command: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-ring-'));
  const goIn = (...args: string[]) => run(command, args, { cwd: folder, timeout: 300_000 });
  try {
    const { stdout } = await goIn('mod', 'download', '-json', EXPORTER);
    const { Dir } = JSON.parse(stdout) as { readonly Dir: string };
    for (const name of SOURCES) {
      const source = await readFile(join(Dir, name), 'utf8');
      await writeFile(join(folder, name), source.replace(/^package \w+.*$/m, 'package main'));
    }
    await writeFile(
      join(folder, 'main.go'),
      await readFile(new URL('table.go.txt', import.meta.url), 'utf8'),
    );
    await goIn('mod', 'init', 'table');
    await goIn('get', PDATA);
    await goIn('build', '-o', 'table', '.');
    const answer = run(join(folder, 'table'), { timeout: 60_000 });
    answer.child.stdin?.end(JSON.stringify({ rings: RINGS, traces: traceIds(48), attributes: ATTRIBUTES }));
    return asLines(JSON.parse((await answer).stdout) as readonly object[]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function named(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `cells-${i}.cells.default.svc.cluster.local:4317`).sort();
}

/** The same ones each time. */
function traceIds(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) =>
    createHash('sha256').update(`trace ${i}`).digest('hex').slice(0, 32),
  );
}

/** A row a line, so that a change is seen. */
function asLines(rings: readonly object[]): string {
  return `${JSON.stringify(rings).replaceAll('],[', '],\n[')}\n`;
}
