import type { IncomingHttpHeaders } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { demand, type Principal, type RefusedEntry } from '../../../access/principal.ts';
import { allows } from '../../../access/roles.ts';
import { BoundaryError, invalid } from '../../../base/boundary-error.ts';
import { VERSION } from '../../../base/version.ts';
import type { AdaptationsApi } from '../../../model/adaptations-api.ts';
import type { ReaderApi } from '../../../subscriptions/reader-api.ts';
import type { ChangedAdaptation } from '../adaptation-routes.ts';
import type { HttpAnswer } from '../route.ts';
import type { Logger } from '../../../telemetry/logger.ts';
import { TOOLS, type Tool } from './tools.ts';
import { errorName } from '../../../telemetry/safe-error.ts';

export interface McpOptions {
  readonly reader: ReaderApi;
  readonly adaptations: AdaptationsApi;
  /** False where there are none: then there are no tools for them. True if absent. */
  readonly hasAdaptations?: boolean;
  readonly logger: Logger;
  /** Told of who changed an adaptation. */
  readonly changed?: ChangedAdaptation;
  /** Told of a tool that may not be called, and of one that was to change something and failed. */
  readonly refused?: (refused: RefusedEntry & { readonly principal: Principal }) => void;
}

const INFO = { name: 'explainability-agent', version: VERSION };
const INSTRUCTIONS =
  'What runs of agents did and why, as a causal graph. list_tasks finds a task, summary tells it, why says where to look for the cause of a failure. All texts are redacted: [KIND:…] stands for what was hidden.';
/** What of a request the transport reads. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version'] as const;
/** A model reads less; an answer beyond it is one that was not bounded by its question. */
const MAX_ANSWER_CHARS = 1_000_000;

const LIST = TOOLS.map(({ name, description, input, needs, changes = false, ofAdaptations = false }) => ({
  needs,
  ofAdaptations,
  listed: {
    name,
    description,
    inputSchema: z.toJSONSchema(input, { io: 'input' }) as { type: 'object' },
    annotations: { readOnlyHint: !changes, idempotentHint: true, openWorldHint: false },
  },
}));

/**
 * Answers one message. Nothing is kept between two messages, so there is nothing to bound or to end: every question is
 * whole, and no answer is told later.
 */
export async function answerMcp(
  options: McpOptions,
  principal: Principal,
  message: object,
  headers: IncomingHttpHeaders,
): Promise<HttpAnswer> {
  const server = new Server(INFO, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  // A model is not offered what it would be refused.
  const { hasAdaptations = true } = options;
  const tools = LIST.filter(
    ({ needs, ofAdaptations }) => allows(principal.roles, needs) && (hasAdaptations || !ofAdaptations),
  ).map(({ listed }) => listed);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    call(options, principal, params.name, params.arguments),
  );
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const given = HEADERS.flatMap((name) =>
      typeof headers[name] === 'string' ? [[name, headers[name]]] : [],
    );
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: Object.fromEntries(given) as Record<string, string>,
    });
    const response = await transport.handleRequest(request, { parsedBody: message });
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? 'application/json',
      body: await response.text(),
    };
  } finally {
    await server.close();
  }
}

/** What is wrong with a question is told as its result, so that the model reads it and asks again. */
async function call(
  options: McpOptions,
  principal: Principal,
  name: string,
  given: unknown,
): Promise<CallToolResult> {
  const { reader, adaptations, logger, hasAdaptations = true } = options;
  const offered = TOOLS.filter(({ ofAdaptations }) => hasAdaptations || !ofAdaptations);
  const tool = offered.find((one) => one.name === name);
  if (!tool) {
    const known = offered.map((one) => one.name).join(', ');
    throw new McpError(ErrorCode.InvalidParams, `there is no such tool; there are ${known}`);
  }
  let wasLetIn = false;
  try {
    mayCall(options, principal, tool);
    wasLetIn = true;
    const { data, error } = tool.input.safeParse(given ?? {});
    if (error) throw invalid(problemOf(error, tool));
    const answer = await tool.answer({ reader, adaptations }, data as never);
    if (tool.changes) options.changed?.(principal, `${tool.name} of MCP`);
    const text = JSON.stringify(answer);
    if (text.length <= MAX_ANSWER_CHARS) return { content: [{ type: 'text', text }] };
    throw new BoundaryError('TOO_LARGE', `the answer has ${text.length} characters: ask for less`);
  } catch (thrown) {
    const error = BoundaryError.from(thrown);
    const { code, message } = error;
    if (wasLetIn && tool.changes)
      options.refused?.({ way: `MCP ${name}`, error, credentials: {}, principal, wasLetIn });
    if (code === 'INTERNAL') logger.error({ err: errorName(thrown), tool: name }, 'MCP tool failed');
    return { isError: true, content: [{ type: 'text', text: `${code}: ${message}` }] };
  }
}

function mayCall(
  { refused }: McpOptions,
  principal: Principal,
  { name, needs }: (typeof TOOLS)[number],
): void {
  try {
    demand(principal, needs);
  } catch (thrown) {
    const error = BoundaryError.from(thrown);
    refused?.({ way: `MCP ${name}`, error, credentials: {}, principal });
    throw error;
  }
}

/** The first, by the field's name and never with its value. */
function problemOf({ issues }: z.ZodError, { input }: Tool): string {
  const [issue] = issues;
  if (issue?.code === 'unrecognized_keys')
    return `arguments: one is unknown; this tool takes ${Object.keys(input.shape).join(', ')}`;
  const field = issue?.path.map(String).join('.');
  return `${field === undefined || field === '' ? 'arguments' : field}: ${issue?.message ?? 'wrong'}`;
}
