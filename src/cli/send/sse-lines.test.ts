import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { classify } from './classify.ts';
import { readItems } from './read-file.ts';

const STREAM = [
  ': ping',
  '',
  'event: message',
  'data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}',
  '',
  'data:{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"data: x\\n"}',
  '',
  'data: {"type":"BRAND_NEW"}',
].join('\r\n');

test('[CLI33] a recorded stream of AG-UI is read event by event, with the lines on which they stand', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sse-'));
  try {
    const path = join(folder, 'run.sse');
    await writeFile(path, STREAM);
    const found: unknown[] = [];
    for await (const item of readItems(path, () => {})) {
      assert.ok('text' in item, JSON.stringify(item));
      const messages = classify(item.line, item.text);
      assert.ok(typeof messages !== 'string', messages as string);
      for (const { kind, line, runId } of messages) found.push([kind, line, runId]);
    }
    assert.deepEqual(found, [
      ['ag-ui', 4, 'r'],
      ['ag-ui', 6, undefined],
      ['ag-ui', 8, undefined],
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
