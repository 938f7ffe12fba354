import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lineWidth, painter } from '../terminal/line.ts';
import { displayWidth } from '../terminal/plain-text.ts';
import { actionOf, type Action } from './keys.ts';
import { noticeLines } from './plain-watch.ts';
import { renderScene } from './render.ts';
import { RowList, taskKey } from './row-list.ts';
import { act, initialState, settled, type Effect, type WatchState } from './state.ts';
import { buildTaskTree } from './task-tree.ts';
import { edge, node } from './watch.test-support.ts';

const SIZE = { columns: 80, rows: 10 };
const SUMMARY = node('sum', 3, {
  type: 'SUMMARY',
  name: 'Routine LLM calls (n=5)',
  summary: { count: 5, types: { LLM_CALL: 5 }, reason: 'routine', avgLatencyMs: 12 },
});
const NODES = [
  node('root', 0, { type: 'OTHER', name: 'Create README.md', latencyMs: 5200 }),
  node('bad', 1, {
    status: 'ERROR',
    type: 'TEST_RUN',
    details: { errorMessage: 'boom\n at x.js' },
    latencyMs: 80,
  }),
  node('call', 2, { model: 'gpt-4o', tokensIn: 1200, tokensOut: 340, costUsd: 0.0123, latencyMs: 320 }),
  SUMMARY,
  ...Array.from({ length: 20 }, (_, index) => node(`n${index}`, 10 + index)),
];
const EDGES = NODES.slice(1).map(({ id }) => edge('root', id));
const TREE = buildTaskTree('T1', NODES, (id) => EDGES.filter((one) => one.to === id));

function rowsOf(state: WatchState): RowList {
  return new RowList([TREE], state.foldedTasks);
}

/** Presses keys one after the other. @returns where that leads, and what was asked for */
function press(keys: readonly string[], from = initialState(SIZE, { everything: false })) {
  let state = settled(from, rowsOf(from));
  const effects: Effect[] = [];
  for (const name of keys) {
    const action = actionOf({ name, sequence: name });
    assert.ok(action, name);
    const step = act(state, action, rowsOf(state));
    state = settled(step.state, rowsOf(step.state));
    if (step.effect) effects.push(step.effect);
  }
  return { state, effects };
}

function screenOf(
  state: WatchState,
  columns = SIZE.columns,
  colours = false,
  isComplete = true,
  notices: readonly string[] = [],
): readonly string[] {
  const sized = settled({ ...state, size: { ...state.size, columns } }, rowsOf(state));
  const scene = {
    rows: rowsOf(sized),
    totals: TREE.totals,
    url: 'http://127.0.0.1:9000',
    filters: {},
    isComplete,
    notices,
    now: 0,
  };
  return renderScene({ ...scene, state: sized }, painter(colours));
}

test('[CLI62] the tree says what it lacks above the filters', () => {
  const lines = screenOf(initialState(SIZE, { everything: false }), 100, false, true, [
    'cell b is away',
    'x',
  ]);
  assert.match(lines[1] ?? '', /^! cell b is away \(and 1 more\) · routine steps folded/);
});

test('[CLI62] in a pipe a notice is a line when it comes, and one when it is over', () => {
  assert.deepEqual(noticeLines(['a', 'b'], ['b', '\u001b[1mc']), ['# over: a', '# note: c']);
  assert.deepEqual(noticeLines(['b'], ['b']), []);
});

test('[CLI44] keys move the cursor, which never leaves the rows or the screen', () => {
  assert.equal(press([]).state.cursor, taskKey('T1'));
  assert.equal(press(['j', 'down']).state.cursor, 'bad');
  assert.equal(press(['j', 'j', 'k', 'up', 'up', 'k']).state.index, 0);
  assert.equal(press(['end']).state.index, 24);
  assert.equal(press(['G']).state.index, 24);
  assert.equal(press(['end', 'home']).state.index, 0);
  assert.equal(press(['pagedown']).state.index, 5);
  const names = ['up', 'down', 'pageup', 'pagedown', 'home', 'end', 'left', 'right', 'f', 'e', 'a'];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...names)), fc.integer({ min: 6, max: 40 }), (keys, height) => {
      const { state } = press(keys, initialState({ columns: 80, rows: height }, { everything: false }));
      const body = height - 4;
      assert.ok(state.index >= state.top && state.index < state.top + body);
      assert.ok(state.top >= 0 && state.index < rowsOf(state).length);
    }),
  );
});

test('[CLI45] Enter opens a summary, the left key closes, e, a, w, d and q ask for what they stand for', () => {
  assert.deepEqual(press(['j', 'j', 'j', 'j', 'return']).effects, [{ type: 'expand', nodeId: 'sum' }]);
  assert.deepEqual(press(['j', 'j', 'j', 'j', 'space']).effects, [{ type: 'expand', nodeId: 'sum' }]);
  assert.deepEqual(press(['j', 'j', 'return']).effects, [{ type: 'details', nodeId: 'bad' }]);
  assert.deepEqual(press(['j', 'j', 'w', 'd']).effects, [
    { type: 'why', nodeId: 'bad' },
    { type: 'details', nodeId: 'bad' },
  ]);
  const left = press(['j', 'j', 'left']);
  assert.deepEqual(left.effects, [{ type: 'collapse', nodeId: 'bad' }]);
  assert.equal(left.state.cursor, 'root');
  const folded = press(['left']).state;
  assert.equal(rowsOf(folded).length, 1);
  assert.equal(rowsOf(press(['return'], folded).state).length, 25);
  assert.deepEqual(press(['e', 'a', 'q']).effects, [
    { type: 'setFilters' },
    { type: 'resubscribe' },
    { type: 'quit' },
  ]);
  assert.equal(press(['e', 'e']).state.onlyErrors, false);
  assert.match(press(['w']).state.message ?? '', /select a step/);
  assert.equal(press(['f']).state.follow, true);
  assert.equal(press(['f', 'j']).state.follow, false);
});

test('[CLI45] Ctrl-C quits from everywhere, q leaves a pane first, unknown keys do nothing', () => {
  const pane = { kind: 'help', title: 'Help', lines: Array.from({ length: 50 }, () => []), top: 0 } as const;
  const open = { ...initialState(SIZE, { everything: false }), pane };
  const ctrlC = actionOf({ name: 'c', sequence: '\u0003', ctrl: true }) as Action;
  assert.deepEqual(act(open, ctrlC, rowsOf(open)).effect, { type: 'quit' });
  assert.deepEqual(press(['q'], open).effects, []);
  assert.equal(press(['q'], open).state.pane, undefined);
  assert.equal(press(['down', 'pagedown'], open).state.pane?.top, 7);
  assert.equal(press(['end'], open).state.pane?.top, 44);
  assert.equal(press(['end', 'home'], open).state.pane?.top, 0);
  for (const key of [
    { name: 'z', sequence: 'z' },
    { name: 'e', sequence: 'E' },
    { sequence: '\u001b[99~' },
    { name: 'd', ctrl: true },
  ]) {
    assert.equal(actionOf(key), undefined);
  }
});

test('[CLI44] a row that is gone leaves the cursor at its place', () => {
  const { state } = press(['end']);
  const fewer = new RowList([buildTaskTree('T1', NODES.slice(0, 3), () => [])], new Set());
  assert.equal(settled(state, fewer).cursor, 'call');
  const none = new RowList([], new Set());
  assert.equal(settled(state, none).cursor, undefined);
});

test('[CLI46] the screen has as many lines as it has rows, each exactly as wide', () => {
  fc.assert(
    fc.property(fc.integer({ min: 20, max: 160 }), fc.integer({ min: 6, max: 50 }), (columns, rows) => {
      const state = settled(initialState({ columns, rows }, { everything: false }), rowsOf(press([]).state));
      const screen = screenOf(state, columns);
      assert.equal(screen.length, rows);
      for (const line of screen) assert.equal(displayWidth(line), columns, line);
    }),
  );
});

test('[CLI46] it shows agent, type, status, time, tokens, cost and model, and less where it is narrow', () => {
  const live = {
    ...press([]).state,
    connection: { state: 'live', retryAt: undefined, wasLost: false },
  } as const;
  const wide = screenOf(live, 110).join('\n');
  assert.match(wide, /● live {2}http:\/\/127\.0\.0\.1:9000 .*28 steps · 1 error · \$0\.012/);
  assert.match(wide, /▾ T1 {2}28 steps {2}1 error/);
  assert.match(wide, /├ ✗ TEST_RUN step bad {2}boom {2}CoderAgent +80 ms/);
  assert.match(wide, /├ ✓ LLM_CALL step call {2}CoderAgent {2}gpt-4o +320 ms +1200→340 +\$0\.012/);
  assert.match(wide, /✓ SUMMARY Routine LLM calls \(n=5\) +12 ms/);
  const narrow = screenOf(live, 40).join('\n');
  assert.match(narrow, /✓ LLM_CALL step call .*… {1,}320 ms$/m);
  assert.match(narrow, /\? help {2}q quit/);
});

test('[CLI47] a lost connection is said, with the time to the next attempt', () => {
  const { state } = press([]);
  const lost = screenOf({ ...state, connection: { state: 'waiting', retryAt: 2500, wasLost: true } });
  assert.match(lost[0] ?? '', /connection lost, again in 3 s/);
  const again = screenOf({
    ...state,
    connection: { state: 'connecting', retryAt: undefined, wasLost: true },
  });
  assert.match(again[0] ?? '', /connecting again/);
});

test('[CLI47] what has come of a large graph is shown, and that more is coming', () => {
  const { state } = press([]);
  const lines = screenOf(state, SIZE.columns, false, false);
  assert.match(lines[0] ?? '', /more is coming/);
  assert.deepEqual(lines.slice(1), screenOf(state).slice(1));
  const lost = { state: 'waiting', retryAt: 2500, wasLost: true } as const;
  assert.match(
    screenOf({ ...state, connection: lost }, SIZE.columns, false, false)[0] ?? '',
    /connection lost/,
  );
});

test('[CLI20] text of records cannot move the cursor, on the screen neither', () => {
  const evil = 'a\u001b[2J\u001b]0;t\u0007\r\n\u009b5A\u202e';
  const nodes = [
    node('x', 0, {
      name: evil,
      agent: evil,
      model: evil,
      taskId: evil,
      status: 'ERROR',
      details: { errorMessage: evil },
    }),
  ];
  const tree = buildTaskTree(evil, nodes, () => []);
  const rows = new RowList([tree], new Set());
  const state = settled(initialState(SIZE, { everything: false }), rows);
  const scene = {
    state,
    rows,
    totals: tree.totals,
    url: evil,
    filters: { text: evil, agentNames: [evil] },
    isComplete: true,
    notices: [evil],
    now: 0,
  };
  const screen = renderScene(scene, painter(false));
  for (const line of screen) {
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u202e]/);
    assert.equal(lineWidth([{ text: line }]), SIZE.columns);
  }
});
