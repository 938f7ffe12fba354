import fc from 'fast-check';
import type { Filters } from '../../src/model/filters.ts';
import type { ExplanationNode } from '../../src/model/node.ts';

export interface FilterOracle<Asked> {
  /** What readers ask for, of what the records of world.ts and crowd.ts tell. */
  readonly asked: fc.Arbitrary<Asked>;
  /** Worked out apart from the service. */
  readonly matches: (asked: Asked, node: ExplanationNode) => boolean;
  /** Hides some of the steps of test/reader-contract/filters.test.ts, and shows some. */
  readonly example: Asked;
  /** What is refused, and in which words. */
  readonly wrong: readonly [asked: unknown, problem: RegExp];
}

const plain = (name: string): string => name.toLowerCase().replaceAll('-', '').replaceAll('_', '');
const some = <T>(...values: T[]): fc.Arbitrary<T[]> => fc.subarray(values, { minLength: 1 });

/** Every filter there is. */
export const FILTER_ORACLES: {
  readonly [Name in keyof Filters]-?: FilterOracle<NonNullable<Filters[Name]>>;
} = {
  agentNames: {
    asked: some('CoderAgent', 'critic-agent', 'svc', 'ModelAdapter'),
    matches: (names, node) => names.some((name) => plain(name) === plain(node.agent)),
    example: ['critic-agent', 'nobody'],
    wrong: [['x'.repeat(1025)], /is longer than 1024 characters/],
  },
  nodeTypes: {
    asked: some('LLM_CALL', 'OTHER', 'STATIC_ANALYSIS', 'MODEL_SWITCH'),
    matches: (types, node) => types.includes(node.type),
    example: ['STATIC_ANALYSIS'],
    wrong: [['LLM_CALL', 'LLM'], /must be one of LLM_CALL, /],
  },
  status: {
    asked: some('OK', 'ERROR'),
    matches: (words, node) => words.includes(node.status),
    example: ['ERROR', 'SKIPPED'],
    wrong: [['FINE'], /must be one of OK, ERROR, WARNING, SKIPPED/],
  },
  minCostUsd: {
    asked: fc.constantFrom(0, 0.01),
    matches: (least, { costUsd }) => costUsd !== undefined && costUsd >= least,
    example: 0.5,
    wrong: [-1, /must be a number of US dollars from 0, such as 0.01/],
  },
  minLatencyMs: {
    asked: fc.constantFrom(0, 2, 50),
    matches: (least, { latencyMs }) => latencyMs !== undefined && latencyMs >= least,
    example: 91,
    wrong: [-1, /must be a number of milliseconds from 0, such as 250/],
  },
  timeRange: {
    asked: fc
      .tuple(fc.integer({ min: -1, max: 20 }), fc.integer({ min: 0, max: 20 }))
      .map(([from, ms]) => ({ start: iso(from), end: iso(from + ms) })),
    matches: ({ start, end }, { timestamp }) => start <= timestamp && timestamp <= end,
    example: { start: '2025-06-20T14:00:02.000Z', end: '2025-06-20T14:00:03.000Z' },
    wrong: [{ start: 'yesterday', end: 'today' }, /must be an ISO 8601 time/],
  },
  taskIds: {
    asked: some('t1', 't2', 's1', 'a'.repeat(32)),
    matches: (ids, node) => ids.includes(node.taskId),
    example: ['task-2'],
    wrong: [Array.from({ length: 1001 }, () => 'x'), /has more than 1000 values/],
  },
  traceIds: {
    asked: some('a'.repeat(32), 'B'.repeat(32)),
    matches: (ids, { details }) => ids.some((id) => id.toLowerCase() === details?.['traceId']),
    example: ['2'.padStart(32, '0')],
    wrong: [['x', 'x'.repeat(1025)], /is longer than 1024 characters/],
  },
  sessionIds: {
    asked: some('s1', 's2', 's3'),
    matches: (ids, { details }) => ids.some((id) => id === details?.['sessionId']),
    example: ['session-1', 'session-2'],
    wrong: [['x'.repeat(1025)], /is longer than 1024 characters/],
  },
  reasoningKinds: {
    asked: some('thought', 'start', 'reasoning/conclusion'),
    matches: (kinds, { details }) =>
      kinds.some((kind) => kind.replace('reasoning/', '') === details?.['reasoningKind']),
    example: ['start', 'reasoning/conclusion'],
    wrong: [['x'.repeat(1025)], /is longer than 1024 characters/],
  },
  contextPaths: {
    asked: some('m1', 'm1/m2', 'm', '/m2/m1/', ''),
    matches: (paths, { details }) =>
      paths.some((path) => {
        const bare = path.replace(/^\/|\/$/g, '');
        return bare !== '' && `${details?.['contextPath'] as string}/`.startsWith(`${bare}/`);
      }),
    example: ['r1'],
    wrong: [['x'.repeat(1025)], /is longer than 1024 characters/],
  },
  text: {
    asked: fc.constantFrom('', 'STEP', 'thought 1', 'zzz'),
    matches: (text, node) =>
      [
        node.name,
        node.title,
        node.agent,
        node.model,
        node.promptSummary,
        ...Object.values(node.details ?? {}),
      ].some((field) => typeof field === 'string' && field.toLowerCase().includes(text.toLowerCase())),
    example: 'REVIEW',
    wrong: ['x'.repeat(1025), /must be a string of at most 1024 characters/],
  },
};

/** Milliseconds after the start of the worlds of test/support/world.ts. */
function iso(ms: number): string {
  return new Date(1_750_000_000_000 + ms).toISOString();
}

/** Few at a time, so that something is shown. */
export const filtersArbitrary = fc.record(
  Object.fromEntries(
    Object.entries(FILTER_ORACLES).map(([name, { asked }]) => [
      name,
      fc.oneof(
        { weight: 3, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: asked as fc.Arbitrary<unknown> },
      ),
    ]),
  ),
) as fc.Arbitrary<Filters>;

/** By the rule: all that are given. */
export function matchesOracle(filters: Filters, node: ExplanationNode): boolean {
  return Object.entries(filters).every(
    ([name, asked]) =>
      asked === undefined ||
      (FILTER_ORACLES[name as keyof Filters] as FilterOracle<unknown>).matches(asked, node),
  );
}
