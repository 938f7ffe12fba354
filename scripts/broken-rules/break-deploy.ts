import { inTests } from './in-tests.ts';

const CHART = ['test/deploy/chart.test.ts'];
const COMPOSE = ['test/deploy/compose.test.ts'];
const CONFIGS = ['test/deploy/collector-configs.test.ts'];

export const DEPLOY_BREAKS = inTests(CONFIGS, [
  {
    rule: 'CT8 one queue',
    what: 'cells have queues of their own, in memory',
    file: 'config/otel-collector/cells.yaml',
    from: '        sending_queue:\n          enabled: false',
    to: '        sending_queue:\n          enabled: true',
  },
  {
    rule: 'CT8 log records',
    what: 'log records are shared out by the digits of their trace id',
    file: 'config/otel-collector/cells.yaml',
    from: '    logs:\n      receivers: [otlp]\n      processors: [memory_limiter]\n      exporters: [otlp_grpc/gateway]',
    to: '    logs:\n      receivers: [otlp]\n      processors: [memory_limiter]\n      exporters: [load_balancing]',
  },
  {
    rule: 'CT8 the port',
    what: 'the ring of a Collector that finds cells by name is made of addresses without their port',
    file: 'config/otel-collector/cells-dns.yaml',
    from: "        port: '${env:EXPLAIN_CELLS_PORT:-4317}'\n",
  },
  {
    rule: 'CT8 for ever',
    what: 'what a cell has not taken is given up after five minutes',
    file: 'config/otel-collector/cells.yaml',
    from: 'max_elapsed_time: 0s',
    to: 'max_elapsed_time: 300s',
  },
  {
    rule: 'DP2 the version',
    what: 'the chart has another Collector than the one that is tried',
    file: 'charts/explainability-agent/values.yaml',
    from: 'tag: 0.162.0',
    to: 'tag: 0.161.0',
    tests: CHART,
  },
  {
    rule: 'DP3 the schema',
    what: 'a value that the schema does not know',
    file: 'charts/explainability-agent/values.yaml',
    from: 'serviceAccount:\n',
    to: 'serviceAccount:\n  create: true\n',
    tests: CHART,
  },
  {
    rule: 'DP4 the same names',
    what: 'the Collector knows a cell by another name than the gateway',
    file: 'docker-compose.cells.yml',
    from: "'[127.0.0.1:4400, 127.0.0.1:4401, 127.0.0.1:4402]'",
    to: "'[127.0.0.1:4400, 127.0.0.1:4401, 127.0.0.1:4403]'",
    tests: COMPOSE,
  },
  {
    rule: 'DP4 the settings',
    what: 'a gateway without its cells',
    file: 'docker-compose.cells.yml',
    from: 'EXPLAINABILITY_AGENT_ROLE: gateway',
    to: 'EXPLAINABILITY_AGENT_ROLE: all',
    tests: COMPOSE,
  },
  {
    rule: 'DP4 who has the token reads',
    what: 'cells ask for a token that the gateway does not have',
    file: 'docker-compose.cells.yml',
    from: '  EXPLAINABILITY_AGENT_HOST: 127.0.0.1\n',
    to: '  EXPLAINABILITY_AGENT_HOST: 127.0.0.1\n  EXPLAINABILITY_AGENT_AUTH: \'{"token": "of-the-cells-alone"}\'\n',
    tests: ['test/deploy/compose.long.ts'],
  },
]);
