import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { nextTurn, type Call, type Turn } from './weather-story.ts';

/** A model takes at least so long: its latency is a fact that is asked. */
const THINKING_MS = 40;

/** The APIs of OpenAI and Anthropic on this machine, where a model plays the weather story. */
export interface WeatherModels {
  readonly url: string;
  stop(): void;
}

interface Json {
  readonly [key: string]: unknown;
}

export async function startWeatherModels(): Promise<WeatherModels> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat((await request.toArray()) as Buffer[]).toString();
  const asked = JSON.parse(body === '' ? '{}' : body) as Json;
  await setTimeout(THINKING_MS);
  const path = request.url ?? '';
  const api = path.includes('/messages') ? anthropic : path.includes('/responses') ? responses : chat;
  const { whole, events } = api(asked);
  if (asked['stream'] !== true) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    const name = typeof event['type'] === 'string' ? `event: ${event['type']}\n` : '';
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end(api === chat ? 'data: [DONE]\n\n' : '');
}

interface Answer {
  readonly whole: Json;
  readonly events: readonly Json[];
}

function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as Json[]) : [];
}

function words(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

function chat(asked: Json): Answer {
  const messages = list(asked['messages']);
  const calls = messages.flatMap(({ tool_calls }) => list(tool_calls));
  const turn = nextTurn({
    system: messages
      .filter(({ role }) => role === 'system' || role === 'developer')
      .map(({ content }) => words(content))
      .join('\n'),
    tools: list(asked['tools']).map((tool) => asText((tool['function'] as Json | undefined)?.['name'])),
    asked: [
      ...calls.map((made) => asText((made['function'] as Json | undefined)?.['name'])),
      ...messages.flatMap(({ content }) => words(content).match(/get_weather(?=', 'arguments')/g) ?? []),
    ],
  });
  const usage = {
    prompt_tokens: turn.usage.input,
    completion_tokens: turn.usage.output,
    total_tokens: turn.usage.input + turn.usage.output,
  };
  const message = {
    role: 'assistant',
    content: turn.text ?? null,
    reasoning_content: turn.reasoning,
    ...(turn.calls && { tool_calls: turn.calls.map((made, index) => chatCall(made, index)) }),
  };
  const head = { id: `chatcmpl-${randomUUID()}`, created: 1_795_293_556, model: asked['model'] };
  const finish = turn.calls ? 'tool_calls' : 'stop';
  const chunk = (delta: Json, finish_reason: string | null = null): Json => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  });
  return {
    whole: {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: finish }],
      usage,
    },
    events: [
      chunk({ role: 'assistant', content: '' }),
      chunk(message),
      chunk({}, finish),
      { ...head, object: 'chat.completion.chunk', choices: [], usage },
    ],
  };
}

function chatCall({ id, name, args }: Call, index: number): Json {
  return { index, id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

function responses(asked: Json): Answer {
  const input = list(asked['input']);
  const turn = nextTurn({
    system: asText(asked['instructions']) + words(input.filter(({ role }) => role === 'system')),
    tools: list(asked['tools']).map(({ name }) => asText(name)),
    asked: input.filter(({ type }) => type === 'function_call').map(({ name }) => asText(name)),
  });
  const thoughts = {
    type: 'reasoning',
    id: `rs_${randomUUID()}`,
    summary: [{ type: 'summary_text', text: turn.reasoning }],
  };
  const output = [thoughts, ...said(turn)];
  const whole = {
    id: `resp_${randomUUID()}`,
    object: 'response',
    created_at: 1_795_293_556,
    status: 'completed',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: asked['model'],
    output,
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: {
      input_tokens: turn.usage.input,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: turn.usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: turn.usage.input + turn.usage.output,
    },
  };
  return {
    whole,
    events: [
      {
        type: 'response.created',
        sequence_number: 0,
        response: { ...whole, status: 'in_progress', output: [] },
      },
      ...output.map((item, place) => ({
        type: 'response.output_item.done',
        sequence_number: place + 1,
        output_index: place,
        item,
      })),
      { type: 'response.completed', sequence_number: output.length + 1, response: whole },
    ],
  };
}

function said({ text, calls }: Turn): readonly Json[] {
  if (text !== undefined)
    return [
      {
        type: 'message',
        id: `msg_${randomUUID()}`,
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ];
  return (calls ?? []).map(({ id, name, args }) => ({
    type: 'function_call',
    id: `fc_${randomUUID()}`,
    call_id: id,
    name,
    arguments: JSON.stringify(args),
    status: 'completed',
  }));
}

function anthropic(asked: Json): Answer {
  const parts = list(asked['messages']).flatMap(({ content }) => list(content));
  const turn = nextTurn({
    system: words(asked['system']),
    tools: list(asked['tools']).map(({ name }) => asText(name)),
    asked: parts.filter(({ type }) => type === 'tool_use').map(({ name }) => asText(name)),
  });
  const content: readonly Json[] = [
    { type: 'thinking', thinking: turn.reasoning, signature: 'c2lnbmF0dXJl' },
    ...(turn.text === undefined ? [] : [{ type: 'text', text: turn.text }]),
    ...(turn.calls ?? []).map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
  ];
  const usage = { input_tokens: turn.usage.input, output_tokens: turn.usage.output };
  const stop_reason = turn.calls ? 'tool_use' : 'end_turn';
  const head = { id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model: asked['model'] };
  const start = { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 0 } };
  return {
    whole: { ...head, content, stop_reason, stop_sequence: null, usage },
    events: [
      { type: 'message_start', message: start },
      ...content.flatMap((block, index) => blockEvents(block, index)),
      {
        type: 'message_delta',
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: usage.output_tokens },
      },
      { type: 'message_stop' },
    ],
  };
}

function blockEvents(block: Json, index: number): readonly Json[] {
  const { type, text, thinking, input } = block;
  const [empty, delta] =
    type === 'tool_use'
      ? [
          { ...block, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(input) },
        ]
      : type === 'text'
        ? [
            { type, text: '' },
            { type: 'text_delta', text },
          ]
        : [
            { type, thinking: '', signature: '' },
            { type: 'thinking_delta', thinking },
          ];
  return [
    { type: 'content_block_start', index, content_block: empty },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ];
}
