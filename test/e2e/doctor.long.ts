import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../cli/run-command.ts';
import type { ToldCell } from '../../src/model/told-cells.ts';
import { BOUNDED, until } from '../support/until.ts';
import { SHORT_RUN, sendSpans } from '../ui/play.ts';
import { federation } from './federation.ts';
import { RealService, temporaryFolder } from './real-service.ts';

test(
  '[DR3] doctor finds nothing where all is well, and names what several cells cannot join',
  BOUNDED,
  async (t) => {
    const { cells, url } = await federation(t, 2);
    const [first, second] = cells as [RealService, RealService];
    await sendSpans(first.otlpHttp, 'whole', SHORT_RUN);
    await first.flush();
    const well = await run(['doctor', '--url', url]);
    assert.deepEqual(
      [well.code, well.stdout, well.stderr],
      [0, 'All is well: 2 cells, 1 task looked at.\n', ''],
    );
    await sendSpans(first.otlpHttp, 'in-two', SHORT_RUN, [0, 1]);
    await sendSpans(second.otlpHttp, 'in-two', SHORT_RUN, [2]);
    await first.flush();
    await second.flush();
    const found = await run(['doctor', '--url', url]);
    assert.equal(found.code, 1);
    assert.match(found.stdout, /^! 1 task in several cells \(in-two\): share out by session\.id/m);
    assert.match(found.stdout, /^! 1 trace in several cells \([0-9a-f]{32}\): /m);
  },
);

test(
  '[DR2] [CE9] a gateway tells how its cells are, and counts them; a service that is none names none',
  BOUNDED,
  async (t) => {
    const { url } = await federation(t, 2);
    const answer = await fetch(`${url}/api/cells`);
    const { cells } = (await answer.json()) as { readonly cells: readonly Record<string, unknown>[] };
    assert.deepEqual(
      cells.map(({ name, state, version }) => [name, state, version]),
      [
        ['cell-0', 'well', '0.0.0-test'],
        ['cell-1', 'well', '0.0.0-test'],
      ],
    );
    const alone = await RealService.start({ dataDir: await temporaryFolder(t) });
    t.after(() => alone.stop());
    const told = await run(['doctor', '--url', alone.readers]);
    const counted = async (at: string): Promise<readonly string[]> =>
      [...(await (await fetch(`${at}/metrics`)).text()).matchAll(/^explain_cells\{(.*)\} ([1-9]\d*)$/gm)].map(
        ([, labels, cells]) => `${labels} ${cells}`,
      );
    assert.deepEqual(await counted(url), ['cell="gateway",state="well" 2']);
    assert.deepEqual(await counted(alone.readers), []);
    assert.match(await alone.metrics(), /^explain_cells\{state="away"\} 0$/m);
    assert.equal(told.code, 0);
    assert.match(told.stdout, /This is one service/);
  },
);

test(
  '[DR5] cells lists how each cell is, and says when one that is drained may be stopped',
  BOUNDED,
  async (t) => {
    const { cells, url } = await federation(t, 3, { drained: ['cell-1'] });
    const [first, second, third] = cells as [RealService, RealService, RealService];
    await sendSpans(first.otlpHttp, 'over', SHORT_RUN);
    await first.flush();
    const entry = { requestId: 'open', timestamp: Date.now(), sequence: 1, tokens: ['I think'] };
    const think = (fields: object): Promise<Response> =>
      fetch(`${second.readers}/api/cot`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...entry, ...fields }),
      });
    assert.equal((await think({})).status, 202);
    await second.flush();
    await third.stop();
    const list = async (): Promise<readonly ToldCell[]> => {
      const { code, stdout } = await run(['cells', '--json', '--url', url]);
      assert.equal(code, 0);
      return JSON.parse(stdout) as readonly ToldCell[];
    };
    await until('the third is known to be away', async () => (await list())[2]?.state === 'away');
    assert.deepEqual(
      (await list()).map(({ name, state, drain, tasks }) => [name, state, drain, tasks]),
      [
        ['cell-0', 'well', undefined, { tasks: 1, running: 0 }],
        ['cell-1', 'well', true, { tasks: 1, running: 1 }],
        ['cell-2', 'away', undefined, undefined],
      ],
    );
    const { stdout: before } = await run(['cells', '--url', url]);
    assert.match(before, /^CELL +ADDRESS +STATE +SINCE +VERSION +RUNNING +TASKS +ODDITIES$/m);
    assert.match(before, /^cell-0 +\S+ +serving +\S+Z +0\.0\.0-test +0 +1$/m);
    assert.match(before, /^cell-1 +\S+ +draining +\S+Z +0\.0\.0-test +1 +1$/m);
    assert.match(before, /^cell-2 +\S+ +away +\S+Z +\S+ +\? +\?$/m);
    assert.match(before, /^! cell cell-2 is away since /m);
    assert.match(before, /^cell-1 is to be waited for: 1 task of it is running\.$/m);
    assert.equal((await think({ sequence: 2, tokens: [' and am done.'], final: true })).status, 202);
    await second.flush();
    const { stdout: after } = await run(['cells', '--url', url]);
    assert.match(after, /^cell-1 may be taken out of the list and stopped: none of its tasks is running\.$/m);
  },
);

test('[DR5] cells says of a service that is no gateway that it has none', BOUNDED, async (t) => {
  const alone = await RealService.start({ dataDir: await temporaryFolder(t) });
  t.after(() => alone.stop());
  const told = await run(['cells', '--url', alone.readers]);
  assert.deepEqual([told.code, told.stdout], [0, 'This is one service, not a gateway: it has no cells.\n']);
  assert.equal((await run(['cells', '--url', alone.readers, '--json'])).stdout, '[]\n');
  assert.equal((await run(['cells', 'cell-0', '--url', alone.readers])).code, 2);
  assert.equal((await run(['cells', '--url', 'http://127.0.0.1:1'])).code, 1);
});
