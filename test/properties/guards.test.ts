import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../../src/base/clock.ts';
import { CausalGraph } from '../../src/graph/causal-graph.ts';
import type { Guard } from '../../src/guards/guard.ts';
import { Guards, LOOK_EVERY_MS } from '../../src/guards/guards.ts';
import { edgeId } from '../../src/model/ids.ts';
import type { ExplanationNode } from '../../src/model/node.ts';
import { epochMs, toIso } from '../../src/model/time.ts';
import { NaiveGuards } from '../support/naive-guards.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { Situations } from '../support/situations.ts';

const IDS = 12;
const FRESH_MS = 20_000;

/** What happens to one node: another of the same id, or none; times in looks before now. */
interface Change {
  readonly id: number;
  readonly gone: boolean;
  readonly task: string;
  readonly agent: string;
  readonly said: string | undefined;
  readonly began: number;
  readonly took: number;
  readonly runs: boolean;
  readonly tokens: number;
  readonly cost: number;
  readonly parent: number;
}

const change: fc.Arbitrary<Change> = fc.record({
  id: fc.nat({ max: IDS - 1 }),
  gone: fc.constantFrom(false, false, false, false, true),
  task: fc.constantFrom('t1', 't1', 'other'),
  agent: fc.constantFrom('A', 'A', 'B'),
  said: fc.constantFrom('x', 'x', 'y', undefined),
  began: fc.nat({ max: 150 }),
  took: fc.nat({ max: 40 }),
  runs: fc.boolean(),
  tokens: fc.nat({ max: 40 }),
  cost: fc.constantFrom(0, 0.25),
  parent: fc.nat({ max: IDS }),
});

/** Changes that come together, and how many looks pass until the next. */
const steps = fc.array(
  fc.record({ changes: fc.array(change, { maxLength: 5 }), pause: fc.constantFrom(0, 0, 1, 5, 30) }),
  { minLength: 1, maxLength: 25 },
);

const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined, freq: 2 });
const guard = fc
  .record({
    agents: fc.constantFrom(undefined, ['A'], ['*']),
    tasks: fc.constantFrom(undefined, undefined, ['t*']),
    per: fc.constantFrom('task' as const, 'agent' as const),
    limits: fc
      .record({
        runningSeconds: optional(fc.integer({ min: 1, max: 20 })),
        tokens: optional(fc.integer({ min: 1, max: 150 })),
        costUsd: optional(fc.constantFrom(0.25, 1)),
        depth: optional(fc.integer({ min: 2, max: 4 })),
        handovers: optional(fc.integer({ min: 1, max: 3 })),
        sameStep: optional(fc.integer({ min: 2, max: 4 })),
        stepsPerMinute: optional(fc.integer({ min: 2, max: 8 })),
        nothingNewSeconds: optional(fc.integer({ min: 1, max: 8 })),
      })
      .filter((limits) => Object.values(limits).some((bound) => bound !== undefined)),
    coolDownSeconds: fc.constantFrom(1, 3, 100),
  })
  .map((drawn): Omit<Guard, 'name'> => ({ ...drawn, action: 'warn', dryRun: false }));
const guardsArbitrary = fc
  .array(guard, { minLength: 1, maxLength: 4 })
  .map((drawn) => drawn.map((one, nth): Guard => ({ ...one, name: `g${nth}` })));

const said = new WeakMap<ExplanationNode, string | undefined>();

function nodeOf({ id, task, agent, began, took, runs, tokens, cost, ...more }: Change, now: number) {
  const node: ExplanationNode = {
    id: `n${id}`,
    timestamp: toIso(epochMs(now - began * LOOK_EVERY_MS)),
    agent,
    type: 'TOOL_CALL',
    name: 'step',
    title: 'step',
    taskId: task,
    state: runs ? 'RUNNING' : 'ENDED',
    status: 'OK',
    tokensIn: tokens,
    costUsd: cost,
    // Nothing has ended yet that ends later.
    ...(!runs && { latencyMs: Math.min(took, began) * LOOK_EVERY_MS }),
  };
  said.set(node, more.said);
  return node;
}

test('[GU2] whatever comes in whatever pieces: the guards fire that a look at the whole graph says', (t) => {
  const situations = new Situations(
    'runningSeconds',
    'tokens',
    'costUsd',
    'depth',
    'handovers',
    'sameStep',
    'stepsPerMinute',
    'nothingNewSeconds',
    'per agent',
    'fires again',
    'fires by time alone',
  );
  fc.assert(
    fc.property(guardsArbitrary, steps, (guards, batches) => {
      situations.nextCase();
      // On whole seconds, so that looks and limits fall on the same times.
      const clock = new ManualClock(1_750_000_000_000);
      const graph = new CausalGraph();
      const fired: string[] = [];
      const watch = new Guards({
        guards,
        graph,
        clock,
        turns: { isOver: false, rest: () => Promise.resolve() },
        stepOf: (node) => ({ said: said.get(node) }),
        firingIn: () => undefined,
        freshMs: FRESH_MS,
        // How often is another rule.
        firingsAMinute: 1e6,
        onFired: ({ guard: name, taskId, agent, limit, figure }) =>
          fired.push([name, taskId, agent, limit, figure.toFixed(6)].join(' ')),
      });
      const oracle = new NaiveGuards({ guards, graph, saidBy: (node) => said.get(node), freshMs: FRESH_MS });
      const parents = new Map<string, string>();
      const look = (changed: ReadonlySet<string>): void => {
        fired.length = 0;
        clock.advance(LOOK_EVERY_MS);
        const expected = oracle.look(changed, clock.now());
        assert.deepEqual(fired.toSorted(), expected.map(({ words }) => words).toSorted());
        for (const one of expected) {
          situations.saw(one.limit);
          if (one.agent !== undefined) situations.saw('per agent');
          if (one.isAgain) situations.saw('fires again');
          if (changed.size === 0) situations.saw('fires by time alone');
        }
      };
      for (const { changes, pause } of batches) {
        const changed = new Set<string>();
        for (const one of changes) {
          const id = `n${one.id}`;
          changed.add(id);
          if (one.gone) {
            if (graph.node(id)) graph.dropNode(id);
          } else {
            graph.putNode(nodeOf(one, clock.now()));
            if (one.parent < one.id) parents.set(id, `n${one.parent}`);
            else parents.delete(id);
          }
        }
        for (const { id } of graph.everything().nodes) {
          const from = parents.get(id);
          const isThere = from !== undefined && graph.node(from) !== undefined;
          graph.putInEdges(
            id,
            isThere
              ? [
                  {
                    id: edgeId(from, 'TRIGGERED', id),
                    from,
                    to: id,
                    relation: 'TRIGGERED',
                    evidence: 'parentSpanId',
                  },
                ]
              : [],
          );
        }
        graph.untangle();
        if (graph.hasChanged) watch.follow(graph.takeChanges().log);
        look(changed);
        for (let nth = 0; nth < pause; nth++) look(new Set());
      }
      watch.stop();
    }),
    propertyRuns(),
  );
  situations.tell(t);
});
