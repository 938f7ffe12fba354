/** A span of the demo. Times are beats from its beginning; `parent` is the index of the span around it. */
export interface DemoStep {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly parent?: number;
  readonly error?: string;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** Three agents plan a trip. A tool fails because of what a model wrote into its arguments; the next attempt works. */
export const DEMO_STORY: readonly DemoStep[] = [
  agent('planner', 0, 15),
  call(
    'planner',
    0,
    1,
    2,
    'Plan a weekend in Lisbon, cheap.',
    'First the weather, then a room under 80 EUR.',
    0,
  ),
  agent('forecaster', 2, 5, 0),
  call('forecaster', 2, 2.2, 3, 'Weather in Lisbon on Saturday?', 'I ask get_weather for Lisbon.', 0),
  tool('forecaster', 2, 3, 4, 'get_weather', '{"city":"Lisbon"}', '{"sky":"sunny","celsius":24}'),
  agent('booker', 5, 13, 0),
  call(
    'booker',
    5,
    5.2,
    7,
    'Find a room under 80 EUR.',
    'I search with the dates 2026-02-30 to 2026-03-01.',
    1,
  ),
  {
    ...tool('booker', 5, 7, 8, 'search_rooms', '{"from":"2026-02-30","to":"2026-03-01","max":80}', ''),
    error: 'invalid date: 2026-02-30 does not exist',
  },
  call(
    'booker',
    5,
    8.2,
    10,
    'The search failed: invalid date.',
    'February ends on the 28th. I search from there.',
    1,
  ),
  tool(
    'booker',
    5,
    10,
    11,
    'search_rooms',
    '{"from":"2026-02-28","to":"2026-03-01","max":80}',
    '[{"room":"Alfama 12","eur":72}]',
  ),
  call('planner', 0, 13, 15, 'Sum it up.', 'Sunny, 24 degrees; Alfama 12 for 72 EUR a night.', 0),
];

function agent(name: string, start: number, end: number, parent?: number): DemoStep {
  const attributes = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name };
  return { name: `invoke_agent ${name}`, start, end, ...(parent !== undefined && { parent }), attributes };
}

function call(
  by: string,
  parent: number,
  start: number,
  end: number,
  asked: string,
  said: string,
  size: 0 | 1,
): DemoStep {
  const model = size === 0 ? 'gpt-4o-mini' : 'gpt-4o';
  return {
    name: `chat ${model}`,
    start,
    end,
    parent,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.agent.name': by,
      'gen_ai.request.model': model,
      'gen_ai.usage.input_tokens': asked.length * 9,
      'gen_ai.usage.output_tokens': said.length,
      'gen_ai.input.messages': messages('user', asked),
      'gen_ai.output.messages': messages('assistant', said),
    },
  };
}

function tool(
  by: string,
  parent: number,
  start: number,
  end: number,
  name: string,
  given: string,
  answered: string,
): DemoStep {
  return {
    name: `execute_tool ${name}`,
    start,
    end,
    parent,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.agent.name': by,
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.arguments': given,
      ...(answered !== '' && { 'gen_ai.tool.call.result': answered }),
    },
  };
}

function messages(role: string, content: string): string {
  return JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
}
