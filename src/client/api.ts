/** What both entries offer beside `connect`. */
export { ClientError } from './client-error.ts';
export type { ClientCode } from './client-error.ts';
export type { Client, ConnectOptions } from './client.ts';
export type { Changes, GraphChange, LiveGraphology } from './change-log.ts';
export type { LiveGraph, LiveGraphEvents, StateEvent, SubscribeOptions } from './live-graph.ts';
export type { LiveState } from './session.ts';
export type { Scheduler, Timing } from './timing.ts';
export type { MembersPage } from './transport.ts';
export type { Filters, ViewRequest } from './view-request.ts';
export type * from '../model/compare.ts';
export type * from '../model/node.ts';
export type { NodeDetail } from '../model/reader-messages.ts';
export type { Pattern, PatternKind, PatternsAnswer } from '../model/patterns.ts';
export type { SearchHit, SearchPage, SearchQuery } from '../model/search.ts';
export type { SummarySentence, TaskSummary } from '../model/summary.ts';
export type { TaskOverview } from '../model/task-overview.ts';
export type { TaskPage, TaskQuery, TaskSort } from '../model/task-query.ts';
export type * from '../model/why.ts';
