import { randomInt } from 'node:crypto';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { exportGraph, type ExportFormat } from '../../../src/exporters/export-graph.ts';
import type { ExplanationGraph } from '../../../src/model/node.ts';
import { flowD2 } from '../../../src/exporters/thoughtflow/flow-d2.ts';
import { Bounds } from '../../../src/receivers/bounds.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../../../src/receivers/config.ts';
import { readSession } from '../../../src/receivers/thoughtflow/consolidated.ts';
import { flowRecords } from '../../../src/receivers/thoughtflow/flow-records.ts';
import { makeEngine } from '../../support/make-engine.ts';
import { batchOf, safe } from '../../support/world.ts';
import { installSdk } from '../sdks/install.ts';
import { Steps } from '../steps/steps.ts';
import { hostileGraph } from './hostile-graph.ts';
import { openLibraries, type Drawn, type Libraries } from './libraries.ts';

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
    await steps.step('[TF17] conformance 26: D2 of ThoughtFlow has the exact shapes and connections', () =>
      judgeFlow(libraries.loads.d2),
    );
  } finally {
    await libraries.close();
  }
}
steps.finish();

type Loads = Libraries['loads'];

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

/** The example has nine steps and eight dependencies; of any other graph each node is a shape and each edge a connection. */
async function judgeFlow(load: Loads['d2']): Promise<void> {
  assert.ok(load);
  const drawn = (
    graph: Pick<ExplanationGraph, 'nodes' | 'edges'>,
    conversation?: number,
  ): ReturnType<typeof load> =>
    load(
      [...flowD2(graph, { taskId: 'a.b "task" | ${x}', base: 'http://127.0.0.1:9000', conversation })].join(
        '',
      ) as never,
    );
  const example = new URL('../../../examples/thoughtflow/session.json', import.meta.url);
  const graph = await graphOfFlow(JSON.parse(await readFile(example, 'utf8')) as object);
  for (const conversation of [undefined, 0]) {
    const { nodes, edges, frames } = await drawn(graph, conversation);
    assert.deepEqual([nodes, edges, frames], [9, 8, 1]);
  }
  await fc.assert(
    fc.asyncProperty(hostileGraph, async (hostile) => {
      const { nodes, edges } = await drawn(hostile);
      assert.deepEqual([nodes, edges], [hostile.nodes.length, hostile.edges.length]);
    }),
    { seed, numRuns: RUNS.d2 },
  );
}

/** As the service shows it. */
async function graphOfFlow(flow: object): Promise<Pick<ExplanationGraph, 'nodes' | 'edges'>> {
  const { engine } = makeEngine();
  const noEdges = { dangling: 0, self: 0, cyclic: 0, excess: 0 };
  const { session } = readSession({ ...flow }, undefined, new Bounds(DEFAULT_RECEIVER_LIMITS), noEdges);
  await engine.correlator.consume(batchOf([...flowRecords(session)].map((record) => safe(record))));
  return engine.reader.getGraph({ collapse: 'none' });
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
