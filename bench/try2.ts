import { spanRequest } from './support/payload.ts';
import { decodeOtlp } from '../src/receivers/otlp/decode.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../src/receivers/config.ts';
import { spanKey } from '../src/model/ids.ts';
const req = spanRequest(512, 1);
const map = new Map<string, number>();
let tDecode = 0, tKey = 0, tGet = 0, tSet = 0, n = 0;
for (let r = 0; r < 300; r++) {
  req.renew();
  const body = Buffer.from(req.body);
  let t = performance.now();
  const d = decodeOtlp('traces', 'protobuf', body, DEFAULT_RECEIVER_LIMITS, 0);
  tDecode += performance.now() - t; t = performance.now();
  const keys = d.records.map((x) => (x.kind === 'span' ? spanKey(x.traceId, x.spanId) : ''));
  tKey += performance.now() - t; t = performance.now();
  for (const k of keys) if (map.get(k) === 5) n++;
  tGet += performance.now() - t; t = performance.now();
  for (const k of keys) map.set(k, 1);
  tSet += performance.now() - t;
  n += keys.length;
}
for (const [k, v] of Object.entries({ tDecode, tKey, tGet, tSet })) console.log(k, (v * 1000 / n).toFixed(2), 'us/span');
