import { OpenAIInstrumentation } from '@traceloop/instrumentation-openai';
import OpenAI from 'openai';
import { runAgent } from './agent.js';
import { provider } from './telemetry.js';

const instrumentation = new OpenAIInstrumentation();
instrumentation.setTracerProvider(provider);
instrumentation.manuallyInstrument(OpenAI); // in ES modules nothing is patched on import

await runAgent(new OpenAI({ maxRetries: 0 }), 'openai-traceloop');
await provider.shutdown();
