import { setTimeout } from 'node:timers/promises';
import { genkit, z } from 'genkit';
import { provider } from './telemetry.js';

/** A model takes its time: what comes after it begins in a later millisecond. */
const THINKING_MS = 5;
const ai = genkit({});
const answers = [
  {
    message: {
      role: 'model',
      content: [
        { reasoning: 'I have to look at the weather of Oslo.' },
        { toolRequest: { ref: 'call_oslo', name: 'get_weather', input: { city: 'Oslo' } } },
      ],
    },
    finishReason: 'stop',
    usage: {
      inputTokens: 1200,
      outputTokens: 90,
      totalTokens: 1290,
      cachedContentTokens: 1000,
      thoughtsTokens: 64,
    },
  },
  {
    message: { role: 'model', content: [{ text: 'Take an umbrella.' }] },
    finishReason: 'stop',
    usage: { inputTokens: 1300, outputTokens: 12, totalTokens: 1312 },
  },
];
const model = ai.defineModel(
  { name: 'googleai/gemini-2.5-flash', supports: { multiturn: true, tools: true, systemRole: true } },
  async () => {
    const answer = await setTimeout(THINKING_MS, answers.shift());
    if (answer === undefined) throw new Error('the model is overloaded');
    return answer;
  },
);
const getWeather = ai.defineTool(
  { name: 'get_weather', description: 'The weather of a city', inputSchema: z.object({ city: z.string() }) },
  async ({ city }) => `12 degrees, rain in ${city}`,
);
const weatherAgent = ai.defineFlow(
  { name: 'WeatherAgent', inputSchema: z.string(), outputSchema: z.string() },
  async (prompt) => (await ai.generate({ model, prompt, tools: [getWeather] })).text,
);

console.log(await weatherAgent('Do I need an umbrella in Oslo?'));
await weatherAgent('And tomorrow?').catch((error) => console.log(error.message));
await provider.shutdown();
process.exit(0); // Genkit keeps a server of its own open while it is developed with.
