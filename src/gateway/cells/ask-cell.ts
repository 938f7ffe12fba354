import { agentFor, exchange, gatewayKey, type CellAccess, type CellAnswer } from './exchange.ts';

/** What a cell says of itself has some hundred bytes; its reasons are sentences. */
const MAX_BYTES = 64 * 1024;

/**
 * Asks one cell who it is.
 * @param address `host:port` @param signal ends it, however far it came
 * @throws Error whose message is for people, behind the name of the cell
 */
export type AskCell = (address: string, signal: AbortSignal) => Promise<Pick<CellAnswer, 'status' | 'body'>>;

/** By `GET /api/cell`, over connections that are kept: a cell is asked all the time. */
export function askOverHttp({ token, tls }: CellAccess): {
  readonly ask: AskCell;
  readonly close: () => void;
} {
  const agent = agentFor(tls, { keepAlive: true, maxSockets: 2 });
  const headers = { accept: 'application/json', ...gatewayKey(token) };
  const request = { tls, agent, method: 'GET', path: '/api/cell', headers, maxBytes: MAX_BYTES } as const;
  return {
    ask: (address, signal) => exchange({ ...request, address, signal }),
    close: () => agent.destroy(),
  };
}
