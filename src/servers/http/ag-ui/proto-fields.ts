/**
 * The fields of AG-UI 1.0's protobuf messages, as `@ag-ui/proto` publishes them: their number and what they hold. A name
 * with a capital is another message of this table; `[]` stands for many.
 */
export type FieldKind =
  'string' | 'int' | 'bool' | 'value' | 'struct' | 'patchOperation' | 'string[]' | Capitalized;
type Capitalized = `${Uppercase<string>}${string}`;

export type MessageFields = { readonly [name: string]: readonly [number: number, kind: FieldKind] };

/** Messages that events hold. */
export const PARTS: { readonly [name: string]: MessageFields } = {
  Patch: message('op:patchOperation path from value:value'),
  Usage: message(
    'provider model inputTokens:int outputTokens:int totalTokens:int reasoningTokens:int cachedInputTokens:int cacheWriteInputTokens:int',
  ),
  ContentPart: message('text:TextPart image:MediaPart audio:MediaPart video:MediaPart document:MediaPart'),
  TextPart: message('text id metadata:value'),
  MediaPart: message('source:Source metadata:value id'),
  Source: message('data:DataSource url:DataSource file:FileSource'),
  DataSource: message('value mimeType'),
  FileSource: message('value provider mimeType'),
  ToolCall: message('id type function:Function metadata:struct encryptedValue'),
  Function: message('name arguments'),
  Message: message(
    'id role content name toolCalls:ToolCall[] toolCallId error contentParts:ContentPart[] metadata:struct subagentRunId encryptedValue activityType activityContent:struct',
  ),
  Tool: message('name description parameters:value metadata:struct'),
  Context: message('description value'),
  Resume: message('interruptId status payload:value metadata:struct'),
  RunAgentInput: message(
    'threadId runId parentRunId state:value messages:Message[] tools:Tool[] context:Context[] forwardedProps:value resume:Resume[] protocolVersion',
  ),
  Interrupt: message(
    'id reason message toolCallId responseSchema:value expiresAt metadata:value subagentRunId',
  ),
};

export interface EventFields {
  /** Of the event in the envelope. */
  readonly arm: number;
  /** Of its type in the enum. */
  readonly type: number;
  /** But for the base: it is field 1 of each. */
  readonly fields: MessageFields;
}

/** By type. */
export const EVENTS: { readonly [type: string]: EventFields } = {
  TEXT_MESSAGE_START: event(1, 0, 'messageId role name subagentRunId'),
  TEXT_MESSAGE_CONTENT: event(2, 1, 'messageId delta subagentRunId'),
  TEXT_MESSAGE_END: event(3, 2, 'messageId subagentRunId'),
  TOOL_CALL_START: event(4, 3, 'toolCallId toolCallName parentMessageId subagentRunId'),
  TOOL_CALL_ARGS: event(5, 4, 'toolCallId delta subagentRunId'),
  TOOL_CALL_END: event(6, 5, 'toolCallId subagentRunId'),
  STATE_SNAPSHOT: event(7, 6, 'snapshot:value subagentRunId'),
  STATE_DELTA: event(8, 7, 'delta:Patch[] subagentRunId'),
  MESSAGES_SNAPSHOT: event(9, 8, 'messages:Message[]'),
  RAW: event(10, 9, 'event:value source subagentRunId'),
  CUSTOM: event(11, 10, 'name value:value subagentRunId'),
  RUN_STARTED: event(12, 11, 'threadId runId parentRunId input:RunAgentInput protocolVersion'),
  RUN_FINISHED: event(
    13,
    12,
    'threadId runId result:value outcome interrupts:Interrupt[] usage:Usage[] pendingToolCallIds:string[]',
  ),
  RUN_ERROR: event(14, 13, 'code message usage:Usage[]'),
  STEP_STARTED: event(15, 14, 'stepName subagentRunId'),
  STEP_FINISHED: event(16, 15, 'stepName subagentRunId'),
  TEXT_MESSAGE_CHUNK: event(17, 19, 'messageId role delta name subagentRunId'),
  TOOL_CALL_CHUNK: event(18, 20, 'toolCallId toolCallName parentMessageId delta subagentRunId'),
  SUBAGENT_STARTED: event(
    19,
    16,
    'subagentRunId name description parentSubagentRunId parentToolCallId parentMessageId',
  ),
  SUBAGENT_FINISHED: event(20, 17, 'subagentRunId result:value outcome interruptIds:string[]'),
  SUBAGENT_ERROR: event(21, 18, 'subagentRunId message code'),
  TOOL_CALL_RESULT: event(
    22,
    21,
    'subagentRunId messageId toolCallId content role contentParts:ContentPart[]',
  ),
  ACTIVITY_SNAPSHOT: event(23, 22, 'subagentRunId messageId activityType content:struct replace:bool'),
  ACTIVITY_DELTA: event(24, 23, 'subagentRunId messageId activityType patch:Patch[]'),
  REASONING_START: event(25, 24, 'subagentRunId messageId'),
  REASONING_MESSAGE_START: event(26, 25, 'subagentRunId messageId role'),
  REASONING_MESSAGE_CONTENT: event(27, 26, 'subagentRunId messageId delta'),
  REASONING_MESSAGE_END: event(28, 27, 'subagentRunId messageId'),
  REASONING_MESSAGE_CHUNK: event(29, 28, 'subagentRunId messageId delta'),
  REASONING_END: event(30, 29, 'subagentRunId messageId'),
  REASONING_ENCRYPTED_VALUE: event(31, 30, 'subagentRunId subtype entityId encryptedValue'),
};

/** @param fields by name in the order of their numbers, without a gap; with `:` and its kind what is no string */
function message(fields: string, first = 1): MessageFields {
  return Object.fromEntries(
    fields.split(' ').map((field, index) => {
      const [name = '', kind = 'string'] = field.split(':');
      return [name, [first + index, kind as FieldKind]];
    }),
  );
}

function event(arm: number, type: number, fields: string): EventFields {
  return { arm, type, fields: message(fields, 2) };
}
