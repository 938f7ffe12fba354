import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../src/config/load-config.ts';
import type { ExplanationGraph } from '../../../src/model/node.ts';
import type { NodeDetail } from '../../../src/model/reader-messages.ts';
import type { TaskOverview } from '../../../src/model/task-overview.ts';
import type { WhyAnswer } from '../../../src/model/why.ts';
import { BUILTIN_RULES } from '../../../src/redaction/rules/builtin.ts';
import { checkUserPattern } from '../../../src/redaction/user-patterns.ts';
import { startService } from '../../../src/service/service.ts';
import type { Logger } from '../../../src/telemetry/logger.ts';

/** Longer than any recording takes; a service that hangs must not hang its test. */
const ANSWER_TIMEOUT_MS = 20_000;

/** The real service on free ports, keeping nothing on disk, and what a sender and a reader do over HTTP. */
export interface LiveService {
  /** Where it takes OTLP over HTTP: `host:port`. */
  readonly otlpHttp: string;
  /** @returns what is wrong with the answer; undefined when all was accepted */
  send(
    body: Uint8Array,
    contentType: 'application/json' | 'application/x-protobuf',
    signal?: 'traces' | 'logs',
  ): Promise<string | undefined>;
  /** Every node of these traces, or of all. */
  graph(traceIds?: Iterable<string>): Promise<ExplanationGraph>;
  /** A node with its texts. */
  node(nodeId: string): Promise<NodeDetail>;
  tasks(): Promise<readonly TaskOverview[]>;
  why(question: { readonly nodeId: string } | { readonly taskId: string }): Promise<WhyAnswer>;
  /** What a reader sees of a task by default. */
  defaultView(taskId: string): Promise<ExplanationGraph>;
  /** Messages logged as errors since the last call. */
  takeErrors(): readonly string[];
  stop(): Promise<void>;
}

export async function startLiveService(): Promise<LiveService> {
  const errors: string[] = [];
  const logger: Logger = {
    debug() {},
    info() {},
    warn() {},
    error: (_fields, message) => void errors.push(message),
  };
  const loaded = loadConfig({
    argv: ['--port=0', '--otlp-grpc-port=0', '--otlp-http-port=0', '--durability=memory'],
    env: {},
    // A home that is not there: the settings of whoever runs this must not matter.
    homeDir: join(tmpdir(), randomUUID()),
    checkPattern: checkUserPattern,
    ruleNames: BUILTIN_RULES.map((rule) => rule.id),
  });
  if (!loaded.ok)
    throw new Error(loaded.problems.map(({ path, message }) => `${path}: ${message}`).join('; '));
  const service = await startService({ config: loaded.config, env: {}, version: 'test', logger });
  const { otlpHttp, readers } = service.addresses;
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://${readers.host}:${readers.port}${path}`, {
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
    return response.json();
  };
  return {
    otlpHttp: `${otlpHttp.host}:${otlpHttp.port}`,
    send: (body, contentType, signal = 'traces') =>
      post(`http://${otlpHttp.host}:${otlpHttp.port}/v1/${signal}`, body, contentType),
    graph: async (traceIds) => {
      const query = new URLSearchParams({ collapse: 'none' });
      if (traceIds) query.set('traceIds', [...traceIds].join(','));
      return (await ask(`/api/graph?${query.toString()}`)) as ExplanationGraph;
    },
    node: async (nodeId) => (await ask(`/api/nodes/${encodeURIComponent(nodeId)}`)) as NodeDetail,
    tasks: async () => ((await ask('/api/tasks')) as { readonly tasks: readonly TaskOverview[] }).tasks,
    why: async (question) => (await ask(`/api/why?${new URLSearchParams(question).toString()}`)) as WhyAnswer,
    defaultView: async (taskId) =>
      (await ask(`/api/graph?${new URLSearchParams({ taskIds: taskId }).toString()}`)) as ExplanationGraph,
    takeErrors: () => errors.splice(0),
    stop: () => service.stop('done'),
  };
}

async function post(url: string, body: Uint8Array, contentType: string): Promise<string | undefined> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': contentType },
    body: Buffer.from(body),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  const answer = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) return `${contentType} was answered ${response.status}`;
  // An empty ExportTraceServiceResponse has no bytes in protobuf: what is there is a partial success.
  const isWhole = contentType === 'application/json' ? isEmptyJson(answer) : answer.length === 0;
  return isWhole ? undefined : `${contentType} was accepted in part only`;
}

function isEmptyJson(answer: Buffer): boolean {
  const { partialSuccess } = JSON.parse(answer.toString()) as { partialSuccess?: object };
  return partialSuccess === undefined || Object.keys(partialSuccess).length === 0;
}
