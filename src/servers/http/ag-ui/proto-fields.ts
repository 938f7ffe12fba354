/**
 * The fields of AG-UI 1.0's protobuf messages, as `@ag-ui/proto` publishes them: their number and what they hold. A name
 * with a capital is another message of this table; `[]` stands for many.
 */
export type FieldKind =
  'string' | 'int' | 'bool' | 'value' | 'struct' | 'patchOperation' | 'string[]' | Capitalized;
type Capitalized = `${Uppercase<string>}${string}`;

export type MessageFields = { readonly [name: string]: readonly [number: number, kind: FieldKind] };

const OWNER = 'string';
const PART_OF_MEDIA: MessageFields = {
  source: [1, 'Source'],
  metadata: [2, 'value'],
  id: [3, 'string'],
};

/** Messages that events hold. */
export const PARTS: { readonly [name: string]: MessageFields } = {
  Patch: { op: [1, 'patchOperation'], path: [2, 'string'], from: [3, 'string'], value: [4, 'value'] },
  Usage: {
    provider: [1, 'string'],
    model: [2, 'string'],
    inputTokens: [3, 'int'],
    outputTokens: [4, 'int'],
    totalTokens: [5, 'int'],
    reasoningTokens: [6, 'int'],
    cachedInputTokens: [7, 'int'],
    cacheWriteInputTokens: [8, 'int'],
  },
  ContentPart: {
    text: [1, 'TextPart'],
    image: [2, 'MediaPart'],
    audio: [3, 'MediaPart'],
    video: [4, 'MediaPart'],
    document: [5, 'MediaPart'],
  },
  TextPart: { text: [1, 'string'], id: [2, 'string'], metadata: [3, 'value'] },
  MediaPart: PART_OF_MEDIA,
  Source: { data: [1, 'DataSource'], url: [2, 'DataSource'], file: [3, 'FileSource'] },
  DataSource: { value: [1, 'string'], mimeType: [2, 'string'] },
  FileSource: { value: [1, 'string'], provider: [2, 'string'], mimeType: [3, 'string'] },
  ToolCall: {
    id: [1, 'string'],
    type: [2, 'string'],
    function: [3, 'Function'],
    metadata: [4, 'struct'],
    encryptedValue: [5, 'string'],
  },
  Function: { name: [1, 'string'], arguments: [2, 'string'] },
  Message: {
    id: [1, 'string'],
    role: [2, 'string'],
    content: [3, 'string'],
    name: [4, 'string'],
    toolCalls: [5, 'ToolCall[]'],
    toolCallId: [6, 'string'],
    error: [7, 'string'],
    contentParts: [8, 'ContentPart[]'],
    metadata: [9, 'struct'],
    subagentRunId: [10, 'string'],
    encryptedValue: [11, 'string'],
    activityType: [12, 'string'],
    activityContent: [13, 'struct'],
  },
  Tool: {
    name: [1, 'string'],
    description: [2, 'string'],
    parameters: [3, 'value'],
    metadata: [4, 'struct'],
  },
  Context: { description: [1, 'string'], value: [2, 'string'] },
  Resume: {
    interruptId: [1, 'string'],
    status: [2, 'string'],
    payload: [3, 'value'],
    metadata: [4, 'struct'],
  },
  RunAgentInput: {
    threadId: [1, 'string'],
    runId: [2, 'string'],
    parentRunId: [3, 'string'],
    state: [4, 'value'],
    messages: [5, 'Message[]'],
    tools: [6, 'Tool[]'],
    context: [7, 'Context[]'],
    forwardedProps: [8, 'value'],
    resume: [9, 'Resume[]'],
    protocolVersion: [10, 'string'],
  },
  Interrupt: {
    id: [1, 'string'],
    reason: [2, 'string'],
    message: [3, 'string'],
    toolCallId: [4, 'string'],
    responseSchema: [5, 'value'],
    expiresAt: [6, 'string'],
    metadata: [7, 'value'],
    subagentRunId: [8, 'string'],
  },
};

export interface EventFields {
  /** Of the event in the envelope. */
  readonly arm: number;
  /** Of its type in the enum. */
  readonly type: number;
  /** But for the base: it is field 1 of each. */
  readonly fields: MessageFields;
}

const reasoning = (more: MessageFields = {}): MessageFields => ({
  subagentRunId: [2, OWNER],
  messageId: [3, 'string'],
  ...more,
});
const DELTA_4: MessageFields = { delta: [4, 'string'] };
const STEP: MessageFields = { stepName: [2, 'string'], subagentRunId: [3, OWNER] };

/** By type. */
export const EVENTS: { readonly [type: string]: EventFields } = {
  TEXT_MESSAGE_START: {
    arm: 1,
    type: 0,
    fields: { messageId: [2, 'string'], role: [3, 'string'], name: [4, 'string'], subagentRunId: [5, OWNER] },
  },
  TEXT_MESSAGE_CONTENT: {
    arm: 2,
    type: 1,
    fields: { messageId: [2, 'string'], delta: [3, 'string'], subagentRunId: [4, OWNER] },
  },
  TEXT_MESSAGE_END: { arm: 3, type: 2, fields: { messageId: [2, 'string'], subagentRunId: [3, OWNER] } },
  TOOL_CALL_START: {
    arm: 4,
    type: 3,
    fields: {
      toolCallId: [2, 'string'],
      toolCallName: [3, 'string'],
      parentMessageId: [4, 'string'],
      subagentRunId: [5, OWNER],
    },
  },
  TOOL_CALL_ARGS: {
    arm: 5,
    type: 4,
    fields: { toolCallId: [2, 'string'], delta: [3, 'string'], subagentRunId: [4, OWNER] },
  },
  TOOL_CALL_END: { arm: 6, type: 5, fields: { toolCallId: [2, 'string'], subagentRunId: [3, OWNER] } },
  STATE_SNAPSHOT: { arm: 7, type: 6, fields: { snapshot: [2, 'value'], subagentRunId: [3, OWNER] } },
  STATE_DELTA: { arm: 8, type: 7, fields: { delta: [2, 'Patch[]'], subagentRunId: [3, OWNER] } },
  MESSAGES_SNAPSHOT: { arm: 9, type: 8, fields: { messages: [2, 'Message[]'] } },
  RAW: {
    arm: 10,
    type: 9,
    fields: { event: [2, 'value'], source: [3, 'string'], subagentRunId: [4, OWNER] },
  },
  CUSTOM: {
    arm: 11,
    type: 10,
    fields: { name: [2, 'string'], value: [3, 'value'], subagentRunId: [4, OWNER] },
  },
  RUN_STARTED: {
    arm: 12,
    type: 11,
    fields: {
      threadId: [2, 'string'],
      runId: [3, 'string'],
      parentRunId: [4, 'string'],
      input: [5, 'RunAgentInput'],
      protocolVersion: [6, 'string'],
    },
  },
  RUN_FINISHED: {
    arm: 13,
    type: 12,
    fields: {
      threadId: [2, 'string'],
      runId: [3, 'string'],
      result: [4, 'value'],
      outcome: [5, 'string'],
      interrupts: [6, 'Interrupt[]'],
      usage: [7, 'Usage[]'],
      pendingToolCallIds: [8, 'string[]'],
    },
  },
  RUN_ERROR: {
    arm: 14,
    type: 13,
    fields: { code: [2, 'string'], message: [3, 'string'], usage: [4, 'Usage[]'] },
  },
  STEP_STARTED: { arm: 15, type: 14, fields: STEP },
  STEP_FINISHED: { arm: 16, type: 15, fields: STEP },
  TEXT_MESSAGE_CHUNK: {
    arm: 17,
    type: 19,
    fields: {
      messageId: [2, 'string'],
      role: [3, 'string'],
      delta: [4, 'string'],
      name: [5, 'string'],
      subagentRunId: [6, OWNER],
    },
  },
  TOOL_CALL_CHUNK: {
    arm: 18,
    type: 20,
    fields: {
      toolCallId: [2, 'string'],
      toolCallName: [3, 'string'],
      parentMessageId: [4, 'string'],
      delta: [5, 'string'],
      subagentRunId: [6, OWNER],
    },
  },
  SUBAGENT_STARTED: {
    arm: 19,
    type: 16,
    fields: {
      subagentRunId: [2, 'string'],
      name: [3, 'string'],
      description: [4, 'string'],
      parentSubagentRunId: [5, 'string'],
      parentToolCallId: [6, 'string'],
      parentMessageId: [7, 'string'],
    },
  },
  SUBAGENT_FINISHED: {
    arm: 20,
    type: 17,
    fields: {
      subagentRunId: [2, 'string'],
      result: [3, 'value'],
      outcome: [4, 'string'],
      interruptIds: [5, 'string[]'],
    },
  },
  SUBAGENT_ERROR: {
    arm: 21,
    type: 18,
    fields: { subagentRunId: [2, 'string'], message: [3, 'string'], code: [4, 'string'] },
  },
  TOOL_CALL_RESULT: {
    arm: 22,
    type: 21,
    fields: {
      subagentRunId: [2, OWNER],
      messageId: [3, 'string'],
      toolCallId: [4, 'string'],
      content: [5, 'string'],
      role: [6, 'string'],
      contentParts: [7, 'ContentPart[]'],
    },
  },
  ACTIVITY_SNAPSHOT: {
    arm: 23,
    type: 22,
    fields: {
      subagentRunId: [2, OWNER],
      messageId: [3, 'string'],
      activityType: [4, 'string'],
      content: [5, 'struct'],
      replace: [6, 'bool'],
    },
  },
  ACTIVITY_DELTA: {
    arm: 24,
    type: 23,
    fields: {
      subagentRunId: [2, OWNER],
      messageId: [3, 'string'],
      activityType: [4, 'string'],
      patch: [5, 'Patch[]'],
    },
  },
  REASONING_START: { arm: 25, type: 24, fields: reasoning() },
  REASONING_MESSAGE_START: { arm: 26, type: 25, fields: reasoning({ role: [4, 'string'] }) },
  REASONING_MESSAGE_CONTENT: { arm: 27, type: 26, fields: reasoning(DELTA_4) },
  REASONING_MESSAGE_END: { arm: 28, type: 27, fields: reasoning() },
  REASONING_MESSAGE_CHUNK: { arm: 29, type: 28, fields: reasoning(DELTA_4) },
  REASONING_END: { arm: 30, type: 29, fields: reasoning() },
  REASONING_ENCRYPTED_VALUE: {
    arm: 31,
    type: 30,
    fields: {
      subagentRunId: [2, OWNER],
      subtype: [3, 'string'],
      entityId: [4, 'string'],
      encryptedValue: [5, 'string'],
    },
  },
};
