/**
 * Every instrument of the service, declared once. In the Prometheus text a dot becomes `_` and a counter gets
 * `_total`; a unit stays out of the name and is told in a `# UNIT` line: `explain.node_created` is
 * `explain_node_created_total`, `explain.graph_update_latency` is `explain_graph_update_latency_bucket`, `_sum`
 * and `_count`, in milliseconds.
 */
export interface Instrument {
  readonly name: `explain.${string}`;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** UCUM; in braces what is counted. */
  readonly unit: string;
  readonly description: string;
}

export const COUNTERS = {
  nodesCreated: counter('explain.node_created', '{node}', 'Nodes added to the graph'),
  edgesCreated: counter('explain.edge_created', '{edge}', 'Edges added to the graph'),
  redactions: counter('explain.pii_redactions', '{item}', 'Private items redacted, by rule'),
  redactionErrors: counter('explain.redaction_errors', '{field}', 'Fields withheld because redaction failed'),
  recordsAccepted: counter('explain.records_accepted', '{record}', 'Records taken in, by signal'),
  recordsRejected: counter('explain.records_rejected', '{record}', 'Records refused, by signal and reason'),
  textsCut: counter('explain.texts_cut', '{text}', 'Texts of records cut at 262,144 characters, by signal'),
  cyclesAvoided: counter(
    'explain.cycles_avoided',
    '{edge}',
    'Edges left out because they would close a cycle',
  ),
  nodesEvicted: counter('explain.nodes_evicted', '{node}', 'Nodes that left memory, by reason'),
  updatesMerged: counter('explain.updates_merged', '{update}', 'Updates merged for slow or absent readers'),
  snapshotsNeeded: counter('explain.snapshots_needed', '{frame}', 'Readers told to take a fresh snapshot'),
  tasksDeleted: counter(
    'explain.store_tasks_deleted',
    '{task}',
    'Tasks deleted from the store, by reason: limit (maxStoreBytes), retention (persistRetentionDays)',
  ),
  spansForwarded: counter('explain.spans_forwarded', '{span}', 'Spans sent on to the receiver of `forward`'),
  forwardDropped: counter(
    'explain.forward_dropped',
    '{span}',
    'Spans not sent on, by reason: refused by the receiver, full (too many tasks wait for it), stopped (before it took them)',
  ),
  mewSaid: counter('explain.mew_said', '{message}', 'Messages said in the space of MEW that `mew` joins'),
  mewUnsaid: counter(
    'explain.mew_unsaid',
    '{message}',
    'Messages of MEW that were not said, by reason: full (the gateway is away or slow), forbidden (by a capability), stopped',
  ),
  requestsRefused: counter(
    'explain.requests_refused',
    '{request}',
    'OTLP requests told to wait because maxInflightBytes are being worked on',
  ),
  guardsFired: counter(
    'explain.guards_fired',
    '{firing}',
    'Guards that fired, by guard and action: warn, interrupt, dry_run',
  ),
  interruptsRefused: counter(
    'explain.interrupts_refused',
    '{interrupt}',
    'Interrupts that were refused, by reason: capability (the key may not interrupt that agent), rate (one asker asks too often)',
  ),
  limitsRefused: counter(
    'explain.limits_refused',
    '{request}',
    'Requests, subscriptions and connections beyond the limits of a key, by what was too much',
  ),
} as const;

/** Gauges whose values other parts know; `OwnTelemetry.observe` connects them. */
export const PART_GAUGES = {
  nodesInMemory: gauge('explain.nodes_in_memory', '{node}', 'Nodes held in memory'),
  subscriptions: gauge('explain.subscriptions', '{subscription}', 'Open subscriptions'),
  memoryBytes: gauge('explain.memory_estimated', 'By', 'Bytes that the graph holds in memory, by estimate'),
  memoryLimitBytes: gauge('explain.memory_limit', 'By', 'Bytes that the graph may hold: maxMemoryBytes'),
  storeRefusing: gauge(
    'explain.store_refusing',
    '1',
    '1 while the store cannot be written, so that what is sent is refused; else 0',
  ),
  storeBytes: gauge('explain.store_bytes', 'By', 'Bytes of the files of the store'),
  updateLatencySlaMs: gauge(
    'explain.graph_update_latency_sla',
    'ms',
    'Time that an update may take: updateLatencySlaMs',
  ),
  openCotStreams: gauge('explain.cot_streams_open', '{stream}', 'Chains of thought that are still arriving'),
} as const;

/** By `state`, of a gateway; any other service has none of any state. `OwnTelemetry.observe` connects it. */
export const CELLS_GAUGE = gauge(
  'explain.cells',
  '{cell}',
  'Cells of a gateway, by state: unknown, well (and nothing odd), away, draining (its process ends), and by what is odd: not_ready, other_version, other_settings, clock_off, restarted_empty',
);

export const PROCESS_GAUGES = {
  heapUsed: gauge('explain.process_heap_used', 'By', 'Bytes of the JavaScript heap in use'),
  eventLoopDelay: gauge(
    'explain.event_loop_delay_p99',
    'ms',
    '99th percentile of the delay of the event loop since the last collection',
  ),
} as const;

export const HISTOGRAMS = {
  graphUpdateLatency: {
    name: 'explain.graph_update_latency',
    kind: 'histogram',
    unit: 'ms',
    description: 'Time from receiving a batch to its update being ready',
  },
} as const satisfies Record<string, Instrument>;

/** Milliseconds. Close together around the agreed 50 ms, so that a percentile near it can be read off. */
export const LATENCY_BUCKETS: readonly number[] = [
  0.5, 1, 2, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 60, 75, 100, 150, 250, 500, 1000, 2500, 5000,
];

export const ALL_INSTRUMENTS: readonly Instrument[] = [
  ...Object.values(COUNTERS),
  ...Object.values(PART_GAUGES),
  CELLS_GAUGE,
  ...Object.values(PROCESS_GAUGES),
  ...Object.values(HISTOGRAMS),
];

/** The values of attributes that are known beforehand: their counters are there from the start, at 0. */
export const SIGNALS: readonly string[] = ['span', 'cot', 'event', 'log', 'metric'];
export const EVICTION_REASONS: readonly string[] = ['ttl', 'memory', 'prune'];
export const LIMITED = ['requests', 'bytes', 'spans', 'thoughts', 'subscriptions', 'connections'] as const;
export type GuardAction = 'warn' | 'interrupt' | 'dry_run';
export const MEW_UNSAID = ['full', 'forbidden', 'stopped'] as const;
export const INTERRUPT_REFUSALS = ['capability', 'rate'] as const;
export type InterruptRefusal = (typeof INTERRUPT_REFUSALS)[number];

/** One cell may be counted by several. */
export const CELL_STATES = [
  'unknown',
  'well',
  'away',
  'draining',
  'not_ready',
  'other_version',
  'other_settings',
  'clock_off',
  'restarted_empty',
] as const;
export type CellCounts = Readonly<Record<(typeof CELL_STATES)[number], number>>;

export const FORWARD_DROPS = ['refused', 'full', 'stopped'] as const;
export const DELETION_REASONS: readonly string[] = ['limit', 'retention'];

function counter(name: Instrument['name'], unit: string, description: string): Instrument {
  return { name, kind: 'counter', unit, description };
}

function gauge(name: Instrument['name'], unit: string, description: string): Instrument {
  return { name, kind: 'gauge', unit, description };
}
