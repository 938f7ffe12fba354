import type { Break } from './breaks.ts';

const TABLE = ['test/e2e/access-table.test.ts'];
const KEYS = ['src/access/keys.test.ts'];

export const ACCESS: readonly Break[] = [
  {
    rule: 'AC4 rights',
    what: 'who sees may administer over HTTP',
    file: 'src/servers/http/http-api.ts',
    from: 'demand(principal, route.needs);',
    to: "demand(principal, route.needs === 'administer' ? 'see' : route.needs);",
    tests: TABLE,
  },
  {
    rule: 'AC4 rights',
    what: 'who sees may prune over the WebSocket',
    file: 'src/servers/websocket/connection.ts',
    from: 'demand(principal, VERB_NEEDS[verb]);',
    to: "demand(principal, VERB_NEEDS[verb] && 'see');",
    tests: TABLE,
  },
  {
    rule: 'AC4 rights',
    what: 'who sees may change adaptations over MCP',
    file: 'src/servers/http/mcp/answer.ts',
    from: 'demand(principal, needs);',
    to: "demand(principal, needs && 'see');",
    tests: TABLE,
  },
  {
    rule: 'AC6 ends',
    what: 'what is open by a revoked key stays open',
    file: 'src/access/keys.ts',
    from: "this.watchers.end(id, 'the key was revoked');",
    to: '',
    tests: KEYS,
  },
  {
    rule: 'AC7 asked for',
    what: 'without keys that are left everybody is let in again',
    file: 'src/access/keys.ts',
    from: 'return this.isFileThere;',
    to: 'return this.isFileThere && this.records.size > 0;',
    tests: KEYS,
  },
  {
    rule: 'AC7 asked for',
    what: 'what was open before the first key stays open',
    file: 'src/access/keys.ts',
    from: 'if (isFirst) this.watchers.end(',
    to: 'if (isFirst && false) this.watchers.end(',
    tests: KEYS,
  },
  {
    rule: 'AC9 slowed down',
    what: 'wrong tokens may be tried as fast as they come',
    file: 'src/access/wrong-tokens.ts',
    from: 'const AT_ONCE = 20;',
    to: 'const AT_ONCE = 20_000;',
    tests: KEYS,
  },
  {
    rule: 'AC9 slowed down',
    what: 'where a right token was shown others may be tried for ever',
    file: 'src/access/wrong-tokens.ts',
    from: 'return !isRepeated && !guesses.take();',
    to: 'return !isRepeated && !guesses.take() && false;',
    tests: KEYS,
  },
  {
    rule: 'AC9 slowed down',
    what: 'who sends the same wrong token again and again keeps others out',
    file: 'src/access/wrong-tokens.ts',
    from: 'const isRepeated = last.delete(digest);',
    to: 'const isRepeated = last.delete(digest) && false;',
    tests: KEYS,
  },
  {
    rule: 'AC9 slowed down',
    what: 'a token that cannot be guessed waits for those who guess',
    file: 'src/access/access.ts',
    from: 'if (holder?.isGuessable !== false && wrong',
    to: 'if (wrong',
    tests: KEYS,
  },
];
