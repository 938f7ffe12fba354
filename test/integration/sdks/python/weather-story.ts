/** What a model does next in the story that all programs play: the weather of two cities, one of which nobody knows. */
export interface Turn {
  readonly reasoning: string;
  readonly text?: string;
  readonly calls?: readonly Call[];
  /** Tokens. */
  readonly usage: { readonly input: number; readonly output: number };
}

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
}

/** What a request to a model shows of how far the story is. */
export interface Talk {
  readonly system: string;
  /** Names of the tools that it may ask for. */
  readonly tools: readonly string[];
  /** Names of the tools that it asked for before. */
  readonly asked: readonly string[];
}

export const QUESTION = 'What is the weather in Paris and in Atlantis?';
export const ANSWER = 'Paris has 18 C and sun; Atlantis is not known.';

/** The writer says the last word; the forecaster asks for the weather, then for the writer where it can, then answers. */
export function nextTurn({ system, tools, asked }: Talk): Turn {
  if (/you are the writer/i.test(system))
    return finish({ reasoning: 'The writer polishes the words.', usage: { input: 260, output: 40 } }, tools);
  if (tools.includes('get_weather') && !asked.includes('get_weather'))
    return {
      reasoning: 'I need the weather of both cities.',
      calls: [call('get_weather', { city: 'Paris' }, 1), call('get_weather', { city: 'Atlantis' }, 2)],
      usage: { input: 120, output: 30 },
    };
  const usage = { input: 200, output: 25 };
  const other = tools.find((name) => TO_WRITER.test(name));
  if (other !== undefined && !asked.includes(other)) {
    const args = other.endsWith('agent') ? { agent_name: 'writer' } : takesArguments(other);
    return { reasoning: 'The writer should finish it.', calls: [call(other, args, 3)], usage };
  }
  return finish({ reasoning: 'Paris is known, Atlantis failed.', usage }, tools);
}

/** By what name a framework offers another agent: to call it, or to hand over to it. */
const TO_WRITER = /writer|^transfer_to_agent$/i;

function takesArguments(name: string): Readonly<Record<string, string>> {
  return name.startsWith('ask_') ? { request: 'Write it in one sentence.' } : {};
}

/** smolagents gives its answer by a tool. */
function finish(turn: Omit<Turn, 'text' | 'calls'>, tools: readonly string[]): Turn {
  return tools.includes('final_answer')
    ? { ...turn, calls: [call('final_answer', { answer: ANSWER }, 4)] }
    : { ...turn, text: ANSWER };
}

function call(name: string, args: Call['args'], place: number): Call {
  return { id: `call_${name}_${place}`, name, args };
}
