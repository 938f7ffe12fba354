import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { text } from 'node:stream/consumers';
import { BOUNDED, until } from '../../test/support/until.ts';
import { ManualClock } from '../base/clock.ts';
import type { TaskSummary } from '../model/summary.ts';
import { silentLogger, type Logger } from '../telemetry/logger.ts';
import { SummaryPhraser } from './summary-phraser.ts';

const SUMMARY: TaskSummary = {
  taskId: 'T1',
  sentences: [
    { text: 'The user asked “x” of secret-name.', nodeIds: ['a'], by: 'rules' },
    { text: 'It failed.', nodeIds: ['b', 'c'], by: 'rules' },
    { text: 'It cost $1.', nodeIds: ['c'], by: 'rules' },
  ],
};
const SAID = { sentences: [{ text: 'Asked for x,\nit failed and cost $1.', from: [1, 2, 3, 99] }] };

type Handler = (request: IncomingMessage, body: string, response: ServerResponse) => void;

function answerWith(content: string): Handler {
  return (_, __, response) =>
    void response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }));
}

/** A small endpoint, and a phraser that asks it. */
async function scene(t: TestContext, handle: Handler) {
  const requests: { readonly request: IncomingMessage; readonly body: string }[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    requests.push({ request, body });
    handle(request, body, response);
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const clock = new ManualClock();
  const warnings: string[] = [];
  const logger: Logger = {
    ...silentLogger,
    warn: (fields: object) => void warnings.push(JSON.stringify(fields)),
  };
  const phraser = new SummaryPhraser({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`,
    model: 'small',
    apiKey: 'key',
    redact: (_, told) => told.replaceAll('secret-name', '[NAME:abcdefghij]'),
    clock,
    logger,
  });
  return { phraser, requests, clock, warnings };
}

function numbered(n: number): TaskSummary {
  return { ...SUMMARY, taskId: `T${n}` };
}

test('[SM7] a model phrases what the rules say: it is told their redacted sentences alone, and its words are marked', async (t) => {
  const { phraser, requests } = await scene(t, answerWith(`\`\`\`json\n${JSON.stringify(SAID)}\n\`\`\``));
  assert.deepEqual(await phraser.phrase(SUMMARY), {
    taskId: 'T1',
    sentences: [{ text: 'Asked for x, it failed and cost $1.', nodeIds: ['a', 'b', 'c'], by: 'model' }],
  });
  const [{ request, body } = assert.fail('it was asked')] = requests;
  assert.equal(request.url, '/v1/chat/completions');
  assert.equal(request.headers.authorization, 'Bearer key');
  const sent = JSON.parse(body) as { model: string; messages: { role: string; content: string }[] };
  assert.equal(sent.model, 'small');
  assert.deepEqual(JSON.parse(sent.messages[1]?.content ?? ''), [
    { number: 1, text: 'The user asked “x” of [NAME:abcdefghij].' },
    { number: 2, text: 'It failed.' },
    { number: 3, text: 'It cost $1.' },
  ]);
  assert.doesNotMatch(body, /secret-name|T1/);
});

test('[SM7] the same summary is phrased once, also when several ask at once', async (t) => {
  const { phraser, requests } = await scene(t, answerWith(JSON.stringify(SAID)));
  await Promise.all([phraser.phrase(SUMMARY), phraser.phrase(SUMMARY)]);
  await phraser.phrase(SUMMARY);
  assert.equal(requests.length, 1);
});

for (const [what, handle] of [
  ['a refusal', (_, __, response) => void response.writeHead(500).end('secret of the endpoint')],
  ['a redirection', (_, __, response) => void response.writeHead(302, { location: '/elsewhere' }).end()],
  ['no JSON', (_, __, response) => void response.end('<html>')],
  ['another shape', (_, __, response) => void response.end('{"choices": []}')],
  ['prose instead of JSON', answerWith('It failed.')],
  ['no sentence', answerWith('{"sentences": []}')],
  ['a blank sentence', answerWith('{"sentences": [{"text": " ", "from": [1]}]}')],
  ['a sentence of nothing', answerWith('{"sentences": [{"text": "It went well.", "from": [7]}]}')],
  ['more than 64 KiB', (_, __, response) => void response.end('x'.repeat(100_000))],
  ['an end in the midst', (_, __, response) => void response.write('{', () => response.destroy())],
] as const satisfies readonly (readonly [string, Handler])[])
  test(`[SM7] after ${what} the words are those of the rules, and it is left alone for 30 s`, async (t) => {
    const { phraser, requests, clock, warnings } = await scene(t, handle);
    assert.deepEqual(await phraser.phrase(SUMMARY), SUMMARY);
    assert.equal(warnings.length, 1);
    assert.doesNotMatch(warnings[0] ?? '', /secret|html|went well/);
    const asked = requests.length;
    assert.deepEqual(await phraser.phrase(numbered(2)), numbered(2));
    assert.equal(requests.length, asked, 'it is left alone');
    clock.advance(30_000);
    await phraser.phrase(SUMMARY);
    assert.ok(requests.length > asked);
  });

test(
  '[SM7] who does not answer within 8 s is not waited for; at most four are asked at once',
  BOUNDED,
  async (t) => {
    const { phraser, requests, clock } = await scene(t, () => undefined);
    const asked = [1, 2, 3, 4].map((n) => phraser.phrase(numbered(n)));
    await until('they came', () => requests.length === 4);
    assert.deepEqual(await phraser.phrase(numbered(5)), numbered(5));
    clock.advance(8_000);
    assert.deepEqual(await Promise.all(asked), [1, 2, 3, 4].map(numbered));
    assert.equal(requests.length, 4);
  },
);

test('[SM7] where nobody listens the words are those of the rules', async () => {
  const phraser = new SummaryPhraser({
    url: 'http://127.0.0.1:1/v1',
    model: 'small',
    apiKey: undefined,
    redact: (_, told) => told,
    clock: new ManualClock(),
    logger: silentLogger,
  });
  assert.deepEqual(await phraser.phrase(SUMMARY), SUMMARY);
});
