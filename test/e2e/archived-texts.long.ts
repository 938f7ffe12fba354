import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../src/client/node.ts';
import type { Client } from '../../src/client/client.ts';
import type { NodeDetail } from '../../src/model/reader-messages.ts';
import { loadRecordings } from '../integration/recordings/load-recordings.ts';
import { postOtlp } from './otlp-senders.ts';
import { RealService } from './real-service.ts';

type Span = Readonly<Record<string, unknown>>;

const TRACE = 'cd'.repeat(16);

function message(role: string, content: string): string {
  return JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
}

function span(n: number, parent: number, name: string, attributes: Readonly<Record<string, string>>): Span {
  const idOf = (of: number): string => of.toString(16).padStart(16, '0');
  const start = 1_750_000_000_000_000_000n + BigInt(n) * 1_000_000n;
  return {
    traceId: TRACE,
    spanId: idOf(n),
    ...(parent > 0 && { parentSpanId: idOf(parent) }),
    name,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 1_000_000_000n - BigInt(n) * 2_000_000n),
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  };
}

/**
 * One call as two libraries tell of it, each in its words; a question that stands in a call; and so many steps that not all
 * leave memory at once.
 */
const TWICE_TOLD: readonly object[] = [
  {
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: [
              span(1, 0, 'invoke_agent a', { 'gen_ai.operation.name': 'invoke_agent' }),
              ...['inner', 'outer'].map((who, i) =>
                span(3 - i, i === 0 ? 2 : 1, 'chat m', {
                  'gen_ai.operation.name': 'chat',
                  'gen_ai.request.model': 'm',
                  'gen_ai.response.id': 'resp-1',
                  'gen_ai.input.messages': message('user', `asked as the ${who} one has it`),
                  'gen_ai.output.messages': message('assistant', `said as the ${who} one has it`),
                }),
              ),
              ...Array.from({ length: 60 }, (_, i) =>
                span(4 + i, 1, `chat ${i}`, {
                  'gen_ai.operation.name': 'chat',
                  'gen_ai.request.model': 'm',
                  'gen_ai.input.messages': message('user', `question ${i}`),
                }),
              ),
            ],
          },
        ],
      },
    ],
  },
];

/** Each span by itself, in the order of the recording. */
function spansApart(request: object): readonly object[] {
  const { resourceSpans = [] } = request as {
    resourceSpans?: readonly { scopeSpans?: readonly { spans?: readonly object[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans = [], ...resource }) =>
    scopeSpans.flatMap(({ spans = [], ...scope }) =>
      spans.map((one) => ({ ...resource, scopeSpans: [{ ...scope, spans: [one] }] })),
    ),
  );
}

async function details(reader: Client, ids: readonly string[]): Promise<readonly Partial<NodeDetail>[]> {
  const found: Partial<NodeDetail>[] = [];
  for (const id of ids) {
    const { texts, attributes } = await reader.getNode(id);
    found.push({ ...(texts && { texts }), ...(attributes && { attributes }) });
  }
  return found;
}

test('[ST41] a node that left memory has the texts that it had, in whatever order its records came', async (t) => {
  const recordings = await loadRecordings(new URL('../fixtures/telemetry/', import.meta.url).pathname);
  const all = [...recordings, { name: 'twice told', requests: TWICE_TOLD }];
  for (const order of ['as recorded', 'reversed'] as const) {
    const service = await RealService.of(t);
    const reader = connect({ url: service.readers });
    t.after(() => reader.close());
    for (const { name, requests } of all) {
      const spans = requests.flatMap(spansApart);
      const body = JSON.stringify({ resourceSpans: order === 'reversed' ? spans.toReversed() : spans });
      assert.equal((await postOtlp(service, '/v1/traces', body)).status, 200, name);
      const ids = (await reader.getGraph({ collapse: 'none' })).nodes.map(({ id }) => id);
      assert.ok(ids.length > 0);
      const live = await details(reader, ids);
      await reader.prune(0);
      const gone = await details(reader, ids);
      for (const [i, id] of ids.entries()) assert.deepEqual(gone[i], live[i], `${name} ${order} ${id}`);
    }
  }
});
