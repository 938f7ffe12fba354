/** What a metric has to do with steps. */
export interface MetricClass {
  /**
   * `steps`: a state of the machine or program (CPU, memory, queue), which explains what ran at that time.
   * `wholes`: measurements of calls, made when a call has ended. A point within a call therefore tells of the calls
   * before it; so it belongs to the agent, chain or root around them.
   */
  readonly explains: 'steps' | 'wholes';
  /** Of the whole machine: it is joined to everything that runs on it, not only to the program that sent it. */
  readonly ofMachine: boolean;
  /** Lower ones are kept where a node has too many. */
  readonly rank: number;
}

/** Says of a metric, by its name, whether it is joined by resource and time; undefined: it explains no step. */
export type MetricMatcher = (name: string) => MetricClass | undefined;

/** Metrics that explain no step but were measured in it come after all others. */
export const UNCLASSIFIED_RANK = 9;

/** In the order in which they are tried; the first that matches decides. */
const CLASSES: readonly (readonly [name: RegExp, explains: MetricClass['explains'], rank: number])[] = [
  // hw.gpu.utilization, DCGM_FI_DEV_GPU_UTIL, gen_ai.server.gpu…, vllm:gpu_cache_usage_perc
  [/gpu|dcgm|nvidia|cuda/i, 'steps', 0],
  // nodejs.eventloop.delay.p99, v8js.gc.duration, jvm.gc.duration
  [/event_?loop|(?:^|[._])gc[._]/i, 'steps', 5],
  // system.cpu.utilization, process.cpu.time, container.cpu.usage, system.cpu.load_average.1m
  [/(?:^|[._])cpu(?:[._](?:utilization|usage|time|percent|load)|_seconds)|load_?average/i, 'steps', 1],
  // process.memory.usage, v8js.memory.heap.used, system.memory.utilization, jvm.memory.used
  [/memory|heap|(?:^|[._])rss(?:$|[._])|swap/i, 'steps', 2],
  // vllm:num_requests_waiting, messaging queue depth, queue wait time
  [/queue|waiting|backlog|pending/i, 'steps', 3],
  // gen_ai.client.token.usage, gen_ai.server.time_to_first_token, claude_code.token.usage, claude_code.cost.usage
  [/token|(?:^|[._])cost(?:$|[._])|ttft/i, 'wholes', 4],
  // gen_ai.client.operation.duration, http.client.request.duration, rpc latency
  [/duration|latency/i, 'wholes', 6],
];

/** Limits and sizes are the same for every step. */
const SETTING = /limit|capacity|total_size|frequency/i;

/** Host metrics receivers, GPU exporters and the kubelet send from elsewhere what happens on a machine. */
const OF_MACHINE = /^(?:system|hw|host|node|container|k8s|gpu|dcgm|nvidia)[._]/i;

/** The names of CPU, GPU, memory, queue, event loop, token, cost and latency metrics of the common senders. */
export const defaultMetrics: MetricMatcher = (name) => {
  if (SETTING.test(name)) return undefined;
  const found = CLASSES.find(([pattern]) => pattern.test(name));
  return found && { explains: found[1], rank: found[2], ofMachine: OF_MACHINE.test(name) };
};
