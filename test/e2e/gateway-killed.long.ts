import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestNodeId } from '../../src/model/ids.ts';
import type { ExplanationGraph } from '../../src/model/node.ts';
import type { NodeDetail } from '../../src/model/reader-messages.ts';
import { freePorts } from '../integration/collector/free-ports.ts';
import { BOUNDED, until } from '../support/until.ts';
import { traceOf } from './federation.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { SpawnedService } from './spawned-service.ts';

const KILLS = 3;
const STREAMS = 24;
const PIECES = 8;
const PAUSE_MS = 150;
const AGAIN_MS = 100;

const pieceOf = (stream: number, piece: number): string => `Piece ${piece} of thought ${stream}. `;
const spanOf = (piece: number): string => `${piece + 1}`.padStart(16, '0');
const attributes = (values: Readonly<Record<string, string | number | boolean>>): object[] =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : typeof value === 'number'
          ? { intValue: value }
          : { boolValue: value },
  }));

/** A span, and a piece of a thought in its context: as an entry, as a log record, or as one that tells all at once. */
function bodiesOf(stream: number, piece: number): readonly (readonly [path: string, body: object])[] {
  const traceId = traceOf(stream);
  const nanos = `${BigInt(1_750_000_000_000 + piece) * 1_000_000n}`;
  const span = {
    traceId,
    spanId: spanOf(piece),
    name: `step ${piece}`,
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes: attributes({ taskID: `task-${stream}` }),
  };
  const final = piece === PIECES - 1;
  const said = { requestId: `r-${stream}`, taskId: `task-${stream}`, sequence: piece, final };
  const record = {
    traceId,
    timeUnixNano: nanos,
    attributes: attributes(said),
    body: { stringValue: pieceOf(stream, piece) },
  };
  const logs = { resourceLogs: [{ resource: {}, scopeLogs: [{ scope: {}, logRecords: [record] }] }] };
  const entry = {
    ...said,
    traceId,
    agent: 'A',
    tokens: [pieceOf(stream, piece)],
    timestamp: 1_750_000_000_000 + piece,
  };
  return [
    ['/v1/traces', { resourceSpans: [{ resource: {}, scopeSpans: [{ scope: {}, spans: [span] }] }] }],
    stream % 2 === 0 ? ['/v1/logs', logs] : ['/api/cot', entry],
  ];
}

test(
  '[GV9] a gateway that is killed while spans and thoughts flow by it loses nothing that was acknowledged, and doubles nothing',
  { ...BOUNDED, timeout: 120_000 },
  async (t) => {
    const cells: RealService[] = [];
    for (let n = 0; n < 3; n++) {
      const cell = await RealService.of(t);
      cells.push(cell);
    }
    const known = cells.map(({ readers }, n) => ({ name: `cell-${n}`, address: new URL(readers).host }));
    const [readers = 0, grpc = 0, http = 0] = await freePorts(3);
    const folder = await temporaryFolder(t);
    const flags = [
      'serve',
      '--role=gateway',
      `--gateway=${JSON.stringify({ cells: known })}`,
      `--data-dir=${folder}`,
      `--port=${readers}`,
      `--otlp-grpc-port=${grpc}`,
      `--otlp-http-port=${http}`,
    ];
    const start = async (): Promise<SpawnedService> => {
      const gateway = new SpawnedService(t, folder, flags);
      await until('the gateway is ready', () => gateway.stdout.endsWith('ready\n'));
      return gateway;
    };
    let gateway = await start();
    let failures = 0;
    const deliver = async (path: string, body: string): Promise<void> => {
      const port = path.startsWith('/api') ? readers : http;
      for (;;) {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        }).catch(() => undefined);
        if (answer?.ok === true) return;
        assert.ok(answer === undefined || answer.status >= 429, await answer?.text());
        failures++;
        await sleep(AGAIN_MS);
      }
    };
    const sending = Promise.all(
      Array.from({ length: STREAMS }, async (_, stream) => {
        for (let piece = 0; piece < PIECES; piece++) {
          for (const [path, body] of bodiesOf(stream, piece)) await deliver(path, JSON.stringify(body));
          await sleep(PAUSE_MS * Math.random());
        }
      }),
    );
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(PAUSE_MS);
      gateway.process.kill('SIGKILL');
      await gateway.exit();
      gateway = await start();
    }
    await sending;
    assert.ok(failures > 0, 'nothing was under way when the gateway was killed');
    for (const cell of cells) await cell.flush();
    const get = async (path: string): Promise<unknown> =>
      (await fetch(`http://127.0.0.1:${readers}${path}`)).json();
    const { nodes, notices } = (await get('/api/graph?collapse=none')) as ExplanationGraph;
    assert.equal(notices, undefined);
    const shown = nodes.flatMap(({ details }) =>
      typeof details?.['spanId'] === 'string' ? [`${String(details['traceId'])}:${details['spanId']}`] : [],
    );
    const sent = Array.from({ length: STREAMS * PIECES }, (_, n) => {
      const [stream, piece] = [Math.floor(n / PIECES), n % PIECES];
      return `${traceOf(stream)}:${spanOf(piece)}`;
    });
    assert.deepEqual(shown.sort(), sent.sort());
    for (let stream = 0; stream < STREAMS; stream++) {
      const { texts } = (await get(`/api/nodes/${requestNodeId(`r-${stream}`)}`)) as NodeDetail;
      const whole = Array.from({ length: PIECES }, (_, piece) => pieceOf(stream, piece)).join('');
      assert.equal(texts?.reasoning, whole, `thought ${stream}`);
    }
  },
);
