import { fileURLToPath } from 'node:url';
import { credentials, loadPackageDefinition, status } from '@grpc/grpc-js';
import type { Client, ClientReadableStream, ServiceClientConstructor, ServiceError } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { compareOf, patternsOf, whyOf } from '../../src/client/grpc-messages.ts';
import type { CompareAnswer } from '../../src/model/compare.ts';
import type { PatternsAnswer } from '../../src/model/patterns.ts';
import type { ExplanationGraph, ExplanationNode } from '../../src/model/node.ts';
import { fromStruct, type StructMessage } from '../../src/base/struct.ts';
import type { NodeDetail, ServerFrame } from '../../src/model/reader-messages.ts';
import type { TaskOverview } from '../../src/model/task-overview.ts';
import type { TaskSummary } from '../../src/model/summary.ts';
import type { SpikesAnswer, WhyAnswer } from '../../src/model/why.ts';
import { FrameQueue, ReaderError, type ClientSubscription, type ReaderClient } from './reader-client.ts';

type Fields = Readonly<Record<string, unknown>>;
type Message = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any

const PROTO = fileURLToPath(new URL('../../proto/explain/v1/explain.proto', import.meta.url));
const definition = loadSync(PROTO, {
  longs: Number,
  defaults: false,
  arrays: true,
  oneofs: false,
  enums: String,
});
const ExplainService = (
  loadPackageDefinition(definition) as unknown as {
    explain: { v1: { ExplainService: ServiceClientConstructor } };
  }
).explain.v1.ExplainService;

interface Address {
  readonly host: string;
  readonly port: number;
}

export async function connectGrpc({ host, port }: Address): Promise<ReaderClient> {
  const client = new ExplainService(`${host}:${port}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': 256 * 1024 * 1024,
  });
  await new Promise<void>((resolve, reject) =>
    client.waitForReady(Date.now() + 60_000, (error) => (error ? reject(error) : resolve())),
  );
  return new GrpcClient(client);
}

class GrpcClient implements ReaderClient {
  private readonly client: Client;
  private readonly calls = new Set<ClientReadableStream<Message>>();
  readonly flow = {
    pause: () => this.calls.forEach((call) => call.pause()),
    resume: () => this.calls.forEach((call) => call.resume()),
  };

  constructor(client: Client) {
    this.client = client;
  }

  subscribe(request: Fields, requestId?: string): Promise<ClientSubscription> {
    const method = Reflect.get(this.client, 'Subscribe') as (
      message: object,
    ) => ClientReadableStream<Message>;
    const call = method.call(this.client, { ...request, requestId });
    const frames = new FrameQueue();
    this.calls.add(call);
    return new Promise((resolve, reject) => {
      let subscriptionId = request['subscriptionId'] as string | undefined;
      const stands = () => subscriptionId !== undefined && resolve({ subscriptionId, frames });
      call.on('metadata', () => stands());
      call.on('data', (message: Message) => {
        const frame = frameOf(message);
        frames.push(frame);
        subscriptionId ??= frame.subscriptionId;
        stands();
      });
      call.on('error', (error: ServiceError) => {
        frames.endReason = error.details;
        reject(readerError(error));
      });
      call.on('end', () => {
        frames.endReason ??= 'ended';
        this.calls.delete(call);
      });
    });
  }

  async updateFilters(subscriptionId: string, filters: object) {
    await this.call('UpdateFilters', { subscriptionId, filters });
  }

  async expand(subscriptionId: string, nodeId: string) {
    await this.call('Expand', { subscriptionId, nodeId });
  }

  async collapse(subscriptionId: string, nodeId: string) {
    await this.call('Collapse', { subscriptionId, nodeId });
  }

  async expandTask(subscriptionId: string, taskId: string) {
    await this.call('ExpandTask', { subscriptionId, taskId });
  }

  async unsubscribe(subscriptionId: string) {
    await this.call('Unsubscribe', { subscriptionId });
  }

  async getGraph(request: object): Promise<ExplanationGraph> {
    return graphOf((await this.call('GetGraph', request))['graph']);
  }

  async getNode(nodeId: string): Promise<NodeDetail> {
    const { node, attributes, members, memberEdges, ...rest } = await this.call('GetNode', { nodeId });
    const spans = Object.entries(attributes as Record<string, StructMessage>);
    return {
      ...rest,
      node: nodeOf(node),
      ...(spans.length > 0 && {
        attributes: Object.fromEntries(spans.map(([id, value]) => [id, fromStruct(value)])),
      }),
      ...(members.length > 0 && { members: members.map(nodeOf), memberEdges }),
    };
  }

  async listTasks(): Promise<readonly TaskOverview[]> {
    return (await this.call('ListTasks', {}))['tasks'] as TaskOverview[];
  }

  async why(asked: string | { readonly taskId: string }): Promise<WhyAnswer> {
    return whyOf(await this.call('Why', typeof asked === 'string' ? { nodeId: asked } : asked));
  }

  async spikes(taskId?: string): Promise<SpikesAnswer> {
    return (await this.call('Spikes', { taskId })) as SpikesAnswer;
  }

  async compare(a: string, b: string): Promise<CompareAnswer> {
    return compareOf(await this.call('Compare', { a, b }));
  }

  async patterns(filters: object): Promise<PatternsAnswer> {
    return patternsOf(await this.call('Patterns', { filters }));
  }

  async summary(taskId: string): Promise<TaskSummary> {
    return (await this.call('Summary', { taskId })) as TaskSummary;
  }

  async disconnect(): Promise<void> {
    for (const call of this.calls) call.cancel();
    this.client.close();
  }

  private call(name: string, request: object): Promise<Message> {
    const method = Reflect.get(this.client, name) as (
      request: object,
      callback: (error: ServiceError | null, response: Message) => void,
    ) => void;
    return new Promise((resolve, reject) =>
      method.call(this.client, request, (error, response) =>
        error ? reject(readerError(error)) : resolve(response),
      ),
    );
  }
}

function readerError(error: ServiceError): ReaderError {
  return new ReaderError(status[error.code] ?? String(error.code), error.details);
}

function frameOf(message: Message): ServerFrame {
  if (message['subscribed']) {
    const { graph, ...rest } = message['subscribed'];
    return { type: 'subscribed', sequence: 0, ...rest, graph: graphOf(graph) };
  }
  if (message['resumed']) return { type: 'resumed', sequence: 0, ...message['resumed'] };
  if (message['update']) {
    const { update, ...rest } = message['update'];
    return {
      type: 'update',
      sequence: 0,
      ...rest,
      update: { ...update, addedNodes: update.addedNodes.map(nodeOf) },
    };
  }
  return { type: 'snapshotNeeded', ...message['snapshotNeeded'] };
}

function graphOf(graph: Message): ExplanationGraph {
  return { ...graph, nodes: graph['nodes'].map(nodeOf) } as ExplanationGraph;
}

function nodeOf(node: Message): ExplanationNode {
  const { details, ...rest } = node;
  return (details === undefined ? rest : { ...rest, details: fromStruct(details) }) as ExplanationNode;
}
