import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { until } from './until.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples/interrupt');

export interface ExampleAgent {
  readonly printed: () => string;
  readonly prints: (pattern: RegExp) => Promise<void>;
  /** The code with which it ended. */
  readonly exit: Promise<number | null>;
  readonly kill: () => void;
}

/** One of the example agents, as a user starts it. @param token none where nobody is asked who they are */
export function startExampleAgent(
  [program, file]: readonly [string, string],
  url: string,
  token?: string,
): ExampleAgent {
  const env = {
    ...process.env,
    NODE_V8_COVERAGE: '',
    ...(token !== undefined && { EXPLAINABILITY_AGENT_TOKEN: token }),
  };
  const agent = spawn(program, [resolve(EXAMPLES, file), url], { env });
  let printed = '';
  for (const stream of [agent.stdout, agent.stderr])
    stream.on('data', (piece: Buffer) => (printed += piece.toString()));
  return {
    printed: () => printed,
    prints: (pattern) => until(`it prints ${String(pattern)}`, () => pattern.test(printed)),
    exit: once(agent, 'close').then(([code]) => code as number | null),
    kill: () => void agent.kill('SIGKILL'),
  };
}
