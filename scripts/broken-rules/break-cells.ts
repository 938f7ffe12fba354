import type { Break } from './breaks.ts';

const SETTINGS = ['src/config/gateway.test.ts'];

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
];
