import { claudeCodeLogs } from './claude-code-logs.ts';
import { codexLogs } from './codex.ts';
import { geminiCliLogs } from './gemini-cli-logs.ts';
import { genAiEvents } from './genai-events.ts';
import type { LogConvention } from './log-convention.ts';

/** In order of precedence: of those that a record gives signs of, the first tells its step. */
export const LOG_CONVENTIONS: readonly LogConvention[] = [
  claudeCodeLogs,
  codexLogs,
  geminiCliLogs,
  genAiEvents,
];
