import type { Break } from './breaks.ts';

const ACTS = ['test/e2e/gateway-acts.long.ts'];

/** What is done at a gateway. */
export const GATEWAY_ACT_BREAKS: readonly Break[] = [
  {
    rule: 'GP1 erase in every cell',
    what: 'a cell that did not erase is passed over',
    file: 'src/gateway/acts/erase-at-cells.ts',
    from: 'if (refused.length > 0) {',
    to: 'if (refused.length > 1_000) {',
    tests: ACTS,
  },
  {
    rule: 'GP2 told once',
    what: 'each cell tells of the same interrupt',
    file: 'src/gateway/acts/control-at-cells.ts',
    from: 'frame.id === undefined || told.has(frame.id)',
    to: 'frame.id === undefined',
    tests: ACTS,
  },
  {
    rule: 'GP2 an id at all cells',
    what: 'each cell gives an interrupt an id of its own',
    file: 'src/gateway/acts/cell-acts.ts',
    from: "return given['id'] === undefined ? { ...given, id: randomUUID() } : given;",
    to: 'return given;',
    tests: ACTS,
  },
  {
    rule: 'GP3 an approval is asked for where its task is',
    what: 'it goes by the name of the task',
    file: 'src/gateway/acts/approvals-at-cells.ts',
    from: 'const cell = known ?? this.cellOf(',
    to: 'const cell = this.cellOf(',
  },
  {
    rule: 'GP4 the cell that has it',
    what: 'the caller is not named: the cell does not know who asks',
    file: 'src/gateway/acts/cell-acts.ts',
    from: '...onBehalfOf(by),',
    tests: ACTS,
  },
  {
    rule: 'GP5 tools of MCP',
    what: 'tools are offered that nobody answers',
    file: 'src/servers/http/mcp/answer.ts',
    from: 'allows(principal.roles, needs) && (hasAdaptations || !ofAdaptations)',
    to: 'allows(principal.roles, needs) && (hasAdaptations || ofAdaptations || !ofAdaptations)',
    tests: ACTS,
  },
  {
    rule: 'GP6 what a gateway has not',
    what: 'it does not say what to do',
    file: 'src/service/gateway/no-adaptations.ts',
    from: 'a gateway has no adaptations: ask a cell at its own port, and',
    to: 'a gateway has no adaptations,',
    tests: ACTS,
  },
];
