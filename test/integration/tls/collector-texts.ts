import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { everything, Following } from '../../e2e/every-answer.ts';
import { ADMIN, AUTH, Party } from '../../e2e/parties.ts';
import { plantedLogs, plantedTraces } from '../../e2e/planted.ts';
import { RealService } from '../../e2e/real-service.ts';
import { WordsOfTexts } from '../../e2e/words-of-texts.ts';
import type { Report } from '../collector/report.ts';
import { waitFor } from '../collector/wait.ts';
import { withCollector } from './collector.ts';

const LIMIT_MS = 60_000;
/** Of what it is given a node keeps some; schemas, scopes and states of traces are kept nowhere. */
const LEAST_PLACES = 20;

/** Texts that a Collector sends over mTLS with the key of a sender, and who finds them in all that they are answered. */
export async function collectorTexts(at: (name: string) => string, report: Report): Promise<void> {
  const otlpGrpc = {
    certFile: at('chain.crt'),
    keyFile: at('server.key'),
    caFile: at('ca.crt'),
    clientCertificates: 'required',
  };
  // What readers are answered is asked for in plain text, as behind a proxy.
  const service = await RealService.start({
    dataDir: join(at('.'), 'data-of-texts'),
    flags: ['--tls', JSON.stringify({ otlpGrpc }), ...AUTH],
  });
  const { readers } = service;
  const key = async (project: string, role: string): Promise<string> =>
    (await Party.of(readers, project, [role])).key;
  const [sender, reader, analyst, stranger] = await Promise.all([
    key('shop', 'sender'),
    key('shop', 'reader'),
    key('shop', 'analyst'),
    key('lab', 'analyst'),
  ]);
  const { port } = service.service.addresses.otlpGrpc;
  assert.equal(await statusOfSending(at, port, undefined), 16, 'a certificate that is not named, and no key');
  assert.equal(await statusOfSending(at, port, reader), 7, 'a key that may not send');
  const following = [reader, analyst, stranger].map((one) => new Following(service, one));
  try {
    await withCollector({ at, port, key: sender, report }, async (url) => {
      const words = new WordsOfTexts();
      const send = async (path: string, body: object): Promise<void> => {
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
        assert.equal(answer.status, 200, await answer.text());
      };
      await send('/v1/traces', plantedTraces(words, 'Collector', 1));
      await send('/v1/logs', plantedLogs(words, 'Collector'));
      await waitFor('traces and thoughts are shown', LIMIT_MS, async () => {
        const { text } = await new Party(readers, analyst).get('/api/graph?collapse=none');
        return text.includes('"LLM_CALL"') && text.includes('"CodeFixApplied');
      });
      const [toReader, toAnalyst, toStranger] = await Promise.all(
        [reader, analyst, stranger].map(async (one, n) => [
          ...(await everything(service, one)),
          ...(following[n]?.frames ?? []).map((frame) => ['live', frame] as const),
        ]),
      );
      const found = new Set((toAnalyst ?? []).flatMap(([, answer]) => words.placesIn(answer)));
      assert.ok(found.size >= LEAST_PLACES, `an analyst reads ${found.size} of ${words.count} texts`);
      report.note(`an analyst reads ${found.size} of ${words.count} texts, in ${toAnalyst?.length} answers`);
      for (const [question, answer] of [...(toReader ?? []), ...(toStranger ?? [])])
        assert.deepEqual(words.placesIn(answer), [], question);
      assert.match(JSON.stringify(toReader), /name-\d/, 'a reader sees names');
      assert.doesNotMatch(JSON.stringify(toStranger), /name-\d/, 'another project sees nothing');
      const admin = new Party(readers, ADMIN);
      assert.doesNotMatch((await admin.get('/api/graph?collapse=none')).text, /name-\d/);
    });
  } finally {
    await Promise.all(following.map((one) => one.close()));
    await service.stop();
  }
}

/** Of an empty request by gRPC, from who shows the certificate. */
async function statusOfSending(
  at: (name: string) => string,
  port: number,
  key: string | undefined,
): Promise<number> {
  const [ca, privateKey, cert] = await Promise.all(
    ['ca.crt', 'client.key', 'client.crt'].map((name) => readFile(at(name))),
  );
  const client = new Client(`localhost:${port}`, credentials.createSsl(ca, privateKey, cert));
  const metadata = new Metadata();
  if (key !== undefined) metadata.set('x-api-key', key);
  const same = (bytes: Buffer): Buffer => bytes;
  try {
    return await new Promise((resolve) => {
      const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
      client.makeUnaryRequest(path, same, same, Buffer.alloc(0), metadata, (error) =>
        resolve(error?.code ?? 0),
      );
    });
  } finally {
    client.close();
  }
}
