import type { Attributes } from '../model/attributes.ts';
import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { costOf, firstCost, firstText, sumOfCosts } from './read.ts';

/** OpenCost's allocations, in its own spelling and in snake case. https://opencost.io/docs/integrations/api/ */
const OPENCOST_TOTAL = [
  'opencost.total_cost',
  'opencost.totalCost',
  'opencost.cost_usd',
  'opencost.cost.total',
  'opencost.cost',
];
const OPENCOST_PARTS = ['cpu', 'gpu', 'ram', 'pv', 'network', 'loadBalancer', 'shared', 'external'].map(
  (part) => [`opencost.${part}Cost`, `opencost.${part.replace(/[A-Z]/, (c) => `_${c.toLowerCase()}`)}_cost`],
);
/** What tools and gateways call the dollars of a call. Other conventions of the span come first. */
const TOTAL = [
  'gen_ai.usage.cost',
  'gen_ai.usage.cost_usd',
  'gen_ai.usage.total_cost',
  'gen_ai.usage.cost.total',
  'gen_ai.cost.total',
  'gen_ai.cost.total_cost',
  'gen_ai.cost.total_usd',
  'gen_ai.cost.usd',
  'llm.response.cost',
  'gen_ai.cost',
  'llm.cost.total',
  'llm.cost.total_cost',
  'llm.usage.cost',
  'llm.usage.total_cost',
  'llm.cost',
  'operation.cost',
  'ai.cost',
  'ai.usage.cost',
  'cost.total_usd',
  'cost.total',
  'total_cost_usd',
  'cost_usd',
];
/** Names that other programs use for other things, so they count only beside a model. */
const VAGUE = ['total_cost', 'totalCost', 'cost'];
const MODEL = [
  'gen_ai.request.model',
  'gen_ai.response.model',
  'llm.model_name',
  'ai.model.id',
  'model.name',
  'model',
];
const CURRENCY = [
  'opencost.currency',
  'gen_ai.usage.cost_currency',
  'gen_ai.cost.currency',
  'cost.currency',
  'currency',
];

export const costs: Convention = {
  name: 'costs',
  aside: true,
  signs: { keyPrefixes: ['opencost.'], keys: [...TOTAL, ...VAGUE] },
  interpret,
};

function interpret({ attributes: a }: SafeSpan): PartialStep {
  const currency = firstText(a, CURRENCY);
  if (currency !== undefined && currency.toUpperCase() !== 'USD' && currency !== '$') return {};
  const isCall = MODEL.some((key) => a.has(key));
  return { costUsd: firstCost(a, TOTAL) ?? openCost(a) ?? (isCall ? firstCost(a, VAGUE) : undefined) };
}

function openCost(a: Attributes): number | undefined {
  const total = firstCost(a, OPENCOST_TOTAL);
  if (total !== undefined) return total;
  let sum: number | undefined;
  for (const keys of OPENCOST_PARTS) sum = sumOfCosts(sum, firstCost(a, keys));
  return costOf(sum);
}
