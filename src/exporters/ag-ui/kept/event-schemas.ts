import { z } from 'zod';

/** What the events of AG-UI 1.0 hold. Fields that are not theirs are left out, and optional ones of another type. */

const text = z.string();
const maybeText = text.optional().catch(undefined);
const object = z.record(z.string(), z.unknown());
const maybeObject = object.optional().catch(undefined);
const count = z.int().min(0).optional().catch(undefined);
const any = z.unknown().refine((value) => value !== undefined);
/** null stands for what is absent. */
const maybeAny = z
  .unknown()
  .optional()
  .transform((value) => value ?? undefined);

const source = z.discriminatedUnion('type', [
  z.object({ type: z.literal('data'), value: text, mimeType: text }),
  z.object({ type: z.literal('url'), value: text, mimeType: maybeText }),
  z.object({ type: z.literal('file'), value: text, provider: maybeText, mimeType: maybeText }),
]);

function media<Type extends string>(type: Type) {
  return z.object({ type: z.literal(type), id: maybeText, source, metadata: maybeAny });
}

const content = z.union([
  text,
  z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), id: maybeText, text, metadata: maybeAny }),
      media('image'),
      media('audio'),
      media('video'),
      media('document'),
    ]),
  ),
]);

const ofMessage = { id: text, subagentRunId: maybeText, metadata: maybeObject };
const toolCall = z.object({
  id: text,
  type: z.literal('function'),
  function: z.object({ name: text, arguments: text }),
  metadata: maybeObject,
});
const message = z.discriminatedUnion('role', [
  z.object({ ...ofMessage, role: z.literal('developer'), name: maybeText, content: text }),
  z.object({ ...ofMessage, role: z.literal('system'), name: maybeText, content: text }),
  z.object({
    ...ofMessage,
    role: z.literal('assistant'),
    name: maybeText,
    content: maybeText,
    toolCalls: z.array(toolCall).optional(),
  }),
  z.object({ ...ofMessage, role: z.literal('user'), name: maybeText, content }),
  z.object({ ...ofMessage, role: z.literal('tool'), content, toolCallId: text, error: maybeText }),
  z.object({ ...ofMessage, role: z.literal('activity'), activityType: text, content: object }),
  z.object({ ...ofMessage, role: z.literal('reasoning'), content: text }),
]);

const path = text.regex(/^(\/([^/~]|~[01])*)*$/);
const patch = z.array(
  z.discriminatedUnion('op', [
    z.object({ op: z.literal('add'), path, value: any }),
    z.object({ op: z.literal('remove'), path }),
    z.object({ op: z.literal('replace'), path, value: any }),
    z.object({ op: z.literal('move'), path, from: path }),
    z.object({ op: z.literal('copy'), path, from: path }),
    z.object({ op: z.literal('test'), path, value: any }),
  ]),
);

const input = z.object({
  threadId: text,
  runId: text,
  protocolVersion: maybeText,
  parentRunId: maybeText,
  state: z.unknown().optional(),
  messages: z.array(message),
  tools: z
    .array(z.object({ name: text, description: text, parameters: maybeAny, metadata: maybeObject }))
    .optional(),
  context: z.array(z.object({ description: text, value: text })).optional(),
  forwardedProps: maybeAny,
  resume: z
    .array(
      z.object({
        interruptId: text,
        status: z.enum(['resolved', 'cancelled']),
        payload: maybeAny,
        metadata: maybeObject,
      }),
    )
    .optional(),
});

const usage = z
  .array(
    z.object({
      provider: maybeText,
      model: maybeText,
      inputTokens: count,
      outputTokens: count,
      totalTokens: count,
      reasoningTokens: count,
      cachedInputTokens: count,
      cacheWriteInputTokens: count,
    }),
  )
  .optional()
  .catch(undefined);

const interrupt = z.object({
  id: text,
  reason: text,
  message: maybeText,
  toolCallId: maybeText,
  responseSchema: maybeAny,
  expiresAt: maybeText,
  metadata: maybeAny,
  subagentRunId: maybeText,
});
const runOutcome = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('success'), pendingToolCallIds: z.array(text).optional() }),
    z.object({ type: z.literal('interrupt'), interrupts: z.array(interrupt).min(1) }),
    z.object({ type: z.literal('cancelled') }),
  ])
  .optional()
  .catch(undefined);
const subagentOutcome = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('success') }),
    z.object({ type: z.literal('suspended'), interruptIds: z.array(text).optional() }),
  ])
  .optional()
  .catch(undefined);

const role = z.enum(['developer', 'system', 'assistant', 'user']).optional().catch(undefined);
const step = { stepName: text };
const ofText = { messageId: text };
const run = { threadId: text, runId: text };
const activity = { messageId: text, activityType: text };

const FIELDS = {
  RUN_STARTED: {
    ...run,
    protocolVersion: text
      .regex(/^\d+\.\d+$/)
      .optional()
      .catch(undefined),
    parentRunId: maybeText,
    input: input.optional().catch(undefined),
  },
  RUN_FINISHED: { ...run, result: maybeAny, outcome: runOutcome, usage },
  RUN_ERROR: { message: text, code: maybeText, usage },
  STEP_STARTED: step,
  STEP_FINISHED: step,
  TEXT_MESSAGE_START: { ...ofText, role, name: maybeText },
  TEXT_MESSAGE_CONTENT: { ...ofText, delta: text },
  TEXT_MESSAGE_END: ofText,
  TEXT_MESSAGE_CHUNK: { messageId: maybeText, role, delta: maybeText, name: maybeText },
  TOOL_CALL_START: { toolCallId: text, toolCallName: text, parentMessageId: maybeText },
  TOOL_CALL_ARGS: { toolCallId: text, delta: text },
  TOOL_CALL_END: { toolCallId: text },
  TOOL_CALL_CHUNK: {
    toolCallId: maybeText,
    toolCallName: maybeText,
    parentMessageId: maybeText,
    delta: maybeText,
  },
  TOOL_CALL_RESULT: {
    messageId: text,
    toolCallId: text,
    content,
    role: z.literal('tool').optional().catch(undefined),
  },
  STATE_SNAPSHOT: { snapshot: any },
  STATE_DELTA: { delta: patch },
  MESSAGES_SNAPSHOT: { messages: z.array(message) },
  ACTIVITY_SNAPSHOT: { ...activity, content: object, replace: z.boolean().optional().catch(undefined) },
  ACTIVITY_DELTA: { ...activity, patch },
  RAW: { event: any, source: maybeText },
  CUSTOM: { name: text, value: any },
  REASONING_START: ofText,
  REASONING_END: ofText,
  REASONING_MESSAGE_START: { ...ofText, role: z.literal('reasoning') },
  REASONING_MESSAGE_CONTENT: { ...ofText, delta: text },
  REASONING_MESSAGE_END: ofText,
  REASONING_MESSAGE_CHUNK: { messageId: maybeText, delta: maybeText },
  REASONING_ENCRYPTED_VALUE: {
    subtype: z.enum(['tool-call', 'message']),
    entityId: text,
    encryptedValue: text,
  },
  SUBAGENT_STARTED: {
    name: text,
    description: maybeText,
    parentSubagentRunId: maybeText,
    parentToolCallId: maybeText,
    parentMessageId: maybeText,
  },
  SUBAGENT_FINISHED: { result: maybeAny, outcome: subagentOutcome },
  SUBAGENT_ERROR: { message: text, code: maybeText },
} as const;

/** By type. */
export const EVENT_SCHEMAS: ReadonlyMap<string, z.ZodType<{ readonly [field: string]: unknown }>> = new Map(
  Object.entries(FIELDS).map(([type, fields]) => [
    type,
    z.object({
      type: z.literal(type),
      timestamp: z.int().optional().catch(undefined),
      rawEvent: maybeAny,
      metadata: maybeObject,
      ...(!/^RUN_|^MESSAGES_SNAPSHOT$/.test(type) && {
        subagentRunId: type.startsWith('SUBAGENT_') ? text : maybeText,
      }),
      ...fields,
    }),
  ]),
);
