import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../base/clock.ts';
import { Pace } from '../../base/pace.ts';
import { countingMetrics } from '../../receivers/ag-ui/ag-ui-for-test.ts';
import { RecordingConsumer } from '../../receivers/otlp/otlp.test-support.ts';
import { RunStreams } from '../../servers/http/ag-ui/run-streams.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { startTestServers } from '../../../test/support/test-servers.ts';
import { AgUiIn } from './ag-ui-in.ts';

/** As `EVENTS_PER_SECOND` and `BURST` of the receiver say. */
const [PER_SECOND, AT_ONCE] = [5_000, 20_000];

test('[AG13] who sends too fast is told when to come again, and others are not concerned', async (t) => {
  const clock = new ManualClock();
  const { metrics, rejected } = countingMetrics();
  const consumer = new RecordingConsumer();
  const agUi = new AgUiIn({
    consumer,
    clock,
    metrics,
    logger: silentLogger,
    pace: new Pace(clock),
    agents: [],
    forwardEncrypted: false,
    sourcesOf: async () => undefined,
    stepOf: async () => undefined,
  });
  const servers = await startTestServers({ http: { routes: agUi.routes(new RunStreams(clock)) } });
  t.after(() => servers.stop());
  const post = async (runId: string, count: number): Promise<Response> => {
    const events = Array.from({ length: count }, () => ({ type: 'STATE_DELTA', delta: [] }));
    const response = await fetch(
      `http://${servers.address.host}:${servers.address.port}/ag-ui/events?runId=${runId}`,
      {
        method: 'POST',
        body: JSON.stringify([{ type: 'RUN_STARTED', threadId: 't', runId }, ...events]),
        headers: { 'content-type': 'application/json' },
      },
    );
    await response.arrayBuffer();
    return response;
  };

  // What a run takes beyond its bound has to come back first.
  assert.equal((await post('fast', AT_ONCE + 2 * PER_SECOND - 2)).status, 202);
  const refused = await post('fast', 1);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '2']);
  assert.equal(rejected.get('resource_exhausted'), 2);
  assert.equal((await post('slow', 10)).status, 202);
  clock.advance(1_999);
  assert.equal((await post('fast', 1)).status, 429);
  clock.advance(1);
  assert.equal((await post('fast', 1)).status, 202);
});
