import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ServiceConfig } from '../../config/schema.ts';
import type { Client } from '../../client/client.ts';
import type { LiveGraph } from '../../client/live-graph.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { Line } from '../terminal/line.ts';
import { follow, untilThereIs } from './follow.ts';
import { treeOf } from './explain.ts';

/** Beside `src` in the repository, beside `dist` in the package. */
const AGENT = fileURLToPath(new URL('../../../examples/interrupt/runaway.js', import.meta.url));
/** An agent that goes in circles is stopped in two seconds; a busy machine may be slow. */
const STOPPED_WITHIN_MS = 60_000;

/** The guard of this demo: whoever does the same six times is asked to stop. */
export const RUNAWAY_GUARDS: ServiceConfig['guards'] = [
  {
    name: 'loops',
    per: 'agent',
    limits: { sameStep: 6 },
    action: 'interrupt',
    dryRun: false,
    coolDownSeconds: 300,
  },
];

export interface RunawayOptions {
  readonly client: Client;
  /** Follows everything. */
  readonly live: LiveGraph;
  /** URL of the readers' port. */
  readonly base: string;
  readonly token: string | undefined;
  /** The file of the authority that signed the service's certificate. */
  readonly ca: string | undefined;
  readonly say: (lines: readonly Line[]) => void;
  readonly stopped: AbortSignal;
}

/** An agent that goes in circles, the guard that notices, and how it ended. Rejects where it did not stop. */
export async function showRunaway(options: RunawayOptions): Promise<void> {
  const { client, live, say, stopped } = options;
  say([
    [],
    [
      {
        text: 'An agent looks for something that is not there, again and again (examples/interrupt/runaway.js).',
      },
    ],
    [
      {
        text: 'A guard asks whoever does the same six times to stop: {"name": "loops", "per": "agent", "limits": {"sameStep": 6}}.',
      },
    ],
    [],
  ]);
  follow(live, (line) => say([line]));
  await live.ready;
  const agent = startAgent(options);
  const end = (): void => void agent.kill();
  stopped.addEventListener('abort', end);
  try {
    for (const one of ['SearchStopped', 'InterruptAnswered'])
      await untilThereIs(live, ({ name }) => name === one, STOPPED_WITHIN_MS, stopped);
    const nodes = live.graph.mapNodes((_, node) => node);
    const taskId = nodes.find(({ name }) => name === 'SearchStopped')?.taskId ?? '';
    say([[], [{ text: 'What led to what:', style: 'bold' }], ...(await treeOf(client, taskId)), []]);
    say(howItEnded(nodes).map((text): Line => [{ text }]));
  } finally {
    stopped.removeEventListener('abort', end);
    end();
  }
}

function howItEnded(nodes: readonly ExplanationNode[]): readonly string[] {
  const detail = (name: string, key: string): string => {
    const value = nodes.find((node) => node.name === name)?.details?.[key];
    return typeof value === 'string' ? value : 'nothing';
  };
  const searches = nodes.filter(({ name }) => name === 'Searched').length;
  return [
    `${searches} searches; the guard fired: ${detail('GuardFired', 'summary')}`,
    `${detail('UserInterrupt', 'askedBy')} asked it to stop (${detail('UserInterrupt', 'reason')}); it answered: ${detail('InterruptAnswered', 'summary')}`,
    'It stopped.',
  ];
}

function startAgent({ base, token, ca }: RunawayOptions): ChildProcess {
  return spawn(process.execPath, [AGENT, base], {
    env: {
      ...process.env,
      ...(token !== undefined && { EXPLAINABILITY_AGENT_TOKEN: token }),
      ...(ca !== undefined && { NODE_EXTRA_CA_CERTS: ca }),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
