import { MAX_NAME_CHARS } from '../model/one-line.ts';
import { calcPrice, findProvider, type ModelInfo, type PriceCalculation } from '@pydantic/genai-prices';
import type { EpochMs } from '../model/time.ts';

/** One call: the model as the sender names it, and tokens whose input includes the cache. */
export interface PricedCall {
  readonly model: string;
  readonly provider?: string | undefined;
  readonly tokensIn?: number | undefined;
  readonly tokensOut?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly time: EpochMs;
}

type Usage = {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
};

/** What one model of one provider costs: dollars for a usage at a time. */
type Price = (usage: Usage, time: EpochMs) => number | undefined;

/**
 * Dollars by the list prices of `@pydantic/genai-prices`; undefined when the model, its provider's price or the
 * tokens are unknown. Never throws.
 */
export function estimateCost(call: PricedCall): number | undefined {
  const { tokensIn, tokensOut } = call;
  if (tokensIn === undefined && tokensOut === undefined) return undefined;
  if ((tokensIn ?? 0) + (tokensOut ?? 0) === 0) return undefined;
  const price = priceOf(call.provider ?? '', call.model);
  if (price === undefined) return undefined;
  const input = tokensIn ?? 0;
  const read = Math.min(call.cacheReadTokens ?? 0, input);
  const write = Math.min(call.cacheWriteTokens ?? 0, input - read);
  const dollars = price(
    {
      input_tokens: input,
      output_tokens: tokensOut ?? 0,
      cache_read_tokens: read,
      cache_write_tokens: write,
    },
    call.time,
  );
  return dollars === undefined ? undefined : withoutNoise(dollars);
}

/** Adding decimal fractions leaves noise in the last digits, and no list price has six. */
function withoutNoise(dollars: number): number {
  return Math.round(dollars * 1e12) / 1e12;
}

/** Every agent uses a handful of models; the bounds are for senders that make names up. */
const MAX_PROVIDERS = 64;
const MAX_MODELS = 256;
/** By provider, then model; null where there is no price. Looking a model up costs ten times more than using it. */
const remembered = new Map<string, Map<string, Price | null>>();

function priceOf(provider: string, model: string): Price | undefined {
  if (provider.length > MAX_NAME_CHARS || model.length > MAX_NAME_CHARS) return undefined;
  let models = remembered.get(provider);
  if (models === undefined) {
    if (remembered.size >= MAX_PROVIDERS) remembered.clear();
    models = new Map();
    remembered.set(provider, models);
  }
  const known = models.get(model);
  if (known !== undefined) return known ?? undefined;
  const price = findPrice(provider.toLowerCase().trim(), model.toLowerCase().trim());
  if (models.size >= MAX_MODELS) models.clear();
  models.set(model, price ?? null);
  return price;
}

/** Names of the standard and of SDKs that the price list does not know, or takes for another provider. */
const PROVIDERS: readonly (readonly [pattern: RegExp, id: string])[] = [
  [/^az(?:ure)?[._]/, 'azure'],
  [/^azure.?openai/, 'azure'],
  [/^(?:gcp\.gen_ai|google|gemini|vertex)/, 'google'],
  [/^x_ai/, 'x-ai'],
];

/** Serve models at prices of their own, or at none: the price of the model's maker would be wrong. */
const OTHER_PRICES =
  /^(?:ollama|lm.?studio|vllm|sglang|tgi|llama[._-]?cpp|llamafile|local|localai|mlx|gpt4all|jan|transformers|hugging.?face|github|nvidia|nim|databricks|snowflake|ibm|watsonx|sagemaker|replicate|modal|runpod|baseten|mock|fake|test)/;

/** `qwen3:8b`, `gemma-2b-4bit`, `….gguf`: weights that somebody runs themselves. */
const OWN_WEIGHTS = /:(?:latest|\d+(?:\.\d+)?[bm])\b|-(?:\d+bit|q\d(?:_|\b)|gguf)|\.gguf$/;

function findPrice(provider: string, model: string): Price | undefined {
  const alias = PROVIDERS.find(([pattern]) => pattern.test(provider))?.[1] ?? provider;
  if (OTHER_PRICES.test(alias)) return undefined;
  const providerId = alias === '' ? undefined : findProvider({ providerId: alias })?.id;
  const slash = model.lastIndexOf('/');
  const name = model.slice(slash + 1);
  const prefix = slash < 0 ? undefined : findProvider({ providerId: model.slice(0, model.indexOf('/')) })?.id;
  const found =
    (providerId === undefined ? undefined : look(model, providerId)) ??
    (prefix === undefined ? undefined : look(name, prefix)) ??
    (providerId === undefined ? undefined : look(name, providerId));
  if (found !== undefined) return found;
  // Of a provider that is in the list, a model that is not has no known price.
  if (providerId !== undefined || prefix !== undefined || OWN_WEIGHTS.test(name)) return undefined;
  return look(name, undefined);
}

const NOTHING: Usage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
const MILLION = 1e6;
const DAY_MS = 86_400_000;

function look(model: string, providerId: string | undefined): Price | undefined {
  const found = tryPrice(() => calcPrice(NOTHING, model, providerId === undefined ? {} : { providerId }));
  if (found === undefined) return undefined;
  const provider = { ...found.provider, models: [found.model] };
  const ask = (usage: Usage, timestamp: Date): number =>
    tryPrice(() => calcPrice(usage, model, { provider, timestamp }))?.total_price ?? Number.NaN;
  return inSteps(stepsOf(found.model), ask);
}

/** Where a price changes: above numbers of input tokens, from dates on, at times of the day (milliseconds). */
interface Steps {
  readonly tiers: readonly number[];
  readonly dates: readonly number[];
  readonly times: readonly number[];
}

function stepsOf(model: ModelInfo): Steps {
  const tiers = new Set<number>();
  const dates = new Set<number>();
  const times = new Set<number>();
  for (const { prices, constraint } of Array.isArray(model.prices)
    ? model.prices
    : [{ prices: model.prices }]) {
    for (const price of Object.values(prices))
      if (typeof price === 'object') for (const { start } of price.tiers) tiers.add(start);
    if (constraint?.type === 'start_date') dates.add(Date.parse(constraint.start_date));
    else if (constraint !== undefined)
      for (const time of [constraint.start_time, constraint.end_time])
        times.add((Date.parse(`1970-01-01T${time}`) + DAY_MS) % DAY_MS);
  }
  return { tiers: sorted(tiers), dates: sorted(dates), times: sorted(times) };
}

function sorted(numbers: ReadonlySet<number>): readonly number[] {
  return [...numbers].sort((a, b) => a - b);
}

/** Dollars per token of each kind. */
interface Rates {
  readonly perCall: number;
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/**
 * Between two steps a price is so much for each token of a kind, the whole request being charged at the tier that
 * its input reaches: so the list is asked once for each kind and stretch, and never per call.
 */
function inSteps(steps: Steps, ask: (usage: Usage, time: Date) => number): Price {
  const known = new Map<number, Rates>();
  return (usage, time) => {
    const tier = countOf(steps.tiers, (start) => usage.input_tokens > start);
    const date = countOf(steps.dates, (start) => time >= start);
    const ofDay = countOf(steps.times, (start) => time % DAY_MS >= start);
    const stretch = (tier * (steps.dates.length + 1) + date) * (steps.times.length + 1) + ofDay;
    let rates = known.get(stretch);
    if (rates === undefined) {
      const input = steps.tiers[tier] ?? (steps.tiers.at(-1) ?? 0) + MILLION;
      rates = ratesOf((asked) => ask(asked, new Date(time)), input);
      known.set(stretch, rates);
    }
    const dollars = dollarsOf(usage, rates);
    return Number.isFinite(dollars) ? dollars : undefined;
  };
}

function countOf(values: readonly number[], isPassed: (value: number) => boolean): number {
  let count = 0;
  while (count < values.length && isPassed(values[count] ?? 0)) count++;
  return count;
}

/** @param input a number of input tokens that lies in the tier */
function ratesOf(ask: (usage: Usage) => number, input: number): Rates {
  const perCall = ask(NOTHING);
  const uncached = ask({ ...NOTHING, input_tokens: input });
  const rate = (dollars: number): number => (dollars - perCall) / input;
  return {
    perCall,
    input: rate(uncached),
    cacheRead: rate(ask({ ...NOTHING, input_tokens: input, cache_read_tokens: input })),
    cacheWrite: rate(ask({ ...NOTHING, input_tokens: input, cache_write_tokens: input })),
    output: (ask({ ...NOTHING, input_tokens: input, output_tokens: MILLION }) - uncached) / MILLION,
  };
}

function dollarsOf(usage: Usage, rates: Rates): number {
  const uncached = usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens;
  const cached = usage.cache_read_tokens * rates.cacheRead + usage.cache_write_tokens * rates.cacheWrite;
  return rates.perCall + uncached * rates.input + cached + usage.output_tokens * rates.output;
}

/** The library throws for prices that its list holds in a form it does not know; such a model has no price. */
function tryPrice(calc: () => PriceCalculation | null): PriceCalculation | undefined {
  try {
    const result = calc();
    return result !== null && Number.isFinite(result.total_price) ? result : undefined;
  } catch {
    return undefined;
  }
}
