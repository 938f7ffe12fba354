import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../src/config/load-config.ts';
import { Guards, type Firing } from '../src/guards/guards.ts';
import type { SpanRecord } from '../src/model/records.ts';
import { epochMs } from '../src/model/time.ts';
import { asSafe } from './integration/recordings/as-safe.ts';
import { decodeRecording } from './integration/recordings/decode-recording.ts';
import { loadRecordings } from './integration/recordings/load-recordings.ts';
import { makeEngine } from './support/make-engine.ts';
import { batchOf, makeSpan } from './support/world.ts';

/** Recorded runs under the guards that the how-to page gives as an example, whatever only it names left out. */

const ROOT = resolve(import.meta.dirname, '..');
/** Of others, and not in the repository: where it is absent those tests are skipped. */
const SHARED = resolve(ROOT, '../shared/data');
const BATCH = 20;

function exampleGuards() {
  const page = readFileSync(join(ROOT, 'docs/how-to/interrupt.md'), 'utf8');
  const [, block] =
    /```jsonc\n(\{\n {2}"explainabilityAgent": \{\n {4}"guards": [\s\S]*?)```/.exec(page) ?? [];
  const list = /"guards": (\[[\s\S]*\]),\n {2}\}/.exec(block ?? '')?.[1] ?? '';
  const json = list.replace(/^\s*\/\/.*$/gm, '').replace(/,(\s*[\]}])/g, '$1');
  const loaded = loadConfig({ argv: ['--guards', json], env: {}, homeDir: '/nobody', cwd: '/' });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  assert.ok(loaded.config.guards.length > 3);
  return loaded.config.guards.map((guard) => ({ ...guard, tasks: undefined, agents: undefined }));
}

/** What fires while a run comes in, piece by piece, as it ran. */
async function firingsIn(spans: readonly SpanRecord[]): Promise<readonly Firing[]> {
  const fired: Firing[] = [];
  const { engine, clock } = makeEngine();
  const guards = new Guards({
    guards: exampleGuards(),
    graph: engine.graph,
    clock,
    turns: { isOver: false, rest: () => Promise.resolve() },
    stepOf: (node) => engine.correlator.sources.countedAs(node),
    firingIn: () => undefined,
    // Recordings are old: here that is not the question.
    freshMs: Infinity,
    onFired: (firing) => fired.push(firing),
  });
  engine.onChanged((_, log) => guards.follow(log));
  const inOrder = spans.toSorted((a, b) => (a.end ?? a.start) - (b.end ?? b.start));
  for (let at = 0; at < inOrder.length; at += BATCH) {
    await engine.correlator.consume(batchOf(inOrder.slice(at, at + BATCH).map((span) => asSafe(span))));
    engine.flush();
    clock.advance(250);
  }
  guards.stop();
  return fired;
}

function wordsOf(fired: readonly Firing[]): readonly string[] {
  return fired.map(
    ({ guard, limit, figure, agent }) => `${guard}: ${limit} ${figure} of ${agent ?? 'the task'}`,
  );
}

for (const folder of [join(ROOT, 'test/fixtures/telemetry'), join(SHARED, 'telemetry')])
  test(
    `[GU4] the example guards let usual runs alone: ${folder.startsWith(SHARED) ? 'of others' : 'our own'}`,
    { skip: !existsSync(folder) },
    async () => {
      const recordings = await loadRecordings(folder);
      assert.ok(recordings.length > 0);
      for (const { name, requests } of recordings)
        assert.deepEqual(wordsOf(await firingsIn(decodeRecording(requests).spans)), [], name);
    },
  );

const TRAJECTORIES = join(SHARED, 'trajectories/swe-agent');
test(
  '[GU4] the example guards let coding agents alone that do their work',
  { skip: !existsSync(TRAJECTORIES) },
  async () => {
    for (const name of readdirSync(TRAJECTORIES).filter((file) => file.endsWith('.traj'))) {
      const run = JSON.parse(readFileSync(join(TRAJECTORIES, name), 'utf8')) as {
        readonly trajectory?: readonly { readonly action: string }[];
      };
      assert.deepEqual(
        wordsOf(await firingsIn((run.trajectory ?? []).map(({ action }, nth) => shell(nth, action)))),
        [],
        name,
      );
    }
  },
);

test('[GU4] of a coding agent that runs the same again and again they take note', async () => {
  const loop = Array.from({ length: 30 }, (_, nth) =>
    shell(nth, nth % 2 === 0 ? 'python reproduce.py' : `sed -n ${nth}p main.py`),
  );
  assert.deepEqual(
    new Set((await firingsIn(loop)).map(({ guard, limit }) => `${guard} ${limit}`)),
    new Set(['loops sameStep']),
  );
});

const FAILED = join(SHARED, 'failures/hc-root.jsonl');
test(
  '[GU4] of recorded runs those fire in which an agent said or did the same a dozen times',
  { skip: !existsSync(FAILED) },
  async () => {
    let circles = 0;
    for (const line of readFileSync(FAILED, 'utf8').trim().split('\n')) {
      const { id, otlp } = JSON.parse(line) as { readonly id: string; readonly otlp: object };
      const { spans } = decodeRecording([otlp]);
      const counts = new Map<string, number>();
      for (const { name, attributes } of spans) {
        const said = attributes.get('gen_ai.tool.call.arguments') ?? attributes.get('gen_ai.output.messages');
        if (said === undefined) continue;
        const key = `${name} ${JSON.stringify(said)}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      const isCircle = Math.max(...counts.values()) >= 12;
      if (isCircle) circles++;
      const loops = (await firingsIn(spans)).filter(({ guard }) => guard === 'loops');
      assert.equal(loops.length > 0, isCircle, id);
    }
    assert.ok(circles >= 5, `only ${circles}`);
  },
);

/** A command that an agent ran, a second after the one before. */
function shell(nth: number, command: string): SpanRecord {
  const start = epochMs(1_750_000_000_000 + nth * 1000);
  return makeSpan({
    traceId: 'a'.repeat(32),
    spanId: (nth + 1).toString(16).padStart(16, '0'),
    name: 'execute_tool bash',
    start,
    end: epochMs(start + 500),
    attrs: {
      taskID: 'T1',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'bash',
      'gen_ai.agent.name': 'Coder',
      'gen_ai.tool.call.arguments': JSON.stringify({ command }),
    },
  });
}
