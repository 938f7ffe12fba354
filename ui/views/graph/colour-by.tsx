import { useGraphState } from './graph-state.ts';
import type { Heat } from './graph-state.ts';

/** What colours the steps, in the graph and in the waterfall. */
export function ColourBy() {
  const heat = useGraphState((state) => state.heat);
  const { colourBy } = useGraphState.getState();
  return (
    <select
      aria-label="Colour by"
      className="small"
      value={heat}
      onChange={({ target }) => colourBy(target.value as Heat)}
    >
      <option value="status">Status</option>
      <option value="cost">Cost</option>
      <option value="time">Time</option>
    </select>
  );
}
