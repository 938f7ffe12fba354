import type { GraphUpdate } from '../../model/node.ts';
import type { TaskOverview } from '../../model/task-overview.ts';
import type { NodeMetadata } from './node-metadata.ts';

/** The events of AG-UI 1.0 that a task's graph becomes. */
export type TaskEvent = (
  | {
      readonly type: 'RUN_STARTED';
      readonly threadId: string;
      readonly runId: string;
      readonly protocolVersion: '1.0';
    }
  | {
      readonly type: 'RUN_FINISHED';
      readonly threadId: string;
      readonly runId: string;
      readonly outcome: { readonly type: 'success' };
      /** Absent where nobody counted; so protobuf has an empty list. */
      readonly usage?: readonly TokenUsage[];
    }
  | {
      readonly type: 'RUN_ERROR';
      readonly message: string;
      readonly code: string;
      readonly usage?: readonly TokenUsage[];
    }
  | ((
      | { readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string }
      | { readonly type: 'REASONING_START' | 'REASONING_END'; readonly messageId: string }
      | {
          readonly type: 'REASONING_MESSAGE_START';
          readonly messageId: string;
          readonly role: 'reasoning';
        }
      | {
          readonly type: 'REASONING_MESSAGE_CONTENT' | 'TEXT_MESSAGE_CONTENT';
          readonly messageId: string;
          readonly delta: string;
        }
      | { readonly type: 'REASONING_MESSAGE_END' | 'TEXT_MESSAGE_END'; readonly messageId: string }
      | {
          readonly type: 'TEXT_MESSAGE_START';
          readonly messageId: string;
          readonly role: 'assistant' | 'user';
          readonly name: string;
        }
      | {
          readonly type: 'TOOL_CALL_START';
          readonly toolCallId: string;
          readonly toolCallName: string;
          readonly parentMessageId?: string;
        }
      | { readonly type: 'TOOL_CALL_ARGS'; readonly toolCallId: string; readonly delta: string }
      | { readonly type: 'TOOL_CALL_END'; readonly toolCallId: string }
      | {
          readonly type: 'TOOL_CALL_RESULT';
          readonly messageId: string;
          readonly toolCallId: string;
          readonly content: string;
          readonly role: 'tool';
        }
      | {
          readonly type: 'ACTIVITY_SNAPSHOT';
          readonly messageId: string;
          readonly activityType: string;
          readonly content: { readonly [name: string]: unknown };
        }
      | {
          readonly type: 'CUSTOM';
          readonly name: typeof GRAPH_UPDATE;
          readonly value: GraphUpdate;
        }
    ) & {
      /** The sub-agent that it is of; absent for the agent that the run is about. */
      readonly subagentRunId?: string;
    })
  | {
      readonly type: 'SUBAGENT_STARTED';
      readonly subagentRunId: string;
      readonly name: string;
      readonly parentSubagentRunId?: string;
      readonly parentToolCallId?: string;
    }
  | {
      readonly type: 'SUBAGENT_FINISHED';
      readonly subagentRunId: string;
      readonly outcome: { readonly type: 'success' };
    }
  | { readonly type: 'SUBAGENT_ERROR'; readonly subagentRunId: string; readonly message: string }
) & {
  /** Epoch ms, a whole number. */
  readonly timestamp?: number;
  readonly metadata?: { readonly [METADATA_KEY]: NodeMetadata | RunMetadata };
};

/** What an event says beyond AG-UI stands under this key of its metadata, and under no other. */
export const METADATA_KEY = 'explain';
/** A CUSTOM event: a change of the graph. All of them, applied in order to an empty graph, make the task's graph. */
export const GRAPH_UPDATE = 'explain.graph_update';

/** Of the first and the last event of a run. */
export interface RunMetadata {
  readonly taskId: string;
  /** Absent at the beginning. */
  readonly overview?: TaskOverview;
}

/** Tokens by model. */
export interface TokenUsage {
  readonly provider?: string;
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
}
