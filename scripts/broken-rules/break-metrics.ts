import { inTests } from './in-tests.ts';

const METRICS = ['src/gateway/metrics/metrics.test.ts'];

/** Metrics of several processes. */
export const METRIC_BREAKS = inTests(METRICS, [
  {
    rule: 'GM1 one exposition',
    what: 'a series may come twice',
    file: 'src/gateway/metrics/exposition.ts',
    from: '|| seen.has(series)',
  },
  {
    rule: 'GM1 one exposition',
    what: 'a metric of two types is shown',
    file: 'src/gateway/metrics/exposition.ts',
    from: 'else if (known.type === family.type)',
    to: 'else',
  },
  {
    rule: 'GM2 a cell that does not answer',
    what: 'what it says of a failure is taken for its metrics',
    file: 'src/gateway/metrics/all-metrics.ts',
    from: 'answer?.status === 200 ?',
    to: 'answer ?',
  },
]);
