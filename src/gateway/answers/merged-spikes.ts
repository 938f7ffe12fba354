import { SPIKES_NOTICE, MAX_SPIKES } from '../../analysis/spikes.ts';
import { bySize } from '../../analysis/outliers.ts';
import type { Spike, SpikesAnswer } from '../../model/why.ts';
import type { OfCell } from './asked-cell.ts';

/** The spikes of all cells, sorted as in one; a step that several cells show once, as the first of them says. */
export function mergedSpikes(answers: readonly OfCell<SpikesAnswer>[]): SpikesAnswer {
  const found = new Map<string, Spike>();
  for (const { answer } of answers)
    for (const spike of answer.spikes) {
      const key = `${spike.measure} ${spike.nodeId}`;
      if (!found.has(key)) found.set(key, spike);
    }
  const all = [...found.values()].sort(bySize);
  const isPart = all.length > MAX_SPIKES || answers.some(({ answer }) => answer.truncated);
  return { spikes: all.slice(0, MAX_SPIKES), notice: SPIKES_NOTICE, ...(isPart && { truncated: true }) };
}
