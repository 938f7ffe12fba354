import assert from 'node:assert/strict';
import { test } from 'node:test';
import { annotationsOf, connect, type NewAnnotation } from '../../src/client/node.ts';
import { RealService } from '../e2e/real-service.ts';
import { Party } from '../e2e/parties.ts';
import { ClientError } from '../../src/client/client-error.ts';

const NODE = 'req:r1';

/** What is said, and what is answered or refused: the same by every way. */
const CASES: readonly (readonly [given: NewAnnotation, answer: object])[] = [
  [
    { kind: 'note', text: 'a@example.com is to look' },
    { kind: 'note', stepId: NODE },
  ],
  [{ kind: 'question', text: 'why?', id: 'q' }, { kind: 'question' }],
  [
    { kind: 'verdict', verdict: 'wrong', text: 'no' },
    { kind: 'verdict', verdict: 'wrong' },
  ],
  [
    { kind: 'approval', decision: 'denied' },
    { kind: 'approval', decision: 'denied' },
  ],
  [{ kind: 'note' }, { code: 'INVALID_ARGUMENT', message: /text is required/ }],
  [{ kind: 'verdict' }, { code: 'INVALID_ARGUMENT', message: /verdict must be one of/ }],
  [
    { kind: 'withdrawal', replaces: 'a'.repeat(32) },
    { code: 'FAILED_PRECONDITION', message: /no annotation with this id stands/ },
  ],
];

test('[AT22] annotations are taken, answered and refused alike over HTTP and gRPC, and read alike', async (t) => {
  const service = await RealService.of(t);
  await new Party(service.readers, '').send('/api/cot', {
    requestId: 'r1',
    taskId: 'T1',
    text: 'Done.',
    final: true,
    timestamp: Date.now(),
  });
  const urls = [service.readers, service.readers.replace('http', 'grpc')];
  const seen: unknown[] = [];
  for (const url of urls) {
    const client = connect({ url });
    t.after(() => client.close());
    for (const [given, answer] of CASES) {
      const what = `${url} ${JSON.stringify(given)}`;
      if ('code' in answer) {
        await assert.rejects(client.annotate(NODE, given), answer, what);
        continue;
      }
      const state = await client.annotate(NODE, given);
      assert.partialDeepStrictEqual(state, answer, what);
      assert.match(state.nodeId, /^event:annotation:[0-9a-f]{32}$/);
    }
    await assert.rejects(client.annotate('nothing', { kind: 'note', text: 'x' }), (error) => {
      return error instanceof ClientError && error.code === 'NOT_FOUND';
    });
    const { node } = await client.getNode(NODE);
    seen.push(annotationsOf(node).length);
  }
  assert.deepEqual(seen, [4, 7], 'the question was the same both times');
  const [http, grpc] = await Promise.all(
    urls.map(async (url) => {
      const client = connect({ url });
      t.after(() => client.close());
      return annotationsOf((await client.getNode(NODE)).node);
    }),
  );
  assert.deepEqual(http, grpc);
  assert.match(http?.[0]?.text ?? '', /^\[EMAIL:\w+\] is to look$/);
});
