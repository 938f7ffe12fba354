import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maySay, whyNot, type Capability } from './capability.ts';
import { readNewKey } from './key-record.ts';
import { readCapability } from './read-capability.ts';

const STOP_ANN = { kind: 'reasoning/cancel', payload: { agent: 'ann' } };
const TOOLS = { kind: 'mcp/request', payload: { params: { name: 'read_*' } } };

/** What a pattern allows, and what not. */
const TABLE: readonly (readonly [Capability, kind: string, payload: unknown, isAllowed: boolean])[] = [
  [{ kind: 'reasoning/thought' }, 'reasoning/thought', { any: 1 }, true],
  [{ kind: 'reasoning/thought' }, 'reasoning/thoughts', {}, false],
  [{ kind: 'reasoning/thought' }, 'reasoning/thought/a', {}, false],
  [{ kind: '*' }, 'reasoning/start', undefined, true],
  [{ kind: 'reasoning/*' }, 'reasoning/cancel', {}, true],
  [{ kind: 'reasoning/*' }, 'reasoning/a/b', {}, true],
  [{ kind: 'reasoning/*' }, 'reasoning', {}, false],
  [{ kind: 'reasoning/*' }, 'reasonings/start', {}, false],
  [{ kind: 'reasoning/*' }, 'chat', {}, false],
  [STOP_ANN, 'reasoning/cancel', { agent: 'ann', reason: 'error' }, true],
  [STOP_ANN, 'reasoning/cancel', { agent: 'anna' }, false],
  [STOP_ANN, 'reasoning/cancel', { agent: ['ann'] }, false],
  [STOP_ANN, 'reasoning/cancel', {}, false],
  [STOP_ANN, 'reasoning/cancel', undefined, false],
  [STOP_ANN, 'reasoning/start', { agent: 'ann' }, false],
  [{ kind: 'a/*', payload: { x: 'ab*' } }, 'a/b', { x: 'abc' }, true],
  [{ kind: 'a/*', payload: { x: 'ab*' } }, 'a/b', { x: 'ab' }, true],
  [{ kind: 'a/*', payload: { x: 'ab*' } }, 'a/b', { x: 'xab' }, false],
  [{ kind: 'a/*', payload: { x: '*' } }, 'a/b', { x: 'z' }, true],
  [{ kind: 'a/*', payload: { x: '*' } }, 'a/b', { x: '' }, false],
  [{ kind: 'a/*', payload: { x: '*' } }, 'a/b', { x: 5 }, false],
  [{ kind: 'a', payload: { x: '!b' } }, 'a', { x: 'b' }, false],
  [{ kind: 'a', payload: { x: '!b' } }, 'a', { x: 'c' }, true],
  [{ kind: 'a', payload: { x: '!b' } }, 'a', {}, true],
  [{ kind: 'a', payload: { x: '!b' } }, 'a', undefined, false],
  [{ kind: 'a', payload: {} }, 'a', {}, true],
  [{ kind: 'a', payload: {} }, 'a', [], false],
  [TOOLS, 'mcp/request', { params: { name: 'read_file', at: 1 } }, true],
  [TOOLS, 'mcp/request', { params: { name: 'write_file' } }, false],
  [TOOLS, 'mcp/request', { params: 'read_file' }, false],
  [TOOLS, 'mcp/request', { params: [{ name: 'read_file' }] }, false],
  [{ kind: 'a', payload: { toString: '!b' } }, 'a', {}, true],
  [{ kind: 'a', payload: { constructor: { name: 'Object' } } }, 'a', {}, false],
];

test('[MW24] a pattern allows what a gateway of MEW would let through by it, and nothing else', () => {
  for (const [capability, kind, payload, isAllowed] of TABLE)
    assert.equal(
      maySay([capability], { kind, payload }),
      isAllowed,
      JSON.stringify([capability, kind, payload]),
    );
  const message = { kind: 'reasoning/start', payload: {} };
  assert.equal(maySay(undefined, message), true, 'no list is no bound');
  assert.equal(maySay([], message), false, 'an empty one allows nothing');
  assert.equal(maySay([STOP_ANN, { kind: 'reasoning/*' }], message), true, 'one of several is enough');
});

test('[MW24] what is refused is told with the pattern that it would need, and no kind floods the answer', () => {
  assert.match(
    whyNot(STOP_ANN),
    /reasoning\/cancel.*\{"kind":"reasoning\/cancel","payload":\{"agent":"ann"\}\}/,
  );
  assert.ok(whyNot({ kind: 'a'.repeat(10_000) }).length < 200);
});

test('[AC12] patterns that a gateway does not know as such are refused when a key is made, by their place, and none is echoed', () => {
  const now = Date.now();
  const make = (capabilities: unknown): unknown =>
    readNewKey({ name: 'k', roles: ['sender'], capabilities }, now).capabilities;
  for (const good of [
    [],
    [STOP_ANN, TOOLS],
    [{ kind: '*' }],
    [{ kind: 'x:own/a_b-c/*' }],
    [{ kind: 'a', payload: {} }],
  ])
    assert.deepEqual(make(good), good);
  const secret = 'geheim';
  const deep = (depth: number): object => {
    let made = {};
    for (let at = 0; at < depth; at++) made = { a: made };
    return made;
  };
  for (const [wrong, why] of [
    [secret, /object such as/],
    [[secret], /object such as/],
    [{ payload: {} }, /kind must/],
    [{ kind: 'a', id: secret }, /only kind and payload/],
    ...[
      `!${secret}`,
      `${secret}.*`,
      `a/*/${secret}`,
      '**',
      `/${secret}/`,
      'a?',
      '',
      'a/',
      '/a',
      `${secret}*`,
      [secret],
      5,
    ].map((kind) => [{ kind }, /kind must/] as const),
    [{ kind: '*', payload: { a: secret } }, /"\*" takes no payload/],
    [{ kind: 'a', payload: secret }, /texts and objects alone/],
    ...[[secret], 5, true, null].map(
      (value) => [{ kind: 'a', payload: { a: { b: value } } }, /texts and objects alone/] as const,
    ),
    ...[`a*${secret}`, `*${secret}`, `!${secret}*`, '**'].map(
      (value) => [{ kind: 'a', payload: { a: value } }, /only at their end/] as const,
    ),
    [{ kind: 'a', payload: { a: `/${secret}/` } }, /must not be "\/…\/"/],
    ...[`$.${secret}`, '**', `${secret}_*`].map(
      (field) => [{ kind: 'a', payload: { [field]: 'x' } }, /must name its fields/] as const,
    ),
    [{ kind: 'a', payload: deep(9) }, /deeper than/],
    [{ kind: 'a', payload: deep(1_000) }, /deeper than/],
    [{ kind: 'a', payload: { a: secret.repeat(300) } }, /at most 1000 characters/],
  ] as const) {
    const said = readCapability(wrong);
    assert.ok(typeof said === 'string', JSON.stringify(wrong).slice(0, 100));
    assert.match(said, why);
    assert.throws(
      () => make([{ kind: 'chat' }, wrong]),
      (error: Error) => error.message === `capabilities[1]: ${said}` && !error.message.includes(secret),
    );
  }
  assert.throws(() => make(secret), /capabilities must be a list/);
  assert.throws(() => make(Array.from({ length: 51 }, () => ({ kind: 'a' }))), /at most 50/);
});
