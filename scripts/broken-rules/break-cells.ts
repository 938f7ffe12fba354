import type { Break } from './breaks.ts';

const SETTINGS = ['src/config/gateway.test.ts'];
const SOURCES = ['src/gateway/cells/cell-addresses.test.ts'];

export const CELL_BREAKS: readonly Break[] = [
  {
    rule: 'CE1 one source',
    what: 'cells come from two places',
    file: 'src/config/keys/gateway.ts',
    from: 'if (given !== 1)',
    to: 'if (given < 1)',
    tests: SETTINGS,
  },
  {
    rule: 'CE1 role',
    what: 'cells of a service that is no gateway are accepted',
    file: 'src/config/cross-check.ts',
    from: "if (role === 'all' && gateway)",
    to: 'if (role !== role)',
    tests: SETTINGS,
  },
  {
    rule: 'CE2 no two alike',
    what: 'two cells have the same name',
    file: 'src/config/cells-schema.ts',
    from: "once('name', name, [index, 'name']);",
    to: '',
    tests: SETTINGS,
  },
  {
    rule: 'CE3 the token',
    what: 'the token of the gateway is shown',
    file: 'src/config/schema.ts',
    from: "{ gateway: ['token'] }",
    to: '{ gateway: [] }',
    tests: SETTINGS,
  },
  {
    rule: 'CE4 told once',
    what: 'the same list is told again',
    file: 'src/gateway/cells/cell-list.ts',
    from: 'if (JSON.stringify(cells) === JSON.stringify(this.cells)) return;',
    to: '',
    tests: SOURCES,
  },
  {
    rule: 'CE4 endpoints',
    what: 'cells on one machine have one endpoint',
    file: 'src/gateway/cells/cell-addresses.ts',
    from: '(uses.get(usual(cell)) === 1 ? usual(cell) : address)',
    to: 'usual(cell)',
    tests: SOURCES,
  },
  {
    rule: 'CE4 links',
    what: 'without events a file is never looked at again',
    file: 'src/gateway/cells/file-cells.ts',
    from: 'this.lookAfter(this.isStale ? SETTLE_MS : LOOK_EVERY_MS);',
    to: 'if (this.isStale) this.lookAfter(SETTLE_MS);',
    tests: SOURCES,
  },
  {
    rule: 'CE5 the last list stays',
    what: 'an empty answer of the DNS empties the list',
    file: 'src/gateway/cells/dns-cells.ts',
    from: "if (this.said.problem === undefined && typeof found !== 'string')",
    to: 'if (typeof found === "string") this.take([]);\n    else',
    tests: SOURCES,
  },
  {
    rule: 'CE5 said once',
    what: 'every failed look is logged',
    file: 'src/gateway/cells/said-once.ts',
    from: 'if (problem === this.current) return;',
    to: '',
    tests: SOURCES,
  },
  {
    rule: 'CE5 names',
    what: 'the DNS names a cell as it likes',
    file: 'src/gateway/cells/dns-cells.ts',
    from: '[...found].filter(isAddress)',
    to: '[...found]',
    tests: SOURCES,
  },
];
