import { agUi } from './ag-ui.ts';
import { adaptations } from './adaptations.ts';
import { aiSdk } from './ai-sdk.ts';
import { anyAgent } from './any-agent.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { costs } from './costs.ts';
import { autogen } from './autogen.ts';
import type { Convention } from './convention.ts';
import { copilot } from './copilot.ts';
import { geminiCli } from './gemini-cli.ts';
import { genAi } from './gen-ai.ts';
import { genAiIndexed } from './gen-ai-indexed.ts';
import { genkit } from './genkit.ts';
import { googleAdk } from './google-adk.ts';
import { langfuse } from './langfuse.ts';
import { langsmith } from './langsmith.ts';
import { logfireAgents } from './logfire-agents.ts';
import { mastra } from './mastra.ts';
import { mcp } from './mcp.ts';
import { mew } from './mew.ts';
import { openinference } from './openinference.ts';
import { pendingSpan, spanPath } from './open-spans.ts';
import { plans } from './plans.ts';
import { pydanticAi } from './pydantic-ai.ts';
import { spec } from './spec.ts';
import { thoughtflow } from './thoughtflow.ts';
import { traceloop } from './traceloop.ts';
import { who } from './who.ts';

/**
 * In order of precedence, strongest first: the project's own words, then what an SDK says explicitly, then the
 * products known by their marks, then the common standard, then what stands below it;
 * last what may stand beside any of them.
 */
export const CONVENTIONS: readonly Convention[] = [
  spec,
  agUi,
  thoughtflow,
  mew,
  langfuse,
  openinference,
  claudeCode,
  codex,
  geminiCli,
  copilot,
  mastra,
  genkit,
  aiSdk,
  langsmith,
  logfireAgents,
  pydanticAi,
  googleAdk,
  anyAgent,
  autogen,
  genAi,
  mcp,
  traceloop,
  genAiIndexed,
  who,
  costs,
  plans,
  adaptations,
  spanPath,
  pendingSpan,
];
