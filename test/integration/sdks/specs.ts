import { aiSdk6 } from './ai-sdk-6/spec.ts';
import { aiSdk7 } from './ai-sdk-7/spec.ts';
import { anthropicOwn, anthropicTwins } from './anthropic/spec.ts';
import { genkit } from './genkit/spec.ts';
import { langchain } from './langchain/spec.ts';
import { langfuse, twins } from './langfuse/spec.ts';
import { mastra } from './mastra/spec.ts';
import { contrib, openinference, traceloop } from './openai/spec.ts';
import type { SdkSpec } from './spec.ts';

export const SPECS: readonly SdkSpec[] = [
  aiSdk6,
  aiSdk7,
  langchain,
  openinference,
  traceloop,
  contrib,
  langfuse,
  twins,
  genkit,
  mastra,
  anthropicOwn,
  anthropicTwins,
];
