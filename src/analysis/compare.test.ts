import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hurriedPace } from '../../test/support/hurried-pace.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { edgeId } from '../model/ids.ts';
import type { ExplanationEdge } from '../model/node.ts';
import { COMPARED_TEXTS, type CompareAnswer, type ComparedField } from '../model/compare.ts';
import { PlannedTasks, idOf, rowsOf, type Planned } from './compared.test-support.ts';

const LOOKS = {
  agent: fc.constantFrom('CoderAgent', 'CriticAgent'),
  type: fc.constantFrom('LLM_CALL', 'TOOL_CALL', 'OTHER'),
  name: fc.constantFrom('plan', 'act 7'),
  model: fc.constantFrom('m1', 'm2', undefined),
  status: fc.constantFrom('OK', 'OK', 'OK', 'ERROR', 'WARNING'),
  tokensIn: fc.constantFrom(10, undefined),
  costUsd: fc.constantFrom(0.01, 0.5, undefined),
  latencyMs: fc.constantFrom(5, 800, undefined),
  tool: fc.constantFrom('search', 'pytest', undefined),
  said: fc.constantFrom('yes', 'no', undefined),
} as const;

/** Steps, each inside one before it or at the top. @param areTold do their titles tell each from all others? */
function tasks(areTold: boolean): fc.Arbitrary<readonly Planned[]> {
  const step = fc.record({ ...LOOKS, below: fc.nat({ max: 11 }), title: fc.constantFrom('x', 'y') });
  return fc.array(step, { minLength: 1, maxLength: 12, size: 'max' }).map((steps) => {
    const made: (Planned & { inside: Planned[] })[] = [];
    const tops: Planned[] = [];
    for (const [
      n,
      { below, tool, said, title, model, tokensIn, costUsd, latencyMs, ...fields },
    ] of steps.entries()) {
      const one = {
        n,
        ...(fields as Pick<Planned, 'agent' | 'type' | 'name' | 'status'>),
        title: areTold ? `step ${n}` : title,
        ...(model !== undefined && { model }),
        ...(tokensIn !== undefined && { tokensIn }),
        ...(costUsd !== undefined && { costUsd }),
        ...(latencyMs !== undefined && { latencyMs }),
        ...(tool !== undefined && { details: { toolName: tool } }),
        texts: said === undefined ? {} : { completion: said },
        inside: [],
      };
      made.push(one);
      (made[below < n ? below : -1]?.inside ?? tops).push(one);
    }
    return tops;
  });
}

/** The same steps, one of them as `change` makes it. */
function changed(
  steps: readonly Planned[],
  n: number,
  change: (step: Planned) => readonly Planned[],
): readonly Planned[] {
  return steps.flatMap((step) =>
    step.n === n ? change(step) : [{ ...step, inside: changed(step.inside ?? [], n, change) }],
  );
}

function flat(steps: readonly Planned[]): readonly Planned[] {
  return steps.flatMap((step) => [step, ...flat(step.inside ?? [])]);
}

function mirrored(answer: CompareAnswer): CompareAnswer {
  const { a, b, totals, models, outcome, counts } = answer;
  return {
    ...answer,
    a: b,
    b: a,
    steps: answer.steps.map(({ a: inA, b: inB, ...rest }) => ({
      ...(inB !== undefined && { a: inB }),
      ...(inA !== undefined && { b: inA }),
      ...rest,
    })),
    totals: { a: totals.b, b: totals.a },
    models: { a: models.b, b: models.a },
    outcome: {
      ...(outcome.b !== undefined && { a: outcome.b }),
      ...(outcome.a !== undefined && { b: outcome.a }),
    },
    counts: { ...counts, onlyA: counts.onlyB, onlyB: counts.onlyA },
  };
}

/** Statements name a side, and titles are those of `a`; nodes stand by side. */
function comparable({ firstDivergence, nodes, ...rest }: CompareAnswer): unknown {
  return { ...rest, at: firstDivergence?.step, nodes: nodes.map(({ id }) => id).sort() };
}

test('[AN19] every step stands once, in the order of its task, and a pair inside a pair', async () => {
  await fc.assert(
    fc.asyncProperty(tasks(false), tasks(false), async (one, other) => {
      const answer = await new PlannedTasks().add('A', one).add('B', other).compare('A', 'B');
      const inA = answer.steps.flatMap(({ a }) => (a === undefined ? [] : [a]));
      const inB = answer.steps.flatMap(({ b }) => (b === undefined ? [] : [b]));
      assert.deepEqual(
        inA,
        flat(one).map(({ n }) => idOf('A', n)),
      );
      assert.deepEqual(
        inB,
        flat(other).map(({ n }) => idOf('B', n)),
      );
      const above: { readonly a?: string; readonly b?: string }[] = [];
      for (const { a, b, depth } of answer.steps) {
        above.length = depth;
        const around = above.at(-1);
        if (a !== undefined && around) assert.ok(around.a !== undefined);
        if (b !== undefined && around) assert.ok(around.b !== undefined);
        above.push({ ...(a !== undefined && { a }), ...(b !== undefined && { b }) });
      }
      const { same, differing, onlyA, onlyB } = answer.counts;
      assert.equal(same + differing + onlyA, inA.length);
      assert.equal(same + differing + onlyB, inB.length);
    }),
    propertyRuns(),
  );
});

test('[AN20] a task and its copy differ in nothing', async () => {
  await fc.assert(
    fc.asyncProperty(tasks(false), async (steps) => {
      const answer = await new PlannedTasks().add('A', steps).add('B', steps).compare('A', 'B');
      assert.deepEqual(
        rowsOf(answer),
        flat(steps).map(({ n }) => `${n}=${n}`),
      );
      assert.equal(answer.firstDivergence, undefined);
      assert.equal(answer.counts.same, flat(steps).length);
      const alone = await new PlannedTasks().add('A', steps).compare('A', 'A');
      assert.deepEqual(alone.counts, answer.counts, 'nor a task and itself');
    }),
    propertyRuns(),
  );
});

test('[AN20] the answer for b and a is that for a and b with the sides changed', async () => {
  await fc.assert(
    fc.asyncProperty(tasks(false), tasks(false), async (one, other) => {
      const planned = new PlannedTasks().add('A', one).add('B', other);
      const answer = await planned.compare('A', 'B');
      const back = await planned.compare('B', 'A');
      assert.deepEqual(comparable(back), comparable(mirrored(answer)));
    }),
    propertyRuns(),
  );
});

const CHANGES: readonly (readonly [ComparedField, (step: Planned) => Planned])[] = [
  ['model', (step) => ({ ...step, model: 'another' })],
  ['agent', (step) => ({ ...step, agent: 'PlannerAgent' })],
  ['status', (step) => ({ ...step, status: 'SKIPPED' })],
  ['state', (step) => ({ ...step, state: 'ABANDONED' })],
  ['promptSummary', (step) => ({ ...step, promptSummary: 'another question' })],
  ['tokensIn', (step) => ({ ...step, tokensIn: 11 })],
  ['tokensOut', (step) => ({ ...step, tokensOut: 12 })],
  ['costUsd', (step) => ({ ...step, costUsd: 0.25 })],
  ['latencyMs', (step) => ({ ...step, latencyMs: 6 })],
  ...COMPARED_TEXTS.map(
    (field) =>
      [
        field,
        (step: Planned): Planned => ({ ...step, texts: { ...step.texts, [field]: 'other words' } }),
      ] as const,
  ),
];

test('[AN20] one changed field is told of its step, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(
      tasks(true),
      fc.nat(),
      fc.constantFrom(...CHANGES),
      async (steps, at, [field, change]) => {
        const all = flat(steps);
        const n = all[at % all.length]?.n ?? 0;
        const after = changed(steps, n, (step) => [change(step)]);
        const answer = await new PlannedTasks().add('A', steps).add('B', after).compare('A', 'B');
        assert.deepEqual(
          rowsOf(answer),
          all.map((step) => `${step.n}=${step.n}${step.n === n ? ` ${field}` : ''}`),
        );
        const isFigure = ['tokensIn', 'tokensOut', 'costUsd', 'latencyMs'].includes(field);
        assert.equal(
          answer.steps[answer.firstDivergence?.step ?? -1]?.a,
          isFigure ? undefined : idOf('A', n),
        );
      },
    ),
    propertyRuns(),
  );
});

test('[AN20] a step that was left out is told with what is inside it, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(tasks(true), fc.nat(), async (steps, at) => {
      const all = flat(steps);
      const left = all[at % all.length];
      assert.ok(left);
      const gone = new Set(flat([left]).map(({ n }) => n));
      const planned = new PlannedTasks().add('A', steps).add(
        'B',
        changed(steps, left.n, () => []),
      );
      assert.deepEqual(
        rowsOf(await planned.compare('A', 'B')),
        all.map(({ n }) => `${n}=${gone.has(n) ? '-' : n}`),
      );
      assert.deepEqual(
        rowsOf(await planned.compare('B', 'A')),
        all.map(({ n }) => `${gone.has(n) ? '-' : n}=${n}`),
      );
    }),
    propertyRuns(),
  );
});

test('[AN19] steps are put side by side by tool, agent and role, whatever else differs', async () => {
  const planned = new PlannedTasks()
    .add('A', [
      {
        n: 1,
        name: 'run 4711',
        inside: [
          { n: 2, type: 'LLM_CALL', name: 'chat m1', model: 'm1', title: 'I search' },
          { n: 3, type: 'TOOL_CALL', details: { toolName: 'search' }, title: 'search(Paris)' },
          { n: 4, type: 'TOOL_CALL', details: { toolName: 'fetch' } },
          { n: 5, name: 'review', agent: 'CriticAgent' },
        ],
      },
    ])
    .add('B', [
      {
        n: 1,
        name: 'another program',
        type: 'TEST_RUN',
        inside: [
          { n: 2, type: 'LLM_CALL', name: 'chat m2', model: 'm2', title: 'I look' },
          { n: 3, type: 'TOOL_CALL', details: { toolName: 'search' }, title: 'search(London)' },
          { n: 5, name: 'review', agent: 'JudgeAgent' },
        ],
      },
    ]);
  const answer = await planned.compare('A', 'B');
  assert.deepEqual(rowsOf(answer), ['1=1 type name', '2=2 name model', '3=3', '4=-', '5=5 agent']);
  assert.deepEqual(answer.models, { a: ['m1'], b: ['m2'] });
});

test('[AN20] markers of one kind are the same where they stand for the same within their text', async () => {
  const mail = (code: string) => `[EMAIL:${code.repeat(10)}]`;
  const steps = (first: string, second: string, third: string): readonly Planned[] => [
    {
      n: 1,
      type: 'LLM_CALL',
      title: `to ${mail(first)}`,
      promptSummary: mail(first),
      texts: { prompt: mail(second) },
    },
    { n: 2, type: 'LLM_CALL', texts: { prompt: `${mail(second)} and ${mail(third)}` } },
  ];
  const planned = new PlannedTasks()
    .add('A', steps('a', 'b', 'c'))
    .add('B', steps('d', 'e', 'f'))
    .add('C', steps('d', 'e', 'e'));
  assert.deepEqual(rowsOf(await planned.compare('A', 'B')), ['1=1', '2=2']);
  assert.deepEqual(rowsOf(await planned.compare('A', 'C')), ['1=1', '2=2 prompt']);
});

test('[AN21] the first divergence is the first in time: what a step gave comes after what is inside it', async () => {
  const run = (said: string, asked: string, ms: number): readonly Planned[] => [
    {
      n: 1,
      texts: { prompt: asked, completion: said },
      inside: [
        { n: 2, type: 'LLM_CALL', latencyMs: ms },
        { n: 3, type: 'LLM_CALL', title: 'I decide', texts: { completion: said } },
      ],
    },
  ];
  const planned = new PlannedTasks()
    .add('A', run('yes', 'may I?', 5))
    .add('B', run('no', 'may I?', 6))
    .add('C', run('no', 'can I?', 5))
    .add('D', run('yes', 'may I?', 7));
  const first = async (b: string): Promise<unknown> => (await planned.compare('A', b)).firstDivergence;
  assert.deepEqual(await first('B'), { step: 2, statement: 'CoderAgent: I decide: the completion differs' });
  assert.deepEqual(await first('C'), {
    step: 0,
    statement: 'CoderAgent: step 1: prompt and completion differ',
  });
  assert.equal(await first('D'), undefined, 'figures are no divergence');
});

test('[AN21] of agents side by side the one that parts first in time is named, whichever is read first', async () => {
  const at = (ms: number): string => new Date(Date.parse('2026-01-01T00:00:00Z') + ms).toISOString();
  const call = (n: number, ms: number, said: string): Planned => ({
    n,
    type: 'LLM_CALL',
    title: `call ${n}`,
    timestamp: at(ms),
    latencyMs: 10,
    texts: { completion: said },
  });
  const agent = (n: number, ms: number, inside: readonly Planned[]): Planned => ({
    n,
    agent: `agent ${n}`,
    timestamp: at(ms),
    inside,
  });
  const planned = new PlannedTasks()
    .add('A', [agent(1, 0, [call(2, 900, 'yes')]), agent(3, 1, [call(4, 200, 'yes'), call(5, 300, 'yes')])])
    .add('B', [agent(1, 0, [call(2, 900, 'no')]), agent(3, 1, [call(4, 200, 'no'), call(5, 300, 'yes')])])
    // It is slower by far, and does something that A did not do before the first call that differs.
    .add('C', [
      agent(1, 0, [call(2, 9_000, 'no')]),
      agent(3, 1, [call(6, 1_000, 'yes'), call(4, 2_000, 'no'), call(5, 3_000, 'yes')]),
    ]);
  const statement = async (a: string, b: string): Promise<string | undefined> =>
    (await planned.compare(a, b)).firstDivergence?.statement;
  assert.equal(await statement('A', 'B'), 'CoderAgent: call 4: the completion differs');
  assert.equal(await statement('A', 'C'), 'Only b has the step CoderAgent: call 6');
  assert.equal(await statement('C', 'A'), 'Only a has the step CoderAgent: call 6');
});

test('[AN21] outcome and totals of both tasks', async () => {
  const planned = new PlannedTasks()
    .add('A', [
      {
        n: 1,
        status: 'WARNING',
        inside: [
          { n: 2, status: 'ERROR', costUsd: 0.5 },
          { n: 3, status: 'ERROR' },
        ],
      },
    ])
    .add('B', [{ n: 1, costUsd: 0.25 }]);
  const { outcome, totals, firstDivergence } = await planned.compare('A', 'B');
  assert.deepEqual(outcome, { a: idOf('A', 3) });
  assert.deepEqual([totals.a.status, totals.a.costUsd, totals.a.errors], ['ERROR', 0.5, 2]);
  assert.deepEqual([totals.b.status, totals.b.costUsd, totals.b.nodes], ['OK', 0.25, 1]);
  assert.ok(firstDivergence);
});

test('[AN22] of many steps those that diverge are shown first, then those that differ; all are counted', async () => {
  const many = (ms: (n: number) => number): Planned[] =>
    Array.from({ length: 2_500 }, (_, n) => ({ n, type: 'LLM_CALL', title: `call ${n}`, latencyMs: ms(n) }));
  const planned = new PlannedTasks()
    .add(
      'A',
      many(() => 5),
    )
    .add('B', [
      ...many((n) => (n >= 1_000 && n < 1_900 ? 6 : 5)),
      { n: 3_000, type: 'TOOL_CALL', title: 'the last' },
    ]);
  const answer = await planned.compare('A', 'B');
  assert.equal(answer.steps.length, 1_000);
  assert.equal(answer.truncated, true);
  assert.deepEqual(answer.counts, { same: 1_600, differing: 900, onlyA: 0, onlyB: 1, textsCompared: 1_000 });
  assert.equal(answer.steps.filter(({ differs }) => differs.length > 0).length, 900);
  assert.deepEqual(answer.firstDivergence, {
    step: 999,
    statement: 'Only b has the step CoderAgent: the last',
  });
  assert.equal(answer.nodes.length, 1_999);
});

test('[AN22] large and deep tasks are compared in turns of the event loop, with the same answer', async () => {
  const nested = (depth: number): readonly Planned[] => {
    let inside: readonly Planned[] = [];
    for (let n = depth; n > 0; n--) inside = [{ n, inside }];
    return inside;
  };
  const flatly = Array.from({ length: 3_000 }, (_, i): Planned => ({
    n: 10_000 + i,
    title: `step ${i % 7}`,
  }));
  const planned = new PlannedTasks()
    .add('A', [...nested(3_000), ...flatly])
    .add('B', [...nested(2_000), ...flatly.toReversed()]);
  let turns = 0;
  const answer = await planned.compare(
    'A',
    'B',
    hurriedPace([5, 50, 500], () => turns++),
  );
  assert.ok(turns > 10);
  assert.deepEqual(answer, await planned.compare('A', 'B'));
  assert.ok(answer.counts.onlyA >= 1_000);
});

test('[AN20] a copy differs in nothing, also where steps begin in the same millisecond and have other ids', async () => {
  const calls = ['Paris', 'Oslo'].map((city, n) => ({
    n,
    type: 'TOOL_CALL' as const,
    name: 'get_weather',
    title: `get_weather(${city})`,
    timestamp: '2026-01-01T00:00:00.060Z',
    texts: { toolArguments: city },
  }));
  const copy = calls.map((step) => ({ ...step, n: 1 - step.n }));
  const { counts } = await new PlannedTasks().add('A', calls).add('B', copy).compare('A', 'B');
  assert.deepEqual(counts, { same: 2, differing: 0, onlyA: 0, onlyB: 0, textsCompared: 2 });
});

test('[AN20] of steps that look alike those are told that were left out, by what they gave', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.nat(40), { minLength: 2, maxLength: 12 }),
      fc.nat(),
      async (given, seed) => {
        const polls = given.map((n): Planned => ({
          n,
          type: 'TOOL_CALL',
          title: 'poll(job 1)',
          details: { toolName: 'poll' },
          texts: { toolArguments: 'job 1', toolResult: `${n} % done` },
        }));
        const isLeft = (i: number): boolean => (seed >> (i % 8)) % 2 === 0;
        const left = polls.filter((_, i) => !isLeft(i));
        fc.pre(left.length > 0);
        const planned = new PlannedTasks().add('A', polls).add('B', left);
        assert.deepEqual(
          rowsOf(await planned.compare('A', 'B')),
          polls.map(({ n }, i) => `${n}=${isLeft(i) ? '-' : n}`),
        );
      },
    ),
    propertyRuns(),
  );
});

test('[AN20] a step that two others contain is inside the inner one, whatever their ids', async () => {
  const run = (main: number, agent: number, fields: Partial<Planned>): readonly Planned[] => [
    {
      n: main,
      title: 'main',
      ...fields,
      inside: [{ n: agent, title: 'agent', ...fields, inside: [{ n: 3, title: 'call' }] }],
    },
  ];
  const depths = async (fields: Partial<Planned>): Promise<readonly number[]> => {
    const planned = new PlannedTasks().add('A', run(1, 2, fields)).add('B', run(2, 1, fields));
    for (const taskId of ['A', 'B']) {
      const to = idOf(taskId, 3);
      const edges = [1, 2].map((n): ExplanationEdge => {
        const from = idOf(taskId, n);
        const [relation, evidence] = ['NEXT_STEP', 'parentSpanId'] as const;
        return { id: edgeId(from, relation, to), from, to, relation, evidence };
      });
      planned.graph.putInEdges(to, edges);
    }
    const { counts, steps } = await planned.compare('A', 'B');
    assert.equal(counts.same, 3);
    return steps.map(({ depth }) => depth);
  };
  assert.deepEqual(await depths({}), [0, 1, 2]);
  // Of two that last equally long nothing but their words is left.
  await depths({ timestamp: '2026-01-01T00:00:00Z', latencyMs: 5 });
});
