import { isObject, objectIn, type JsonObject } from '../base/json.ts';
import type { AnnotationState, NewAnnotation } from '../model/annotation.ts';
import type { CompareAnswer } from '../model/compare.ts';
import type { ExplanationGraph } from '../model/node.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { PatternsAnswer } from '../model/patterns.ts';
import type { Pruned } from '../model/pruned.ts';
import type { SearchPage, SearchQuery } from '../model/search.ts';
import type { TaskSummary } from '../model/summary.ts';
import type { TaskPage, TaskQuery } from '../model/task-query.ts';
import type { SpikesAnswer, WhyAnswer, WhyQuestion } from '../model/why.ts';
import { annotationOf, asGraph, badAnswer } from './check-shape.ts';
import { ClientError, type ClientCode } from './client-error.ts';
import { serviceError } from './incoming-frame.ts';
import { tlsProblem } from './tls-problem.ts';
import type { Timing } from './timing.ts';
import type { MembersPage } from './transport.ts';
import { graphQuery, type Filters, type ViewRequest } from './view-request.ts';

export interface HttpApiOptions {
  /** `http://host:port`. */
  readonly base: string;
  readonly token: string | undefined;
  readonly csrf?: (() => string | undefined) | undefined;
  readonly timing: Timing;
  readonly maxAnswerBytes: number;
  /** The global one if undefined. */
  readonly fetch: typeof fetch | undefined;
}

/** The service's HTTP API: the single answers. */
export class HttpApi {
  private readonly asking: HttpApiOptions;
  private readonly running = new Set<AbortController>();
  private closed = false;

  constructor(options: HttpApiOptions) {
    this.asking = options;
  }

  async getGraph(request: ViewRequest): Promise<ExplanationGraph> {
    assertWithoutCommas(request.filters);
    return asGraph(await this.ask(`/api/graph?${graphQuery(request).toString()}`));
  }

  async getNode(nodeId: string, page: MembersPage): Promise<NodeDetail> {
    const answer = await this.ask(`/api/nodes/${encodeURIComponent(nodeId)}${queryOf({ ...page })}`);
    if (!isObject(answer['node'])) throw badAnswer('a node without its fields');
    return answer as unknown as NodeDetail;
  }

  async findTasks({ taskIds, ...query }: TaskQuery): Promise<TaskPage> {
    assertWithoutCommas({ taskIds });
    const path = `/api/tasks${queryOf({ ...query, taskIds: taskIds?.join(',') })}`;
    return this.lists(path, 'a list of tasks without its fields', 'tasks');
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    return this.lists(`/api/search${queryOf({ ...query })}`, 'hits without their fields', 'hits');
  }

  async why(question: WhyQuestion): Promise<WhyAnswer> {
    const path = `/api/why?${new URLSearchParams({ ...question }).toString()}`;
    const answer = await this.lists<WhyAnswer>(path, 'a way back without its fields', 'candidates');
    return { ...answer, graph: asGraph(answer.graph) };
  }

  async spikes(taskId: string | undefined): Promise<SpikesAnswer> {
    return this.lists(`/api/spikes${queryOf({ taskId })}`, 'spikes without their fields', 'spikes');
  }

  async compare(a: string, b: string): Promise<CompareAnswer> {
    const path = `/api/compare${queryOf({ a, b })}`;
    return this.lists(path, 'a comparison without its fields', 'steps', 'nodes');
  }

  async patterns(filters: Filters): Promise<PatternsAnswer> {
    assertWithoutCommas(filters);
    const path = `/api/patterns?${graphQuery({ filters }).toString()}`;
    return this.lists(path, 'patterns without their fields', 'patterns');
  }

  async summary(taskId: string): Promise<TaskSummary> {
    const path = `/api/summary${queryOf({ taskId })}`;
    return this.lists(path, 'a summary without its fields', 'sentences');
  }

  async annotate(nodeId: string, given: NewAnnotation): Promise<AnnotationState> {
    return annotationOf(await this.ask(`/api/nodes/${encodeURIComponent(nodeId)}/annotations`, given));
  }

  async prune(olderThanMinutes: number): Promise<Pruned> {
    const answer = await this.ask('/api/prune', { olderThanMinutes });
    if (typeof answer['prunedNodes'] !== 'number') throw badAnswer('an answer without its fields');
    return answer as unknown as Pruned;
  }

  /** Why a WebSocket did not open: browsers don't say, so the API is asked for something small. */
  async diagnose(): Promise<ClientError> {
    try {
      await this.ask('/api/graph?taskIds=none');
    } catch (error) {
      return ClientError.from(error);
    }
    const message =
      'the service answers, but its WebSocket does not open: a proxy in between has to let upgrades of /explain pass';
    return new ClientError('UNREACHABLE', message);
  }

  close(): Promise<void> {
    this.closed = true;
    for (const controller of this.running) controller.abort();
    return Promise.resolve();
  }

  /** An answer with these lists in it. @param otherwise what it is without them */
  private async lists<Answer>(path: string, otherwise: string, ...names: readonly string[]): Promise<Answer> {
    const answer = await this.ask(path);
    if (!names.every((name) => Array.isArray(answer[name]))) throw badAnswer(otherwise);
    return answer as unknown as Answer;
  }

  private async ask(path: string, body?: object): Promise<JsonObject> {
    const { timing, token, csrf, base, fetch: ask = fetch } = this.asking;
    if (this.closed) throw new ClientError('CLOSED', 'the client is closed; connect() again');
    const controller = new AbortController();
    let late = false;
    const timer = timing.scheduler.after(timing.answerTimeoutMs, () => {
      late = true;
      controller.abort();
    });
    this.running.add(controller);
    const secret = csrf?.();
    try {
      const response = await ask(base + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(body !== undefined && secret !== undefined && { 'x-explain-csrf': secret }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: controller.signal,
      });
      return readAnswer(response.status, await this.text(response));
    } catch (error) {
      if (error instanceof ClientError) throw error;
      throw this.failure(late, error);
    } finally {
      timer.cancel();
      this.running.delete(controller);
    }
  }

  private async text(response: Response): Promise<string> {
    const { maxAnswerBytes } = this.asking;
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (let bytes = 0; ;) {
      const part = await reader?.read();
      if (part === undefined || part.done) return text + decoder.decode();
      const chunk = part.value as Uint8Array;
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) {
        await reader?.cancel().catch(() => undefined);
        throw new ClientError(
          'TOO_LARGE',
          `the answer has more than ${maxAnswerBytes} bytes: ask for less with filters`,
        );
      }
      text += decoder.decode(chunk, { stream: true });
    }
  }

  private failure(late: boolean, cause: unknown): ClientError {
    const { base, timing } = this.asking;
    if (this.closed) return new ClientError('CLOSED', 'the client was closed meanwhile');
    if (late) {
      const message = `${base} does not answer within ${timing.answerTimeoutMs} ms: is it the readers' port, and is the service well?`;
      return new ClientError('TIMEOUT', message);
    }
    const problem = tlsProblem(cause);
    if (problem !== undefined)
      return new ClientError('UNREACHABLE', `${base} can't be talked to: ${problem}`, cause);
    const { origin } = (globalThis as { readonly location?: { readonly origin: string } }).location ?? {};
    if (origin === new URL(base).origin)
      return new ClientError('UNREACHABLE', `nothing answers at ${base}: is the service running?`, cause);
    // A browser says no more when it is not let through.
    const inPage = origin === undefined ? '' : "; and is this page's origin in its `allowedOrigins`";
    const message = `nothing answers at ${base}: is the service running, and is this its readers' port (9000 by default)${inPage}?`;
    return new ClientError('UNREACHABLE', message, cause);
  }
}

/** @throws ClientError INVALID_ARGUMENT */
function assertWithoutCommas(filters: Filters = {}): void {
  if (!Object.values(filters).some((value) => Array.isArray(value) && /,/.test(value.join('')))) return;
  const message =
    'filters: a value with a comma can\'t be asked for over HTTP; use subscribe(), or a "grpc://" URL';
  throw new ClientError('INVALID_ARGUMENT', message);
}

/** With its question mark; nothing where no field is given. */
function queryOf(fields: { readonly [name: string]: string | number | undefined }): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** What a status means where the answer itself says nothing in this protocol. */
const BY_STATUS: Readonly<Record<number, ClientCode>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'UNAVAILABLE',
};

function readAnswer(status: number, text: string): JsonObject {
  const fields = objectIn(text);
  const said = fields?.['error'];
  if (isObject(said)) throw serviceError(said);
  if ((status === 200 || status === 201) && fields !== undefined) return fields;
  const code = BY_STATUS[status];
  if (code === undefined) throw badAnswer(`status ${status} and something else than its JSON`);
  throw new ClientError(
    code,
    `the server answers ${status}, and not as an ExplainabilityAgent: check address and path`,
  );
}
