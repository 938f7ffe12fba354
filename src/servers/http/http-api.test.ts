import { ingestRoute, type IngestHandler } from './ingest-route.ts';
import { Pace } from '../../base/pace.ts';
import { systemClock } from '../../base/clock.ts';
import { InflightBytes } from '../../transport/inflight-bytes.ts';
import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { startTestServers } from '../../../test/support/test-servers.ts';
import type { TestServers, TestServersOptions } from '../../../test/support/test-servers.ts';
import { span, taskId } from '../../../test/reader-contract/records.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly json: any; // oxlint-disable-line typescript/no-explicit-any
}

interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** node:http rather than fetch: it sends any Host and undoes no compression. */
function ask(
  service: TestServers,
  path: string,
  { method = 'GET', headers = {}, body }: Ask = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ ...service.address, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const whole = Buffer.concat(chunks);
        const plain = response.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole;
        const isJson = /json/.test(response.headers['content-type'] ?? '') && plain.length > 0;
        const json: unknown = isJson ? JSON.parse(plain.toString()) : undefined;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: whole, json });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function withService(options: TestServersOptions, run: (service: TestServers) => Promise<void>) {
  const service = await startTestServers(options);
  try {
    await run(service);
  } finally {
    await service.stop();
  }
}

describe('HTTP API', () => {
  let service: TestServers;

  before(async () => {
    service = await startTestServers();
    await service.feed([
      span({ trace: 1, span: 1, name: 'plan' }),
      span({ trace: 1, span: 2, parent: 1, name: 'act', status: 'ERROR', costUsd: 0.5 }),
      ...Array.from({ length: 100 }, (_, n) =>
        span({ trace: 2, span: n + 1, name: `step ${n}`, status: 'ERROR' }),
      ),
    ]);
  });
  after(() => service.stop());

  test('[SV50] the graph comes filtered and in the format asked for', async () => {
    const task = taskId(1);
    const all = await ask(service, `/api/graph?taskIds=${task}`);
    assert.equal(all.status, 200);
    assert.deepEqual([all.json.nodes.length, all.json.edges.length], [2, 1]);
    const errors = await ask(service, `/api/graph?taskIds=${task}&status=ERROR&minCostUsd=0.1`);
    assert.deepEqual(
      errors.json.nodes.map((node: { name: string }) => node.name),
      ['act'],
    );
    assert.equal(
      (await ask(service, `/api/graph?taskIds=${task}&format=cytoscape`)).json.elements.edges.length,
      1,
    );
    assert.equal((await ask(service, `/api/graph?taskIds=${task}&format=d3`)).json.links.length, 1);
    const drawn = await fetch(
      `http://127.0.0.1:${service.address.port}/api/graph?taskIds=${task}&format=dot`,
    );
    assert.equal(drawn.headers.get('content-type'), 'text/vnd.graphviz; charset=utf-8');
    assert.match(await drawn.text(), /^digraph explanation \{\n[^]* -> [^]*\n\}\n$/);
    assert.equal(
      (await ask(service, `/api/graph?taskIds=${task}&format=graphology`)).json.options.multi,
      true,
    );
  });

  test('[SV51] unknown parameters and wrong values are 400 and named', async () => {
    for (const [path, named] of [
      ['/api/graph?taskId=a', /`taskId`/],
      ['/api/graph?status=NOPE', /status/],
      ['/api/graph?minCostUsd=many', /minCostUsd/],
      ['/api/graph?format=xml', /format/],
      ['/api/tasks?x=1', /`x`/],
      ['/api/graph?%3Cscript%3E=1', /not a plain name/],
    ] as const) {
      const { status, json } = await ask(service, path);
      assert.equal(status, 400, path);
      assert.equal(json.error.code, 'INVALID_ARGUMENT');
      assert.match(json.error.message, named);
    }
  });

  test('[SV52] a node is fetched by its percent-encoded id', async () => {
    const { json } = await ask(service, `/api/graph?taskIds=${taskId(1)}`);
    const { id } = json.nodes[0];
    const found = await ask(service, `/api/nodes/${encodeURIComponent(id)}`);
    assert.equal(found.json.node.id, id);
    assert.equal((await ask(service, '/api/nodes/a%2Fb%20c')).status, 404);
    assert.equal((await ask(service, '/api/nodes/%ff')).status, 400);
    assert.equal((await ask(service, '/api/nodes/')).status, 404);
  });

  test('[SV52] two tasks are compared', async () => {
    const { json } = await ask(service, `/api/compare?a=${taskId(1)}&b=${taskId(2)}`);
    assert.deepEqual([json.a, json.b, json.totals.b.nodes], [taskId(1), taskId(2), 100]);
    assert.equal(json.counts.differing + json.counts.onlyB, 100);
    for (const [query, status, named] of [
      ['', 400, /^a /],
      [`?a=${taskId(1)}`, 400, /^b /],
      [`?a=${taskId(1)}&b=${taskId(1)}`, 400, /^b: /],
      [`?a=${taskId(1)}&a=${taskId(2)}`, 400, /^a may be given once/],
      [`?a=${taskId(1)}&b=nobody`, 404, /^b: no task/],
      ['?a=1&b=2&c=3', 400, /`c`/],
    ] as const) {
      const answer = await ask(service, `/api/compare${query}`);
      assert.equal(answer.status, status, query);
      assert.match(answer.json.error.message, named);
    }
  });

  test('[SV52] patterns over tasks, by the filters of a subscription', async () => {
    const all = (await ask(service, '/api/patterns')).json;
    assert.deepEqual(all.tasks, { failed: 2, passed: 0 });
    const one = (await ask(service, `/api/patterns?taskIds=${taskId(1)}&status=OK`)).json;
    assert.deepEqual(one.tasks, { failed: 1, passed: 0 });
    const refused = await ask(service, '/api/patterns?nope=1');
    assert.deepEqual([refused.status, refused.json.error.code], [400, 'INVALID_ARGUMENT']);
    assert.match((await ask(service, '/api/patterns?minCostUsd=x')).json.error.message, /^minCostUsd /);
  });

  test('[SV52] tasks and pruning', async () => {
    assert.equal((await ask(service, '/api/tasks')).json.tasks.length, 2);
    for (const query of [`taskIds=${taskId(1)},none`, `taskIds=none&taskIds=${taskId(1)}`])
      assert.equal((await ask(service, `/api/tasks?${query}`)).json.tasks[0].taskId, taskId(1), query);
    const post = (body: string) => ask(service, '/api/prune', { method: 'POST', body });
    assert.deepEqual((await post('{"olderThanMinutes":5}')).json, { prunedNodes: 0 });
    assert.match((await post('{"olderThanMinutes":"5"}')).json.error.message, /olderThanMinutes/);
    for (const body of ['', '[]', 'SECRET', 'null']) {
      const { status, json } = await post(body);
      assert.equal(status, 400);
      assert.doesNotMatch(json.error.message, /SECRET/);
    }
  });

  test('[SV52] the members of a summary come page by page', async () => {
    const steps = [2, 3, 4, 5, 6].map((n) =>
      span({ trace: 77, span: n, parent: 1, name: 'step', latencyMs: 5 }),
    );
    await service.feed([span({ trace: 77, span: 1, name: 'run' }), ...steps]);
    const { json } = await ask(service, `/api/graph?taskIds=${taskId(77)}&nodeTypes=LLM_CALL`);
    const { id } = json.nodes.find((node: { readonly type: string }) => node.type === 'SUMMARY');
    const path = `/api/nodes/${encodeURIComponent(id)}`;
    const page = await ask(service, `${path}?offset=3&limit=4`);
    assert.equal(page.json.memberCount, 5);
    assert.equal(page.json.members.length, 2);
    for (const wrong of ['offset=-1', 'limit=0', 'limit=x', 'limit=5&limit=6', 'page=2'])
      assert.equal((await ask(service, `${path}?${wrong}`)).status, 400, wrong);
  });

  test('[SV53] a missing path lists what exists, a wrong method says which are allowed', async () => {
    const missing = await ask(service, '/nope');
    assert.equal(missing.status, 404);
    assert.match(missing.json.error.message, /\/api\/graph.*\/api\/nodes\/\{id\}/);
    const wrong = await ask(service, '/api/graph', { method: 'DELETE' });
    assert.equal(wrong.status, 405);
    assert.equal(wrong.headers.allow, 'GET, HEAD');
    assert.equal((await ask(service, '/api/prune')).headers.allow, 'POST');
  });

  test('[SV53] a person at a missing path gets a page that leads to those that there are, programs get JSON', async () => {
    const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
    const path = '/no/<script>alert(1)</script>';
    const page = await ask(service, path, { headers: browser });
    assert.equal(page.status, 404);
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
    const html = page.body.toString();
    const [, nonce = ''] = /<style nonce="([^"]+)">/.exec(html) ?? [];
    const there = await ask(service, '/');
    const policy = (told: IncomingHttpHeaders) =>
      String(told['content-security-policy']).replace(/'nonce-[^']+'/, 'nonce');
    assert.ok(String(page.headers['content-security-policy']).includes(`'nonce-${nonce}'`));
    assert.equal(policy(page.headers), policy(there.headers));
    assert.doesNotMatch(html, /alert/);
    const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
    assert.ok(links.length > 0);
    for (const link of links) {
      const { pathname } = new URL(link, `http://localhost${encodeURI(path)}`);
      assert.equal((await ask(service, pathname)).status, 200, link);
    }
    assert.match(html, /\/api\/graph/);
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0'])
      assert.match((await ask(service, path, { headers: { accept } })).json.error.message, /\/api\/graph/);
  });

  test('[SV53] HEAD has the headers of GET and no body', async () => {
    const [head, get] = [
      await ask(service, '/api/tasks', { method: 'HEAD' }),
      await ask(service, '/api/tasks'),
    ];
    assert.equal(head.status, 200);
    assert.equal(head.body.length, 0);
    assert.equal(head.headers['content-length'], get.headers['content-length']);
  });

  test('[SV54] every answer has the security headers', async () => {
    for (const path of ['/', '/healthz', '/nope', '/api/graph']) {
      const { headers } = await ask(service, path);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['x-frame-options'], 'DENY');
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    }
  });

  test('[SV54] a large answer is gzipped for those who take it', async () => {
    const zipped = await ask(service, '/api/graph', { headers: { 'accept-encoding': 'br, gzip;q=0.5' } });
    const plain = await ask(service, '/api/graph');
    const refused = await ask(service, '/api/graph', { headers: { 'accept-encoding': 'gzip;q=0' } });
    assert.equal(zipped.headers['content-encoding'], 'gzip');
    assert.ok(zipped.body.length * 4 < plain.body.length, `${zipped.body.length} of ${plain.body.length}`);
    assert.deepEqual(zipped.json, plain.json);
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(refused.headers['content-encoding'], undefined);
    const small = await ask(service, '/api/tasks', { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(small.headers['content-encoding'], undefined);
  });

  test('[SV30] a foreign Host is refused before anything else, health and metrics included', async () => {
    for (const path of ['/', '/healthz', '/metrics', '/api/graph', '/nope']) {
      const { status, json } = await ask(service, path, { headers: { host: 'evil.example' } });
      assert.equal(status, 403, path);
      assert.match(json.error.message, /allowedHosts/);
    }
  });

  test('[SV31] a foreign Origin is refused, an allowed one is answered with CORS headers', async () => {
    await withService({ allowedOrigins: ['https://dash.example'], auth: { token: 't' } }, async (guarded) => {
      const headers = { origin: 'https://dash.example', authorization: 'Bearer t' };
      const allowed = await ask(guarded, '/api/tasks', { headers });
      assert.equal(allowed.headers['access-control-allow-origin'], 'https://dash.example');
      const preflight = await ask(guarded, '/api/cot', {
        method: 'OPTIONS',
        headers: { origin: headers.origin },
      });
      assert.equal(preflight.status, 204);
      assert.match(String(preflight.headers['access-control-allow-headers']), /authorization/);
      const foreign = await ask(guarded, '/api/tasks', {
        headers: { ...headers, origin: 'https://evil.example' },
      });
      assert.equal(foreign.status, 403);
      assert.equal(foreign.headers['access-control-allow-origin'], undefined);
    });
  });

  test('[SV32] with a token set, everything but health and the page asks for it', async () => {
    await withService({ auth: { token: 'right' } }, async (guarded) => {
      for (const path of ['/api/graph', '/api/tasks', '/metrics', '/readyz', '/api/nodes/x']) {
        const { status, headers, json } = await ask(guarded, path);
        assert.equal(status, 401, path);
        assert.equal(headers['www-authenticate'], 'Bearer');
        assert.equal(json.error.code, 'UNAUTHENTICATED');
        const wrong = await ask(guarded, path, { headers: { authorization: 'Bearer wrong' } });
        assert.equal(wrong.status, 401);
      }
      for (const path of ['/healthz', '/', '/t/x', '/manifest.webmanifest'])
        assert.equal((await ask(guarded, path)).status, 200);
      const right = await ask(guarded, '/api/graph', { headers: { authorization: 'Bearer right' } });
      assert.equal(right.status, 200);
      const inQuery = await ask(guarded, '/api/graph?access_token=right');
      assert.equal(inQuery.status, 401, 'a token in a URL ends up in logs');
    });
  });

  test('[SV55] readyz gives 503 with the reasons; healthz stays 200', async () => {
    const readiness = () => ({ ready: false, reasons: ['the store is loading'] });
    await withService({ http: { readiness } }, async (starting) => {
      const ready = await ask(starting, '/readyz');
      assert.equal(ready.status, 503);
      assert.deepEqual(ready.json, { ready: false, reasons: ['the store is loading'] });
      assert.equal((await ask(starting, '/healthz')).status, 200);
    });
    assert.equal((await ask(service, '/readyz')).status, 200);
    assert.equal((await ask(service, '/metrics')).body.toString(), '# metrics');
  });

  test('[SV56] bodies reach the receiver whole, unzipped, with their type', async () => {
    const seen: [string, string][] = [];
    const cot: IngestHandler = async ({ body, contentType }) => {
      seen.push([body.toString(), contentType]);
      return { status: 202, body: { accepted: 1, rejected: 0, errors: [] } };
    };
    await withService(
      { http: { routes: [ingestRoute({ path: '/api/cot', query: [], counts: 'thoughts' }, cot)] } },
      async (target) => {
        const headers = { 'content-type': 'application/x-ndjson' };
        const plain = await ask(target, '/api/cot', { method: 'POST', headers, body: '{}\n{}' });
        assert.equal(plain.status, 202);
        assert.deepEqual(plain.json, { accepted: 1, rejected: 0, errors: [] });
        const zipped = { ...headers, 'content-encoding': 'gzip' };
        await ask(target, '/api/cot', { method: 'POST', headers: zipped, body: gzipSync('zipped') });
        assert.deepEqual(seen, [
          ['{}\n{}', 'application/x-ndjson'],
          ['zipped', 'application/x-ndjson'],
        ]);
      },
    );
  });

  test('[SV57] bodies are bounded before and after decompression, and say so', async () => {
    const limits = { maxBodyBytes: 2000, maxDecompressedBytes: 10_000 };
    const bodies = {
      limits,
      inflight: new InflightBytes(160 * 1024 * 1024),
      clock: systemClock,
      pace: new Pace(systemClock),
    };
    await withService({ http: { bodies } }, async (target) => {
      const post = (body: Buffer, encoding: string) =>
        ask(target, '/api/events', { method: 'POST', body, headers: { 'content-encoding': encoding } });
      assert.equal((await post(Buffer.alloc(2001), 'identity')).status, 413);
      const bomb = await post(gzipSync(Buffer.alloc(1_000_000)), 'gzip');
      assert.equal(bomb.status, 413);
      assert.match(bomb.json.error.message, /after decompression/);
      assert.equal((await post(gzipSync(Buffer.alloc(9000)), 'gzip')).status, 202);
      assert.equal((await post(Buffer.from('not gzip'), 'gzip')).status, 400);
      assert.equal((await post(Buffer.from('x'), 'br')).status, 415);
      const chunked = await ask(target, '/api/events', {
        method: 'POST',
        headers: { 'transfer-encoding': 'chunked' },
        body: Buffer.alloc(500_000),
      });
      assert.equal(chunked.status, 413, 'a body that does not say its length is bounded too');
    });
  });

  test('[SV57] all pending bodies together are bounded', async () => {
    const limits = { maxBodyBytes: 2000, maxDecompressedBytes: 10_000 };
    const bodies = {
      limits,
      inflight: new InflightBytes(1000),
      clock: systemClock,
      pace: new Pace(systemClock),
    };
    await withService({ http: { bodies } }, async (target) => {
      const full = await ask(target, '/api/cot', { method: 'POST', body: 'x'.repeat(2000) });
      assert.equal(full.status, 429);
      assert.equal(full.headers['retry-after'], '1');
      const next = await ask(target, '/api/cot', { method: 'POST', body: 'x'.repeat(500) });
      assert.equal(next.status, 202, 'the room is free again');
    });
  });

  test('[SV58] an unexpected failure is a 500 that tells nothing of its cause', async () => {
    const events = () => Promise.reject(new TypeError('SECRET'));
    await withService(
      { http: { routes: [ingestRoute({ path: '/api/events', query: [], counts: 'spans' }, events)] } },
      async (target) => {
        const { status, json } = await ask(target, '/api/events', { method: 'POST', body: '{}' });
        assert.equal(status, 500);
        assert.equal(json.error.code, 'INTERNAL');
        assert.doesNotMatch(json.error.message, /SECRET/);
      },
    );
  });

  test('[SV59] the page has a strict policy with a fresh nonce, and its files are named by what is in them', async () => {
    const [one, two] = [await ask(service, '/'), await ask(service, '/t/a%2Fb?view=table')];
    const policy = String(one.headers['content-security-policy']);
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    const html = one.body.toString();
    assert.match(policy, /^default-src 'none'; script-src 'self';/);
    assert.match(policy, /require-trusted-types-for 'script'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.ok(html.includes(`content="${nonce}"`));
    assert.doesNotMatch(html, /%NONCE%|<script(?![^>]* src=)| on\w+=| style=|https?:/);
    assert.notEqual(policy, two.headers['content-security-policy']);
    assert.equal(one.headers['cache-control'], 'no-store');
    const [, script = ''] = /src="\.\/(assets\/[^"]+\.js)"/.exec(html) ?? [];
    assert.ok(
      two.body.toString().includes(`src="../${script}"`),
      'references lead to the root from everywhere',
    );

    const headers = { 'accept-encoding': 'gzip' };
    const file = await ask(service, `/${script}`, { headers });
    assert.equal(file.status, 200);
    assert.match(String(file.headers['content-type']), /^text\/javascript/);
    assert.equal(file.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.ok(gunzipSync(file.body).length > file.body.length);
    const again = await ask(service, `/${script}`, {
      headers: { 'if-none-match': String(file.headers.etag) },
    });
    assert.equal(again.status, 304);
    assert.equal(again.body.length, 0);
    for (const path of [
      '/assets/..%2Findex.html',
      '/assets/none.js',
      '/assets/%2e%2e%2f%2e%2e%2fpackage.json',
    ])
      assert.equal((await ask(service, path)).status, 404, path);
  });
});
