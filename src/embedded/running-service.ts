import type { Observable, Subject } from 'rxjs';
import { givenFields } from '../base/given-fields.ts';
import type { CompareAnswer } from '../model/compare.ts';
import type { Filters } from '../model/filters.ts';
import type { ExplanationGraph } from '../model/node.ts';
import type { PatternsAnswer } from '../model/patterns.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { SearchPage, SearchQuery } from '../model/search.ts';
import type { ViewRequest } from '../model/subscription-request.ts';
import type { TaskSummary } from '../model/summary.ts';
import type { TaskPage, TaskQuery } from '../model/task-query.ts';
import type { SpikesAnswer, WhyAnswer } from '../model/why.ts';
import type { ComposedService, Ports } from '../service/compose.ts';
import type { Addresses } from '../service/listeners.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';
import type { ViewUpdate } from './feed.ts';
import { Inputs, type Refusal } from './inputs.ts';
import type { AgentEvent, Thought } from './messages.ts';
import type { EmbeddedService, Erased, MembersPage } from './embedded-service.ts';
import { Feeds, stopped } from './updates.ts';

/** A service that was started by this program. */
export class RunningService implements EmbeddedService {
  readonly addresses: Addresses | undefined;
  private readonly service: ComposedService<Ports | undefined>;
  private readonly inputs: Inputs;
  private readonly feeds: Feeds;
  private stopping: Promise<void> | undefined;

  constructor(service: ComposedService<Ports | undefined>, addresses: Addresses | undefined) {
    this.service = service;
    this.addresses = addresses;
    this.inputs = new Inputs(service.bus);
    this.feeds = new Feeds(service.reader);
  }

  get thoughts(): Subject<Thought> {
    return this.inputs.thoughts;
  }

  get events(): Subject<AgentEvent> {
    return this.inputs.events;
  }

  get refusals(): Observable<Refusal> {
    return this.inputs.refusals;
  }

  publishThought(thought: Thought): Promise<void> {
    return this.inputs.publish({ topic: 'cot', value: thought });
  }

  publishEvent(event: AgentEvent): Promise<void> {
    return this.inputs.publish({ topic: 'reflexion', value: event });
  }

  updates(view: ViewRequest = {}): Observable<ViewUpdate> {
    return this.feeds.observe(asView(view));
  }

  follow(view: ViewRequest = {}): AsyncIterableIterator<ViewUpdate> {
    return this.feeds.follow(asView(view));
  }

  getGraph(view: ViewRequest = {}): Promise<ExplanationGraph> {
    return this.ask((reader) => reader.getGraph(asView(view)));
  }

  getNode(nodeId: string, page: MembersPage = {}): Promise<NodeDetail> {
    return this.ask((reader) => reader.getNode(nodeId, givenFields({ ...page })));
  }

  findTasks(query: TaskQuery = {}): Promise<TaskPage> {
    return this.ask((reader) => reader.listTasks(givenFields({ ...query })));
  }

  search(query: SearchQuery): Promise<SearchPage> {
    return this.ask((reader) => reader.search(givenFields({ ...query })));
  }

  why(asked: string | { readonly taskId: string }): Promise<WhyAnswer> {
    return this.ask((reader) => reader.why(typeof asked === 'string' ? { nodeId: asked } : asked));
  }

  spikes(taskId?: string): Promise<SpikesAnswer> {
    return this.ask((reader) => reader.spikes(taskId));
  }

  compare(a: string, b: string): Promise<CompareAnswer> {
    return this.ask((reader) => reader.compare({ a, b }));
  }

  patterns(filters: Filters = {}): Promise<PatternsAnswer> {
    return this.ask((reader) => reader.patterns(givenFields({ ...filters })));
  }

  summary(taskId: string): Promise<TaskSummary> {
    return this.ask((reader) => reader.summary(taskId));
  }

  prune(olderThanMinutes: number): Promise<{ readonly prunedNodes: number }> {
    return this.ask((reader) => reader.prune(olderThanMinutes));
  }

  erase(target: { readonly taskId: string } | { readonly userId: string }): Promise<Erased> {
    return this.ask(() => this.service.erase({ ...target }));
  }

  metrics(): Promise<string> {
    return this.ask(() => this.service.metricsText());
  }

  get problems(): readonly string[] {
    return this.service.problems();
  }

  stop(): Promise<void> {
    return (this.stopping ??= this.stopNow());
  }

  private async stopNow(): Promise<void> {
    try {
      await this.service.stop('the program stops the service');
    } finally {
      this.inputs.end();
      await this.feeds.stop();
    }
  }

  private async ask<T>(question: (reader: ReaderApi) => T | Promise<T>): Promise<T> {
    if (this.stopping) throw stopped();
    return question(this.service.reader);
  }
}

/** Without what is given as undefined. What is wrong with it is told by who reads it. */
function asView(view: ViewRequest): unknown {
  const { filters } = view;
  const isObject = typeof filters === 'object' && filters !== null;
  return isObject ? { ...view, filters: givenFields({ ...filters }) } : view;
}
