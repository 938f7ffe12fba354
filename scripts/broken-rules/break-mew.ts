import type { Break } from './breaks.ts';

const E2E = ['test/e2e/mew.test.ts'];

/** What comes as MEW. */
export const MEW: readonly Break[] = [
  {
    rule: 'MW2 ids within a space',
    what: 'a message is known without its space and task',
    file: 'src/receivers/mew/mew-ids.ts',
    from: "return digest(['mew', namedTask ?? '', space, id, what])",
    to: "return digest(['mew', id, what, ...(namedTask === space ? [space] : [])])",
    tests: E2E,
  },
  {
    rule: 'MW3 a context ends',
    what: 'a conclusion does not end its context',
    file: 'src/receivers/mew/mew-records.ts',
    from: "if (kind === 'reasoning/conclusion') yield* about.end",
    to: "if (kind === 'reasoning/start') yield* about.end",
    tests: E2E,
  },
];
