/** Numbers as people read them. */

/** @param ms milliseconds */
export function duration(ms: number): string {
  if (ms < 1000) return `${ms > 0 && ms < 1 ? '<1' : Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60
    ? `${minutes}m${two(Math.floor((ms % 60_000) / 1000))}s`
    : `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`;
}

export function dollars(usd: number): string {
  return usd === 0 || usd >= 1
    ? `$${usd.toFixed(2)}`
    : `$${Number(usd.toPrecision(2)).toFixed(decimals(usd))}`;
}

/** `in→out`, either of which may be unknown. */
export function tokens(tokensIn: number | undefined, tokensOut: number | undefined): string {
  if (tokensIn === undefined && tokensOut === undefined) return '';
  return `${short(tokensIn)}→${short(tokensOut)}`;
}

export function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

function short(n: number | undefined): string {
  if (n === undefined) return '?';
  if (n < 10_000) return String(n);
  return n < 1_000_000 ? `${Math.round(n / 1000)}k` : `${(n / 1_000_000).toFixed(1)}M`;
}

/** So many that two digits that count are there. */
function decimals(usd: number): number {
  return Math.min(8, Math.max(2, 1 - Math.floor(Math.log10(usd))));
}

function two(n: number): string {
  return String(n).padStart(2, '0');
}
