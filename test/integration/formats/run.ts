import { randomInt } from 'node:crypto';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { exportGraph } from '../../../src/exporters/export-graph.ts';
import type { ExportFormat } from '../../../src/exporters/export-graph.ts';
import type { ExplanationGraph } from '../../../src/model/node.ts';
import { installSdk } from '../sdks/install.ts';
import { Steps } from '../steps/steps.ts';
import { hostileGraph } from './hostile-graph.ts';
import { openLibraries } from './libraries.ts';
import type { Drawn } from './libraries.ts';

/**
 * Each export is loaded by the library that it is made for, with texts that mean something to its language: all nodes
 * and edges are there, and what can be read back is what was written.
 * Usage: npm run test:formats; PROPERTY_SEED repeats a run.
 * Another version of a library: change package.json, then `npm install --package-lock-only --ignore-scripts` beside it.
 */
const seed = Number(process.env['PROPERTY_SEED'] ?? randomInt(2 ** 31));
/** D2 takes a quarter of a second for a graph, the others a few milliseconds. */
const RUNS = { d2: 40, others: 300 };

console.log(`PROPERTY_SEED=${seed}`);
const steps = new Steps();
const modules = await steps.step('npm ci', () =>
  installSdk(import.meta.dirname, (what) => console.log(`  ${what}`)),
);
if (modules !== undefined) {
  const libraries = await openLibraries(modules);
  try {
    for (const [format, load] of Object.entries(libraries.loads))
      await steps.step(
        `[SV80] ${format}: its library reads every node and edge, whatever the texts are`,
        () => judge(format as ExportFormat, load),
      );
  } finally {
    await libraries.close();
  }
}
steps.finish();

async function judge(format: ExportFormat, load: (exported: never) => Drawn | Promise<Drawn>): Promise<void> {
  const numRuns = format === 'd2' ? RUNS.d2 : RUNS.others;
  await fc.assert(
    fc.asyncProperty(hostileGraph, async (graph) => {
      const exported = exportGraph(graph, format);
      const drawn = await load(('lines' in exported ? [...exported.lines].join('') : exported.json) as never);
      assert.equal(drawn.nodes, graph.nodes.length, 'nodes');
      assert.equal(drawn.edges, graph.edges.length, 'edges');
      if (drawn.frames !== undefined) assert.equal(drawn.frames, framesOf(graph, format), 'tasks');
      if (drawn.labels)
        for (const [index, { agent, title }] of graph.nodes.entries())
          compare(drawn.labels[index] ?? '', `${agent} ${title}`);
    }),
    { seed, numRuns, includeErrorInReport: true },
  );
}

/** A single task has no frame of its own, but in D2. */
function framesOf({ nodes }: ExplanationGraph, format: ExportFormat): number {
  const { size } = new Set(nodes.map(({ taskId }) => taskId));
  return size === 1 && format !== 'd2' ? 0 : size;
}

/** Blanks, and what nobody sees, are not compared; nor what is cut from long texts. */
function compare(shown: string, written: string): void {
  if (!shown.includes('…')) assert.equal(plain(shown), plain(written));
}

function plain(text: string): string {
  return text.toWellFormed().replace(/[\s\p{Cc}\u200b]+/gu, '');
}
