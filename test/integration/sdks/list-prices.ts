/** Dollars for a million tokens, from the providers' price lists: input, input read from the cache, written to it, output. */
const PRICES = {
  'gpt-4o': { input: 2.5, cacheRead: 1.25, cacheWrite: 0, output: 10 },
  'o4-mini': { input: 1.1, cacheRead: 0.275, cacheWrite: 0, output: 4.4 },
  'gemini-2.5-flash': { input: 0.3, cacheRead: 0.03, cacheWrite: 0, output: 2.5 },
  'claude-sonnet-4-5': { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 },
} as const;

/** Tokens of one call; `input` is what was neither read from the cache nor written to it. */
interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** What a call costs by the list. */
export function estimated(
  model: keyof typeof PRICES,
  { input, output, cacheRead = 0, cacheWrite = 0 }: Tokens,
): { readonly source: 'estimated'; readonly usd: number } {
  const price = PRICES[model];
  const millionths =
    input * price.input + output * price.output + cacheRead * price.cacheRead + cacheWrite * price.cacheWrite;
  return { source: 'estimated', usd: millionths / 1e6 };
}
