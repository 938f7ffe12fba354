/** The types of what `startService` gives a program. */
export type { BoundaryCode, BoundaryError } from '../base/boundary-error.ts';
export type { ServiceConfig } from '../config/schema.ts';
export type * from '../model/compare.ts';
export type { Filters } from '../model/filters.ts';
export type * from '../model/node.ts';
export type { Pattern, PatternKind, PatternsAnswer } from '../model/patterns.ts';
export type { NodeDetail } from '../model/reader-messages.ts';
export type { SearchHit, SearchPage, SearchQuery } from '../model/search.ts';
export type { ViewRequest } from '../model/subscription-request.ts';
export type { SummarySentence, TaskSummary } from '../model/summary.ts';
export type { TaskOverview } from '../model/task-overview.ts';
export type { TaskPage, TaskQuery, TaskSort } from '../model/task-query.ts';
export type * from '../model/why.ts';
export type { Logger } from '../telemetry/logger.ts';
export type { ViewUpdate } from './feed.ts';
export type { Refusal } from './inputs.ts';
export type { AgentEvent, Thought, Timestamp } from './messages.ts';
export type { Address, EmbeddedService, Erased, MembersPage } from './embedded-service.ts';
