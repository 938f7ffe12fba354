import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeEngine } from '../../test/support/make-engine.ts';
import { nodeId, span, TRACE } from '../../test/support/records.ts';
import { batchOf } from '../../test/support/world.ts';
import { queryId, thoughtId } from '../model/ids.ts';

const said = (role: string, part: object): string => JSON.stringify([{ role, parts: [part] }]);

test('[CO31] a query shows the prompt that it was made from, and no record is behind it', async () => {
  const { engine } = makeEngine();
  const asked = said('user', { type: 'text', content: 'Repair the parser, please.' });
  const thought = said('assistant', { type: 'reasoning', content: 'It is the lexer.' });
  await engine.correlator.consume(
    batchOf([
      span(1, { attrs: { 'gen_ai.operation.name': 'invoke_agent' } }),
      span(2, {
        parent: 1,
        attrs: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.input.messages': asked,
          'gen_ai.output.messages': thought,
        },
      }),
    ]),
  );
  const { sources } = engine.correlator;
  assert.deepEqual(sources.of(queryId(TRACE)), [{ key: nodeId(2), only: 'prompt', behind: nodeId(2) }]);
  // What leaves memory with a query must not take the call's own record along.
  assert.deepEqual(sources.keysOf(queryId(TRACE)), []);
  assert.deepEqual(sources.keysOf(nodeId(2)), [nodeId(2)]);
  assert.deepEqual(engine.reader.getNode(queryId(TRACE)).texts, { prompt: 'Repair the parser, please.' });
  assert.deepEqual(engine.reader.getNode(thoughtId(nodeId(2), 1)).texts, { reasoning: 'It is the lexer.' });
});
