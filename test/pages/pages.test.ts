import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { blocksOf, rewritten } from '../integration/pages/page.ts';
import { PAGES } from '../integration/pages/pages.ts';
import { ROOT } from '../integration/pages/play.ts';
import { isSame } from '../integration/pages/same.ts';

test('[E2E21] every block of a page that shows an output is made or compared', async () => {
  const docs = await readdir(join(ROOT, 'docs'), { recursive: true });
  for (const file of [
    'README.md',
    ...docs.filter((name) => name.endsWith('.md')).map((name) => join('docs', name)),
  ]) {
    const page = await readFile(join(ROOT, file), 'utf8');
    const shown = blocksOf(page).filter(({ verb }) => verb === 'output' || verb === 'demo').length;
    // What has a language is a program, a command or a drawing.
    const withoutLanguage = (page.match(/^```.*$/gm) ?? []).filter(
      (fence, at) => at % 2 === 0 && fence === '```',
    );
    assert.equal(shown, withoutLanguage.length, file);
    assert.ok(
      shown === 0 || PAGES.some((played) => played.file === file),
      `${file} is not in test/integration/pages/pages.ts`,
    );
  }
});

test('[E2E21] a mark without a block is an error, and a rewritten page is the page but for that block', () => {
  const page = 'a\n\n<!-- run -->\n\n```sh\nls\n```\n\nb\n\n<!-- output -->\n\n```\nold\n```\n\nc\n';
  const [run, output] = blocksOf(page);
  assert.deepEqual([run?.verb, run?.text, output?.verb], ['run', 'ls\n', 'output']);
  assert.ok(output);
  assert.equal(rewritten(page, new Map([[output, 'new\n']])), page.replace('old', 'new'));
  assert.throws(() => blocksOf('<!-- output -->\n\nno block'), /1 marks, and 0 blocks/);
});

test('[E2E21] times, ids and the order of steps of one millisecond make no difference, everything else does', () => {
  assert.ok(isSame('a 5 ms [EMAIL:abc]\nb', 'b\na 1.2 s [EMAIL:xyz]\n'));
  assert.ok(!isSame('a [EMAIL:abc]', 'a [SECRET:abc]'));
  assert.ok(!isSame('a\nb', 'a'));
  assert.ok(!isSame('120→30 tokens', '121→30 tokens'));
  assert.ok(isSame('…\nb\n…\nd\ne', 'a\nb\nc\nd\ne'));
  assert.ok(!isSame('…\nb\nd\ne', 'a\nb\nc\nd\ne'));
  assert.ok(!isSame('…\nd\n…\nb', 'a\nb\nc\nd\ne'));
});
