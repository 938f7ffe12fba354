import type { Break } from './breaks.ts';

const PLACES = ['test/ui/place.test.ts'];

/** Where the page puts cards and arrows. */
export const PAGE: readonly Break[] = [
  {
    rule: 'UI8 no arrow runs behind a card',
    what: 'it stays in its row whatever stands there',
    file: 'ui/views/graph/edge-route.ts',
    from: 'return (cols[low] ?? to) >= to;',
    to: 'return true;',
    tests: ['test/ui/edge-route.test.ts'],
  },
  {
    rule: 'UI8 what led to a container stands before all that it holds',
    what: 'it led to the container alone',
    file: 'ui/layout/graph-reading.ts',
    from: 'if (node && isContainer(node, records)) left.push(from);',
    to: 'if (node && isContainer(node, records)) continue;',
    tests: PLACES,
  },
  {
    rule: 'UI8 a query that is known later stands left of the first column',
    what: 'it stands below the first step',
    file: 'ui/layout/place.ts',
    from: 'return Math.min(0, first - 1);',
    to: 'return 0;',
    tests: PLACES,
  },
];
