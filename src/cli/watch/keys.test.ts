import assert from 'node:assert/strict';
import { emitKeypressEvents } from 'node:readline';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { actionOf, keysOf, type Key } from './keys.ts';

/** What bytes of a terminal ask for, decoded as the screen does it. */
function asked(bytes: string): readonly (string | undefined)[] {
  const input = new PassThrough();
  emitKeypressEvents(input);
  const actions: (string | undefined)[] = [];
  input.on('keypress', (_, key: Key) => actions.push(...keysOf(key).map((one) => actionOf(one)?.type)));
  input.emit('data', Buffer.from(bytes));
  return actions;
}

test('[CLI49] a key right behind an Esc is a key of its own, however they come', () => {
  assert.deepEqual(asked('\u001bj'), ['back', 'move']);
  assert.deepEqual(asked('\u001bG'), ['back', 'end']);
  assert.deepEqual(asked('\u001b\u001b?'), ['back', 'back', 'help']);
  assert.deepEqual(asked('\u001b\r'), ['back', 'open']);
  assert.deepEqual(asked('\u001b\u0003'), ['back', 'quit']);
  assert.deepEqual(asked('\u001b\u001b[A'), ['back', 'move']);
  assert.deepEqual(asked('\u001bé'), ['back', undefined]);
});

test('[CLI49] what a terminal sends for one key stays one key', () => {
  assert.deepEqual(asked('\u001b[A'), ['move']);
  assert.deepEqual(asked('\u001bOA'), ['move']);
  assert.deepEqual(asked('\u001b[1;3A'), ['move'], 'Alt-Up');
  assert.deepEqual(asked('\u001b[5~\u001b[6~'), ['page', 'page']);
  assert.deepEqual(asked('jq'), ['move', 'leave']);
});

test('[CLI49] an Esc alone is told as one Esc, several as several', () => {
  const key: Key = { name: 'escape', sequence: '\u001b' };
  assert.deepEqual(keysOf(key), [key]);
  assert.deepEqual(keysOf({ name: 'escape', sequence: '\u001b\u001b' }), [key, key]);
});
