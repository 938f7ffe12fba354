import { agentFor, exchange, gatewayKey, type CellAccess, type CellAnswer } from './exchange.ts';

/** What a cell says of itself, or of its tasks, has some hundred bytes; its reasons are sentences. */
const MAX_BYTES = 64 * 1024;

/**
 * Asks one cell for something.
 * @param address `host:port` @param signal ends it, however far it came
 * @throws Error whose message is for people, behind the name of the cell
 */
export type AskCell = (address: string, signal: AbortSignal) => Promise<Pick<CellAnswer, 'status' | 'body'>>;

/** Over connections that are kept: a cell is asked all the time. */
export function askOverHttp({ token, tls }: CellAccess): {
  /** `GET /api/cell`: who it is. */
  readonly ask: AskCell;
  /** `GET /api/cell/tasks`: how many it has. */
  readonly askTasks: AskCell;
  readonly close: () => void;
} {
  const agent = agentFor(tls, { keepAlive: true, maxSockets: 2 });
  const headers = { accept: 'application/json', ...gatewayKey(token) };
  const request = { tls, agent, method: 'GET', headers, maxBytes: MAX_BYTES } as const;
  return {
    ask: (address, signal) => exchange({ ...request, path: '/api/cell', address, signal }),
    askTasks: (address, signal) => exchange({ ...request, path: '/api/cell/tasks', address, signal }),
    close: () => agent.destroy(),
  };
}
