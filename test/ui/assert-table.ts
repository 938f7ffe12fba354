import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { untilPasses } from '../support/until.ts';

const READ = `[...document.querySelectorAll('[data-testid=graph-table] tr')]
  .map(({ dataset: { nodeId, type, status, from, to } }) =>
    nodeId ? [nodeId, type, status].join(' ') : from ? [from, to].join(' ') : '')
  .filter((row) => row !== '')
  .sort()`;

/** Waits until the table has a row for every node and edge of the graph, and no other. */
export async function untilTableShows(page: Page, graph: ExplanationGraph): Promise<void> {
  const expected = [
    ...graph.nodes.map(({ id, type, status }) => [id, type, status].join(' ')),
    ...graph.edges.map(({ from, to }) => [from, to].join(' ')),
  ].sort();
  await untilPasses(async () => assert.deepEqual(await page.evaluate(READ), expected));
}
