import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { BOUNDED } from '../../test/support/until.ts';
import { askApproval } from './control.ts';

test(
  '[AT24] what was answered while no stream was open is asked for when there is one again; a service that fails is asked again',
  BOUNDED,
  async (t) => {
    const posted: { readonly path: string; readonly id: unknown }[] = [];
    let streams = 0;
    const server = createServer((request, response) => {
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        // Another approval of the same key, and then a stream that is lost.
        const other = { type: 'approval', id: 'd', approvalId: 'other', state: 'denied' };
        response.write(`data: {"type":"waiting"}\n\ndata: ${JSON.stringify(other)}\n\n`);
        if (++streams === 1) response.end();
        return;
      }
      let body = '';
      request.on('data', (piece) => (body += String(piece)));
      request.on('end', () => {
        posted.push({ path: request.url ?? '', id: (JSON.parse(body) as { id?: unknown }).id });
        if (posted.length === 1) return response.writeHead(503).end();
        const state = streams < 2 ? 'pending' : 'approved';
        return response.end(JSON.stringify({ id: 'a', nodeId: 'event:approval:a', state }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const errors: string[] = [];
    const answer = await askApproval({
      question: 'May I?',
      agent: 'A',
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      onError: (error) => errors.push(String(error)),
    });
    assert.deepEqual(answer, { state: 'approved', nodeId: 'event:approval:a' });
    assert.equal(new Set(posted.map(({ id }) => id)).size, 1, 'one approval, however often it is asked for');
    assert.ok(posted.every(({ path }) => path === '/api/control/approvals'));
    assert.deepEqual(errors, ['Error: an answer is refused with 503']);
  },
);
