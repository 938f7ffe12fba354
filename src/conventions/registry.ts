import { aiSdk } from './ai-sdk.ts';
import { anyAgent } from './any-agent.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import type { Convention } from './convention.ts';
import { geminiCli } from './gemini-cli.ts';
import { genAi } from './gen-ai.ts';
import { genkit } from './genkit.ts';
import { googleAdk } from './google-adk.ts';
import { langfuse } from './langfuse.ts';
import { langsmith } from './langsmith.ts';
import { mastra } from './mastra.ts';
import { mcp } from './mcp.ts';
import { openinference } from './openinference.ts';
import { pydanticAi } from './pydantic-ai.ts';
import { spec } from './spec.ts';
import { traceloop } from './traceloop.ts';

/**
 * In order of precedence, strongest first: the project's own words, then what an SDK says explicitly, then the
 * products known by their marks, then the common standard, then what stands below it.
 */
export const CONVENTIONS: readonly Convention[] = [
  spec,
  langfuse,
  openinference,
  claudeCode,
  codex,
  geminiCli,
  mastra,
  genkit,
  aiSdk,
  langsmith,
  pydanticAi,
  googleAdk,
  anyAgent,
  genAi,
  mcp,
  traceloop,
];
