/** Activity of a run: a bar for each equal part of its time. */
export function Sparkline({ counts }: { readonly counts: readonly number[] }) {
  // One part has no shape to show.
  if (counts.length < 2) return null;
  const most = Math.max(1, ...counts);
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${counts.length * 4} 16`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {counts.map((count, index) => {
        const height = count === 0 ? 1 : 3 + (count / most) * 13;
        // Bars have no other identity than their place.
        return <rect key={index} x={index * 4} y={16 - height} width="3" height={height} rx="0.5" />;
      })}
    </svg>
  );
}
