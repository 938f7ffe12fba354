/** A quantile of a Prometheus histogram, interpolated within its bucket as `histogram_quantile` does. */
export function quantileOfHistogram(text: string, name: string, quantile: number): number {
  const buckets = [...text.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"\\} (\\d+)`, 'gm'))].map(
    ([, le, count]) => ({ le: Number(le === '+Inf' ? Infinity : le), count: Number(count) }),
  );
  const total = buckets.at(-1)?.count ?? 0;
  const rank = total * quantile;
  let below = { le: 0, count: 0 };
  for (const bucket of buckets) {
    if (bucket.count >= rank && bucket.count > below.count) {
      if (!Number.isFinite(bucket.le)) return below.le;
      return below.le + ((bucket.le - below.le) * (rank - below.count)) / (bucket.count - below.count);
    }
    below = bucket;
  }
  return NaN;
}
