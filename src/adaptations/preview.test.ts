import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdaptationVersion } from '../model/adaptations.ts';
import { assembled, parsePreview, partsOf } from './preview.ts';

const version = (fields: Partial<AdaptationVersion>): AdaptationVersion => ({
  version: 2,
  updatedAt: '2026-01-01T00:00:00.000Z',
  by: 'file',
  title: 'T',
  content: 'x',
  scope: {},
  tags: [],
  enabled: true,
  ...fields,
});
const HELD = [
  { id: 'all', version: version({ content: 'For 😀 all.' }) },
  { id: 'off', version: version({ enabled: false }) },
  { id: 'empty', version: version({ content: '' }) },
  { id: 'mini', version: version({ scope: { model: '*-mini' }, content: 'For small models.' }) },
];

test('[AD6] enabled adaptations whose scope fits stand behind the base in the order of the file; offsets are UTF-16 units', () => {
  const preview = (request: object) => assembled(partsOf(HELD, parsePreview(request)));
  const { included, finalPrompt, assembly } = preview({
    basePrompt: 'Base.',
    scope: { model: 'gpt-5-mini' },
  });
  assert.deepEqual(included, ['all@2', 'mini@2']);
  assert.equal(finalPrompt, 'Base.\nFor 😀 all.\nFor small models.');
  assert.deepEqual(assembly, [
    { part: 0, start: 0, end: 5 },
    { part: 1, start: 6, end: 17 },
    { part: 2, start: 18, end: 35 },
  ]);
  assert.deepEqual(preview({}).included, ['all@2']);
  assert.deepEqual(
    preview({ edits: { off: { enabled: true }, all: { enabled: false } } }).included,
    ['off'],
    'edits that are not made have no version',
  );
});

test('[AD6] what is wrong with a question is said by field; edits are of what is there', () => {
  for (const [request, message] of [
    [{ basePrompt: 7 }, /^basePrompt: must be a text$/],
    [{ basePrompt: 'x'.repeat(50_001) }, /^basePrompt: has more than 50000 characters$/],
    [{ scope: { agents: 'x' } }, /^scope: has a field that is not known$/],
    [{ edits: { all: { version: 1 } } }, /^edits\.all: has a field that is not known$/],
    [{ edits: 7 }, /^edits: /],
  ] as const)
    assert.throws(() => parsePreview(request), { code: 'INVALID_ARGUMENT', message });
  for (const id of ['nobody', 'toString'])
    assert.throws(() => partsOf(HELD, parsePreview(JSON.parse(`{"edits": {"${id}": {"title": "x"}}}`))), {
      code: 'NOT_FOUND',
    });
});
