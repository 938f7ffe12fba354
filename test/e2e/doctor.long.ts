import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../cli/run-command.ts';
import { BOUNDED } from '../support/until.ts';
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

test('[DR2] a gateway tells how its cells are, and a service that is none names none', BOUNDED, async (t) => {
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
  assert.equal(told.code, 0);
  assert.match(told.stdout, /This is one service/);
});
