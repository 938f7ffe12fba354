import { spanRequest } from './support/payload.ts';
import { decodeOtlp } from '../src/receivers/otlp/decode.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../src/receivers/config.ts';
import { makeEngine } from '../test/support/make-engine.ts';
import { RedactionDoor } from '../src/redaction/door.ts';
import { createEngine } from '../src/redaction/engine.ts';
import { noAudit } from '../src/redaction/audit-log.ts';
import { noMetrics } from '../src/telemetry/own-metrics.ts';
import { silentLogger } from '../src/telemetry/logger.ts';
import { systemClock } from '../src/base/clock.ts';
const reqs = [1, 2, 3, 4].map((s) => spanRequest(512, s));
const { engine } = makeEngine();
const door = new RedactionDoor({ next: engine.correlator, engine: createEngine({ key: new Uint8Array(32), maxCodeSnippetChars: 2000 }), metrics: noMetrics, audit: noAudit, logger: silentLogger, clock: systemClock, reorderWindowMs: 100, enabled: true });
const N = Number(process.argv[2] ?? 200);
let t0 = 0, cpu0 = process.cpuUsage();
let tFlush = 0, tDec = 0;
for (let r = 0; r < N; r++) {
  if (r === 40) { t0 = performance.now(); cpu0 = process.cpuUsage(); tFlush = 0; tDec = 0; }
  const req = reqs[r % 4]!;
  req.renew();
  let t = performance.now();
  const d = decodeOtlp('traces', 'protobuf', Buffer.from(req.body), DEFAULT_RECEIVER_LIMITS, 0);
  tDec += performance.now() - t;
  await door.consume({ receivedAt: 0, source: 'bus', records: d.records });
  t = performance.now();
  engine.flush();
  tFlush += performance.now() - t;
}
const n = (N - 40) * 512;
const c = process.cpuUsage(cpu0);
console.log('spans', n, 'wall us/span', ((performance.now() - t0) * 1000 / n).toFixed(1), 'cpu us/span', ((c.user + c.system) / n).toFixed(1), 'decode', (tDec * 1000 / n).toFixed(1), 'flush', (tFlush * 1000 / n).toFixed(1), 'heap MB', (process.memoryUsage().heapUsed / 1e6).toFixed(0));
