import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptEventsOf } from './ag-ui-events.ts';

function piece(received: number, first: number, ...types: readonly string[]) {
  return {
    'agui.events': types.map((type) => ({ event: { type } })),
    'agui.events.first': first,
    'agui.events.received': received,
  };
}

test('[AG6] the pieces of a run are put in order by when they came, then by their number', () => {
  const attributes = {
    a: piece(2, 0, 'LATER'),
    b: piece(1, 2, 'C'),
    c: { other: 1 },
    d: piece(1, 0, 'A', 'B'),
  };
  assert.deepEqual(
    keptEventsOf({ attributes }).map(({ event }) => event.type),
    ['A', 'B', 'C', 'LATER'],
  );
  assert.deepEqual(keptEventsOf({}), []);
  assert.deepEqual(
    keptEventsOf({ attributes: { a: { 'agui.events': [1, null, {}, { event: { type: 1 } }] } } }),
    [],
  );
});
