import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AgUiVerifier, type WireEvent } from '../../../../test/support/ag-ui-verifier.ts';
import { streamArbitrary } from '../../../../test/support/ag-ui-streams.ts';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { EventOrder } from './event-order.ts';
import { validEvent } from './valid-event.ts';

const IDS = { threadId: 't', runId: 'r' };

function ordered(events: readonly WireEvent[]): readonly WireEvent[] {
  const order = new EventOrder(IDS);
  return [...events.flatMap((event) => order.pass(validEvent({ event }))), ...order.giveUp()];
}

const TYPES = [
  'RUN_STARTED RUN_FINISHED RUN_ERROR STEP_STARTED STEP_FINISHED NEW_IN_2.0 CUSTOM STATE_DELTA',
  'TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END',
  'REASONING_MESSAGE_START REASONING_MESSAGE_CONTENT REASONING_MESSAGE_END REASONING_START REASONING_END',
  'SUBAGENT_STARTED SUBAGENT_FINISHED SUBAGENT_ERROR',
].flatMap((types) => types.split(' '));

/** Of few ids, so that they meet in every way. */
const garbage: fc.Arbitrary<WireEvent> = fc
  .record({
    type: fc.constantFrom(...TYPES),
    id: fc.constantFrom('1', '2'),
    owner: fc.constantFrom(undefined, 'agent-1'),
    isWhole: fc.integer({ min: 0, max: 9 }),
  })
  .map(({ type, id, owner, isWhole }) => ({
    type,
    ...(isWhole > 0 && {
      ...(type.includes('MESSAGE') || /^REASONING_(START|END)$/.test(type)
        ? { messageId: `${type.split('_')[0] ?? ''}-${type.includes('MESSAGE') ? '' : 'span-'}${id}` }
        : {}),
      ...(type.startsWith('TOOL') && { toolCallId: `call-${id}`, toolCallName: 'search' }),
      ...(type.startsWith('STEP') && { stepName: id }),
      ...(type.startsWith('SUBAGENT')
        ? { subagentRunId: 'agent-1', name: 'critic' }
        : owner !== undefined && { subagentRunId: owner }),
      ...(type === 'REASONING_MESSAGE_START' && { role: 'reasoning' }),
      ...(/RUN_(STARTED|FINISHED)/.test(type) && { threadId: 'x', runId: id }),
      ...(type.endsWith('ERROR') && { message: 'no' }),
      ...(/CONTENT$|ARGS$/.test(type) && { delta: 'd' }),
    }),
    unknown: 'field',
  }));

test('[AG31] whatever was kept, what goes out keeps the order of AG-UI', () => {
  fc.assert(
    fc.property(fc.array(garbage, { maxLength: 40 }), (events) => {
      // Agents are known from the beginning: who never began is nobody's to check here.
      const known = [
        { type: 'RUN_STARTED', threadId: 'x', runId: 'x' },
        { type: 'SUBAGENT_STARTED', subagentRunId: 'agent-1', name: 'critic' },
      ];
      const out = ordered([...known, ...events]);
      let verifier = new AgUiVerifier();
      let isOver = false;
      for (const event of out) {
        // A stream may hold several runs: each is looked at for itself.
        if (event.type === 'RUN_STARTED') {
          if (isOver) verifier.end();
          verifier = new AgUiVerifier({ isAnyAgent: true, isTwice: true });
        }
        isOver = event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR';
        if (event.type === 'RUN_ERROR' && verifier.isOver) continue;
        verifier.take(event);
      }
      verifier.end();
      assert.ok(!JSON.stringify(out.filter(({ type }) => type !== 'RAW')).includes('"unknown"'));
    }),
    propertyRuns(),
  );
});

test('[AG31] what keeps the order goes out as it is, with the ids that were asked for', () => {
  fc.assert(
    fc.property(streamArbitrary('t', 'r'), (events) => {
      assert.deepEqual(ordered(events), events);
    }),
    propertyRuns(),
  );
});

test('[AG31] what is no event of AG-UI 1.0 goes out as RAW, and a run without an end with RUN_ERROR', () => {
  assert.deepEqual(
    ordered([
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'hi' },
      { type: 'STATE_DELTA', delta: [{ op: 'jump', path: '/' }] },
      { type: 'NEW', x: 1 },
    ]),
    [
      { type: 'RUN_STARTED', ...IDS },
      { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'hi' },
      { type: 'RAW', event: { type: 'STATE_DELTA', delta: [{ op: 'jump', path: '/' }] }, source: 'ag-ui' },
      { type: 'RAW', event: { type: 'NEW', x: 1 }, source: 'ag-ui' },
      { type: 'TEXT_MESSAGE_END', messageId: 'm' },
      { type: 'RUN_ERROR', code: 'incomplete', message: 'the run was not told to its end' },
    ],
  );
});

test('[AG30] null for what may be absent is left out, where it is a value it stays', () => {
  const ids = { threadId: 'x', runId: 'x' };
  const outcome = { type: 'interrupt', interrupts: [{ id: 'i', reason: 'r', responseSchema: null }] };
  const input = { ...ids, state: null, messages: [], forwardedProps: null };
  const events = [
    { type: 'RUN_STARTED', ...ids, input },
    { type: 'RUN_FINISHED', ...ids, result: null, outcome },
    { type: 'CUSTOM', name: 'n', value: null },
  ];
  const out: unknown = JSON.parse(JSON.stringify(events.map((event) => validEvent({ event }))));
  assert.deepEqual(out, [
    { type: 'RUN_STARTED', ...ids, input: { ...ids, state: null, messages: [] } },
    { type: 'RUN_FINISHED', ...ids, outcome: { type: 'interrupt', interrupts: [{ id: 'i', reason: 'r' }] } },
    { type: 'CUSTOM', name: 'n', value: null },
  ]);
});

test('[AG31] an encrypted value is empty, and what it was is said beside', () => {
  const encrypted = [{ at: 'encryptedValue', chars: 9, sha256: 'ab' }];
  assert.deepEqual(
    validEvent({
      event: { type: 'REASONING_ENCRYPTED_VALUE', subtype: 'message', entityId: 'm' },
      encrypted,
    }),
    {
      type: 'REASONING_ENCRYPTED_VALUE',
      subtype: 'message',
      entityId: 'm',
      encryptedValue: '',
      metadata: { explain: { encrypted } },
    },
  );
});
