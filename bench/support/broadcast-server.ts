import { readFileSync } from 'node:fs';
import { WebSocketServer } from 'ws';

/**
 * The bare yardstick of fan-out, a process of its own: on every message from its parent it sends the same text to
 * every client, and does nothing else. The text is made into bytes once.
 */
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
const text = Buffer.from(readFileSync(process.argv[2] ?? '', 'utf8'));

server.on('listening', () => process.send?.((server.address() as { readonly port: number }).port));
process.on('message', () => {
  for (const client of server.clients) client.send(text, { binary: false });
});
