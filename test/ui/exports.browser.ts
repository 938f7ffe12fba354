import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';
import { SHORT_RUN, playTask } from './play.ts';

const HOSTILE = '</text><script>window.hacked=1</script>"]; click n0 call alert(1) & \u0001 \ud800';

describe('exports of what is shown', () => {
  let browser: Browser;
  let service: RealService;
  let shown: ExplanationGraph;
  let page: Page;
  let problems: readonly string[];
  before(async () => {
    browser = await startBrowser();
    service = await RealService.start({ dataDir: await temporaryFolder() });
    await playTask(service, 'saved', [
      ...SHORT_RUN,
      { name: HOSTILE, start: 1600, end: 1700, parent: 0, agent: HOSTILE, error: HOSTILE },
    ]);
    shown = await service.graph('taskIds=saved&status=ERROR');
    ({ page, problems } = await openPage(browser, `${service.readers}/t/saved?view=table&status=ERROR`));
    await page
      .locator('tr[data-node-id]')
      .nth(shown.nodes.length - 1)
      .waitFor();
  });
  after(async () => {
    await browser.close();
    await service.stop();
    assert.deepEqual(problems, []);
  });

  /** The file behind a button of the menu. */
  async function saved(label: string): Promise<{ readonly name: string; readonly content: Buffer }> {
    await page.getByRole('button', { name: 'Export' }).click();
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: label }).click();
    const download = await coming;
    return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
  }

  test('[UI14] as JSON, what the API answers for the same filters', async () => {
    const { name, content } = await saved('Graph (JSON)');
    assert.equal(name, 'saved.json');
    const graph = JSON.parse(content.toString()) as ExplanationGraph;
    assert.deepEqual(byId(graph.nodes), byId(shown.nodes));
    assert.deepEqual(byId(graph.edges), byId(shown.edges));
  });

  test('[UI14] as SVG, with a card for every step, well formed whatever the texts are', async () => {
    const { content } = await saved('Picture (SVG)');
    // A page without the policy of ours, which lets nobody parse.
    const blank = await browser.newPage();
    const found = (await blank.evaluate(`(() => {
      const parsed = new DOMParser().parseFromString(${JSON.stringify(content.toString())}, 'image/svg+xml').documentElement;
      return {
        root: parsed.nodeName,
        scripts: parsed.querySelectorAll('script').length,
        ids: [...parsed.querySelectorAll('[data-node-id]')].map((card) => card.getAttribute('data-node-id')).sort(),
      };
    })()`)) as { readonly root: string; readonly scripts: number; readonly ids: readonly string[] };
    const cards = shown.nodes.filter(
      ({ id, type }) => type !== 'OTHER' || !shown.edges.some(({ from }) => from === id),
    );
    assert.deepEqual(found, { root: 'svg', scripts: 0, ids: cards.map(({ id }) => id).sort() });
  });

  test('[UI14] as PNG', async () => {
    const { content } = await saved('Picture (PNG)');
    assert.equal(content.toString('latin1', 1, 4), 'PNG');
    assert.ok(content.readUInt32BE(16) > 600, `it is ${content.readUInt32BE(16)} pixels wide`);
  });

  test('[UI14] as Mermaid, with a box for every step', async () => {
    const { content } = await saved('Graph (Mermaid)');
    const lines = content.toString().split('\n');
    assert.equal(lines[0], 'flowchart LR');
    assert.equal(lines.filter((line) => /^ {2}n\d+\["[^"]*"\]/.test(line)).length, shown.nodes.length);
    assert.equal(lines.filter((line) => /^ {2}n\d+ -/.test(line)).length, shown.edges.length);
    assert.ok(!lines.some((line) => line.includes('<script')));
  });
});

function byId<Item extends { readonly id: string }>(items: readonly Item[]): readonly Item[] {
  return [...items].sort((a, b) => (a.id < b.id ? -1 : 1));
}
