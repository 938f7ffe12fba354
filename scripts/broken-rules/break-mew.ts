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
    from: "if (kind === 'reasoning/conclusion') yield about.end",
    to: "if (kind === 'reasoning/start') yield about.end",
    tests: E2E,
  },
  {
    rule: 'MW6 who asks to stop',
    what: 'a cancel leads from its context like any step',
    file: 'src/receivers/mew/mew-records.ts',
    from: "? 'USER_ACTION'",
    to: "? 'NEXT_STEP'",
    tests: E2E,
  },
  {
    rule: 'MW8 a gateway names the sender',
    what: 'a message is from whoever it says',
    file: 'src/receivers/mew/mew-receiver.ts',
    from: 'return { ...envelope, from: participant, claimedFrom: from };',
    to: 'return { ...envelope, claimedFrom: from };',
    tests: E2E,
  },
  {
    rule: 'MW8 who joins',
    what: 'lines with which participants join are read',
    file: 'src/model/mew-history.ts',
    from: "return type === 'join' || kind === 'system/join';",
    to: "return type === 'joins' || kind === 'system/join';",
    tests: E2E,
  },
  {
    rule: 'MW9 who leaves',
    what: 'reasoning of who left goes on',
    file: 'src/receivers/mew/open-contexts.ts',
    from: "payload['event'] !== 'leave'",
    to: "payload['event'] !== 'left'",
    tests: E2E,
  },
  {
    rule: 'MW12 a thought told twice',
    what: 'a message does not know the frame that told its thought',
    file: 'src/receivers/mew/twice-told.ts',
    from: 'return told.inMessages <= told.inFrames ?',
    to: 'return told.inMessages < told.inFrames ?',
    tests: ['test/e2e/mew-gateway.test.ts'],
  },
  {
    rule: 'MW13 a gateway that is away',
    what: 'each try is said',
    file: 'src/receivers/mew/participant.ts',
    from: 'const isNews = this.problemNow === undefined;',
    to: 'const isNews = reason.length > 0;',
    tests: ['src/receivers/mew/participant.test.ts'],
  },
  {
    rule: 'MW15 refusals',
    what: 'refusals of what others sent are told as its own',
    file: 'src/receivers/mew/stop-requests.ts',
    from: 'if (ids !== undefined && own.length === 0) return;',
    to: 'if (ids !== undefined && own.length > 1) return;',
    tests: ['src/receivers/mew/participant.test.ts'],
  },
];
