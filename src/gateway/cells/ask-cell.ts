import { onBehalfOf } from '../../access/on-behalf-of.ts';
import type { Principal } from '../../access/principal.ts';
import type { Clock } from '../../base/clock.ts';
import { DEFAULT_PROJECT } from '../../model/project-name.ts';
import { agentFor, exchange, gatewayKey, type CellAccess, type CellAnswer } from './exchange.ts';

/** What a cell says of itself, or of its tasks, has some hundred bytes; its reasons are sentences. */
const MAX_BYTES = 64 * 1024;

/**
 * Asks one cell for something.
 * @param address `host:port` @param signal ends it, however far it came
 * @throws Error whose message is for people, behind the name of the cell
 */
export type AskCell = (address: string, signal: AbortSignal) => Promise<SaidByCell>;

/** What a cell answered, whatever its status. */
export type SaidByCell = Pick<CellAnswer, 'status' | 'body'>;

/**
 * What a cell answers within a time, or why it does not, for people, behind its name. Never rejects.
 * @param asking ends it before
 */
export async function askWithin(
  ms: number,
  ask: AskCell,
  address: string,
  clock: Pick<Clock, 'after'>,
  asking: AbortController = new AbortController(),
): Promise<SaidByCell | string> {
  const { promise: over, resolve } = Promise.withResolvers<string>();
  asking.signal.addEventListener('abort', () => resolve('is not asked any more'), { once: true });
  const timer = clock.after(ms, () => {
    resolve(`did not answer within ${ms / 1000} seconds`);
    asking.abort();
  });
  const asked = ask(address, asking.signal).catch((error: unknown) =>
    error instanceof Error ? error.message : 'cannot be asked',
  );
  const said = await Promise.race([asked, over]);
  timer.cancel();
  return said;
}

/** The gateway asks for itself as it asks for its readers: where these would be refused, it is, and they are told why. */
const ITSELF: Principal = {
  by: 'gateway',
  id: 'gateway',
  name: 'the gateway',
  roles: ['monitor'],
  project: DEFAULT_PROJECT,
};

/** Over connections that are kept: a cell is asked all the time. */
export function askOverHttp({ token, tls }: CellAccess): {
  /** `GET /api/cell`: who it is. */
  readonly ask: AskCell;
  /** `GET /api/cell/tasks`: how many it has. */
  readonly askTasks: AskCell;
  readonly close: () => void;
} {
  const agent = agentFor(tls, { keepAlive: true, maxSockets: 2 });
  const headers = { accept: 'application/json', ...gatewayKey(token), ...onBehalfOf(ITSELF) };
  const request = { tls, agent, method: 'GET', headers, maxBytes: MAX_BYTES } as const;
  return {
    ask: (address, signal) => exchange({ ...request, path: '/api/cell', address, signal }),
    askTasks: (address, signal) => exchange({ ...request, path: '/api/cell/tasks', address, signal }),
    close: () => agent.destroy(),
  };
}
