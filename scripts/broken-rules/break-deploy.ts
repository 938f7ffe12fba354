import type { Break } from './breaks.ts';

const CONFIGS = ['test/deploy/collector-configs.test.ts'];

export const DEPLOY_BREAKS: readonly Break[] = [
  {
    rule: 'CT8 one queue',
    what: 'cells have queues of their own, in memory',
    file: 'config/otel-collector/cells.yaml',
    from: '        sending_queue:\n          enabled: false',
    to: '        sending_queue:\n          enabled: true',
    tests: CONFIGS,
  },
  {
    rule: 'CT8 for ever',
    what: 'what a cell has not taken is given up after five minutes',
    file: 'config/otel-collector/cells.yaml',
    from: 'max_elapsed_time: 0s',
    to: 'max_elapsed_time: 300s',
    tests: CONFIGS,
  },
];
