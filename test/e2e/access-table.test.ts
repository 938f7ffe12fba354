import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ROLES, type Role } from '../../src/access/roles.ts';
import { accessPage, mayCome, type WayIn } from '../../src/access/ways-in.ts';
import { explainService } from '../../src/servers/grpc/load-proto.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { askHttp, askWebSocket, callGrpc, openWebSocket, streamGrpc, type Said } from './ways-in.ts';

type Outcome = 'let in' | 'not known' | 'not allowed';

const REFLECTION = 'grpc.reflection.v1.ServerReflection';
/** Tries it with an empty request: what is wrong with that is told to those only who may come. */
type Try = (service: RealService, way: WayIn, said: Said) => Promise<Outcome>;

const TRIES: Readonly<Record<WayIn['over'], Try>> = {
  async HTTP(service, { name }, said) {
    const [method = '', path = ''] = name.split(' ');
    return outcomeOf(await askHttp(service, method, path.replace(/\{\w+\}/g, 'x'), said));
  },
  async OTLP(service, way, said) {
    if (!way.name.startsWith('POST ')) {
      const codes = await Promise.all(
        [service.otlpGrpc, addressOf(service)].map((address) => callGrpc(address, `/${way.name}`, said)),
      );
      assert.equal(codes[0], codes[1], 'both ports answer alike');
      return outcomeOfCode(codes[0]);
    }
    const path = way.name.slice('POST '.length);
    const own = await fetch(service.otlpHttp + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...said },
      body: '{}',
    });
    const shared = await askHttp(service, 'POST', path, said);
    assert.equal(own.status, shared.status, 'both ports answer alike');
    return outcomeOf({ ...shared, text: shared.status === 403 ? 'this needs the right' : '' });
  },
  async gRPC(service, { name }, said) {
    if (name.endsWith('/Subscribe') || name === REFLECTION || name.startsWith('grpc.reflection.')) {
      const path = name.includes('/') ? `/${name}` : `/${name}/ServerReflectionInfo`;
      const { first, end } = streamGrpc(addressOf(service), path, said);
      return outcomeOfCode(await Promise.race([first.then(() => 0), end.then(({ code }) => code)]));
    }
    return outcomeOfCode(
      await callGrpc(addressOf(service), name.includes('/') ? `/${name}` : `/${name}/Check`, said),
    );
  },
  async WebSocket(service, { name }, said) {
    const [, path] = name.split(' ');
    const socket = await openWebSocket(service, said, [], path);
    if (typeof socket === 'number') return outcomeOf({ status: socket, text: 'this needs the right' });
    try {
      const answer = name.startsWith('GET ')
        ? {}
        : await askWebSocket(socket, { type: name, filters: {}, requestId: 'r' });
      return JSON.stringify(answer).includes('this needs the right') ? 'not allowed' : 'let in';
    } finally {
      socket.terminate();
    }
  },
  async MCP(service, { name }, said) {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } };
    const accept = { ...said, accept: 'application/json, text/event-stream' };
    const answer = await askHttp(service, 'POST', '/mcp', accept, JSON.stringify(message));
    return answer.text.includes('this needs the right') ? 'not allowed' : outcomeOf(answer);
  },
};

function outcomeOf({ status, text }: { readonly status: number; readonly text: string }): Outcome {
  if (status === 401) return text.includes('log-in') ? 'let in' : 'not known';
  return status === 403 && text.includes('this needs the right') ? 'not allowed' : 'let in';
}

function outcomeOfCode(code: number | undefined): Outcome {
  if (code === 16) return 'not known';
  return code === 7 ? 'not allowed' : 'let in';
}

function addressOf(service: RealService): string {
  return service.readers.replace('http://', '');
}

test('[AC10] each way in, tried with each role, lets in whom docs/access.md says, and nobody who says nothing', async (t) => {
  const dataDir = await temporaryFolder(t);
  const auth = { token: 'token-of-all', adminToken: 'admin-token' };
  const service = await RealService.start({ dataDir, flags: ['--auth', JSON.stringify(auth)] });
  t.after(() => service.stop());
  const ways = await service.service.waysIn();
  const keyOf = async (role: Role): Promise<string> => {
    const body = JSON.stringify({ name: role, roles: [role] });
    const made = await askHttp(service, 'POST', '/api/keys', { 'x-api-key': auth.adminToken }, body);
    return (JSON.parse(made.text) as { key: string }).key;
  };
  const wrong: string[] = [];
  const check = async (way: WayIn, who: string, said: Said, wanted: Outcome): Promise<void> => {
    const found = await TRIES[way.over](service, way, said);
    if (found !== wanted) wrong.push(`${way.over} ${way.name} as ${who}: ${found}, not ${wanted}`);
  };
  for (const role of ROLES) {
    const said = { 'x-api-key': await keyOf(role) };
    for (const way of ways) await check(way, role, said, mayCome(way, role) ? 'let in' : 'not allowed');
  }
  // That it is not known who asks is the answer of /api/me.
  const isOpen = ({ name, needs }: WayIn): boolean => needs === 'nothing' && name !== 'GET /api/me';
  for (const way of ways) await check(way, 'a stranger', {}, isOpen(way) ? 'let in' : 'not known');
  assert.deepEqual(wrong, []);
});

test('[AC10] docs/access.md is what the service declares, and what gRPC has is in it', async (t) => {
  const service = await RealService.start({
    dataDir: await temporaryFolder(t),
    flags: ['--durability=memory'],
  });
  t.after(() => service.stop());
  const ways = await service.service.waysIn();
  const written = await readFile(new URL('../../docs/access.md', import.meta.url), 'utf8');
  const plain = (page: string): string => page.replace(/ +/g, ' ').replace(/-{3,}/g, '---');
  assert.equal(plain(written), plain(accessPage(ways)), 'run npm run access:write');
  const names = new Set(ways.map(({ name }) => name));
  for (const method of Object.values(explainService)) assert.ok(names.has(method.path.slice(1)), method.path);
});
