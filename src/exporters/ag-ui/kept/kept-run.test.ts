import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeptEvent } from '../../../model/ag-ui-events.ts';
import { KeptRun } from './kept-run.ts';
import type { OutEvent } from './valid-event.ts';

const IDS = { threadId: 't', runId: 'r' };
const TEXTS: ReadonlyMap<string, string> = new Map([
  ['one', 'first thought'],
  ['two', 'second'],
]);

function thought(span: string): readonly KeptEvent[] {
  const text = { span, field: 'reasoning', chars: TEXTS.get(span)?.length ?? 0 } as const;
  return [
    { event: { type: 'REASONING_MESSAGE_START', role: 'reasoning' } },
    { event: { type: 'REASONING_MESSAGE_CONTENT' }, text },
    { event: { type: 'REASONING_MESSAGE_END' } },
  ];
}

test('[AG30] reasoning without ids, as it was before 1.0, is told as reasoning, with ids of its own', async () => {
  const run = new KeptRun(IDS, (span) =>
    Promise.resolve({ texts: { reasoning: TEXTS.get(span) ?? '' }, isOpen: false }),
  );
  const events: readonly KeptEvent[] = [
    { event: { type: 'RUN_STARTED', ...IDS } },
    { event: { type: 'REASONING_START' } },
    ...thought('one'),
    ...thought('two'),
    { event: { type: 'REASONING_END' } },
    { event: { type: 'RUN_FINISHED', ...IDS } },
  ];
  const out: OutEvent[] = [];
  // In two parts, as it comes live.
  for await (const some of run.tell(events.slice(0, 4), false)) out.push(...some);
  for await (const some of run.tell(events, true)) out.push(...some);
  assert.deepEqual(
    out.map(({ type, messageId, delta }) => [type, messageId, delta].filter((part) => part !== undefined)),
    [
      ['RUN_STARTED'],
      ['REASONING_START', 'unnamed-reasoning-1'],
      ['REASONING_MESSAGE_START', 'unnamed-reasoning-2'],
      ['REASONING_MESSAGE_CONTENT', 'unnamed-reasoning-2', 'first thought'],
      ['REASONING_MESSAGE_END', 'unnamed-reasoning-2'],
      ['REASONING_MESSAGE_START', 'unnamed-reasoning-3'],
      ['REASONING_MESSAGE_CONTENT', 'unnamed-reasoning-3', 'second'],
      ['REASONING_MESSAGE_END', 'unnamed-reasoning-3'],
      ['REASONING_END', 'unnamed-reasoning-1'],
      ['RUN_FINISHED'],
    ],
  );
});
