import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calcPrice } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { epochMs } from '../model/time.ts';
import { estimateCost } from './prices.ts';

const time = epochMs(Date.UTC(2026, 8, 1, 12));
const usage = { tokensIn: 1_000_000, tokensOut: 100_000, time };

function cost(provider: string | undefined, model: string): number | undefined {
  return estimateCost({ ...usage, provider, model });
}

test('[CV20] a cost is estimated by the list price of model and provider, cached input apart', () => {
  // gpt-4o: 2.5, cached 1.25, output 10 dollars a million.
  assert.equal(cost('openai', 'gpt-4o-2024-08-06'), 3.5);
  assert.equal(estimateCost({ ...usage, model: 'gpt-4o', cacheReadTokens: 400_000 }), 3);
});

test('[CV20] provider prefixes and the names of the conventions are understood', () => {
  for (const [provider, model] of [
    ['google', 'models/gemini-2.5-flash'],
    ['gcp.gen_ai', 'gemini-2.5-flash'],
    ['google.generative-ai', 'gemini-2.5-flash'],
    [undefined, 'publishers/google/models/gemini-2.5-flash'],
  ] as const)
    assert.equal(cost(provider, model), cost('google', 'gemini-2.5-flash'), model);
  assert.ok(cost('google', 'gemini-2.5-flash'));
  assert.equal(cost('x_ai', 'grok-4'), cost('x-ai', 'grok-4'));
  assert.equal(cost('mistral_ai', 'mistral/mistral-small-latest'), 0.13);
  assert.ok(cost('aws.bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'));
  assert.equal(cost(undefined, 'anthropic/claude-haiku-4-5'), 1.5);
});

test('[CV20] a provider nobody knows is passed over; one with other prices, or none, is not', () => {
  assert.equal(cost('my-gateway', 'gpt-4o'), 3.5);
  for (const [provider, model] of [
    ['ollama', 'gpt-4o'],
    ['ollama', 'deepseek-r1:8b'],
    ['vllm', 'deepseek-chat'],
    ['openai', 'deepseek-r1:8b'],
    ['openai', 'claude-haiku-4-5'],
    [undefined, 'deepseek-r1:8b'],
    [undefined, 'starcoder2-3b-4bit'],
    [undefined, 'my-model'],
    [undefined, ''],
  ] as const)
    assert.equal(cost(provider, model), undefined, `${provider} ${model}`);
});

test('[CV20] without tokens there is no cost, and more cache than input does not throw', () => {
  assert.equal(estimateCost({ model: 'gpt-4o', time }), undefined);
  assert.equal(estimateCost({ model: 'gpt-4o', time, tokensIn: 0, tokensOut: 0 }), undefined);
  const over = { model: 'gpt-4o', time, tokensIn: 10, cacheReadTokens: 400, cacheWriteTokens: 9 };
  assert.equal(estimateCost(over), 0.0000125);
});

/** Flat, tiered, by date, by time of the day. */
const MODELS = [
  ['openai', 'gpt-4o'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['google', 'gemini-2.5-pro'],
  ['deepseek', 'deepseek-chat'],
  ['openai', 'o3'],
  ['x-ai', 'grok-4'],
] as const;

test('[CV20] whatever the tokens and the time, it is the price that the list itself gives', () => {
  const tokens = fc.oneof(
    fc.integer({ min: 0, max: 400_000 }),
    fc.constantFrom(0, 200_000, 200_001, 128_000),
  );
  const anyTime = fc.date({ min: new Date('2024-06-01'), max: new Date('2027-06-01'), noInvalidDate: true });
  fc.assert(
    fc.property(
      fc.constantFrom(...MODELS),
      tokens,
      tokens,
      tokens,
      anyTime,
      (of, input, output, read, at) => {
        const [provider, model] = of;
        const cached = Math.min(read, input);
        const listed = calcPrice(
          {
            input_tokens: input,
            output_tokens: output,
            cache_read_tokens: cached,
            cache_write_tokens: input - cached,
          },
          model,
          { providerId: provider, timestamp: at },
        );
        const estimated = estimateCost({
          provider,
          model,
          tokensIn: input,
          tokensOut: output,
          cacheReadTokens: cached,
          cacheWriteTokens: input - cached,
          time: epochMs(at.getTime()),
        });
        const expected = input + output === 0 ? 0 : (listed?.total_price ?? Number.NaN);
        assert.ok(Math.abs((estimated ?? 0) - expected) < 1e-9, `${estimated} for ${expected}`);
      },
    ),
    { numRuns: 500 },
  );
});
