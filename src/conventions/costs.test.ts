import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeValue } from '../model/attributes.ts';
import { interpretSpan } from './interpret-span.ts';
import { spanOf } from './span-for-test.ts';

const COSTS: readonly [Record<string, AttributeValue>, number | undefined][] = [
  [{ 'opencost.total_cost': 0.25 }, 0.25],
  [{ 'opencost.totalCost': '0.25', 'opencost.cpuCost': 0.1 }, 0.25],
  [{ 'opencost.cpuCost': 0.1, 'opencost.gpu_cost': 0.2 }, 0.3],
  [{ 'opencost.total_cost': 0.25, 'opencost.currency': 'EUR' }, undefined],
  [{ 'llm.usage.cost': 0.1 }, 0.1],
  [{ 'operation.cost': 0.1 }, 0.1],
  [{ 'ai.cost': 0.1 }, 0.1],
  [{ cost: 0.1, 'gen_ai.request.model': 'm' }, 0.1],
  [{ cost: 0.1 }, undefined],
  [{ 'opencost.total_cost': -1 }, undefined],
  [{ 'opencost.total_cost': 'much' }, undefined],
];

for (const [attributes, cost] of COSTS) {
  test(`[CV29] the dollars of ${JSON.stringify(attributes)}`, () => {
    assert.equal(interpretSpan(spanOf(attributes)).facts.step.costUsd, cost);
  });
}
