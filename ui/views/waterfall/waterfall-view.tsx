import { useEffect, useMemo, useRef, useState } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { duration } from '../../state/format.ts';
import { slowestPath } from '../../state/slowest-path.ts';
import { useTask } from '../../state/task-context.ts';
import { useGraphVersion } from '../../state/use-graph.ts';
import { ColourBy } from '../graph/colour-by.tsx';
import { useGraphState } from '../graph/graph-state.ts';
import { hottest } from '../graph/heat.ts';
import { HottestContext } from '../graph/heat-context.ts';
import { inTree } from '../table/in-tree.ts';
import { timeScale } from './time-scale.ts';
import { WaterfallRow } from './waterfall-row.tsx';
import './waterfall.css';

const ROW_PX = 30;
const TICKS = [0, 0.25, 0.5, 0.75, 1];
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  j: 1,
  ArrowUp: -1,
  k: -1,
  PageDown: 15,
  PageUp: -15,
  Home: -Infinity,
  End: Infinity,
};

/** Every step as a bar of time, below what caused it; the path that the end waited for is marked. */
export default function WaterfallView() {
  const { store, selected, select, toggleSummary } = useTask();
  const version = useGraphVersion(store);
  const rows = useMemo(() => inTree(store), [store, version]);
  const critical = useMemo(() => new Set(slowestPath(store).map(({ id }) => id)), [store, version]);
  // Running bars grow with the updates: a clock of their own would draw all of them again every second.
  const now = useMemo(() => Date.now(), [version]);
  const scale = useMemo(() => timeScale(store.nodes.values(), now), [store, version, now]);
  const heat = useGraphState((state) => state.heat);
  const most = useMemo(() => hottest(store, store.nodes.keys(), heat), [store, version, heat]);
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<string>();
  const wantsFocus = useRef(false);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => rows[index]?.node.id ?? index,
    overscan: 12,
  });
  const stop = [active, selected].find((id) => id !== undefined && store.nodes.has(id)) ?? rows[0]?.node.id;

  useEffect(() => {
    const index = rows.findIndex(({ node }) => node.id === selected);
    if (index >= 0) list.scrollToIndex(index, { align: 'auto' });
    // Only another selection scrolls; updates do not.
  }, [selected, list]);

  useEffect(() => {
    if (!wantsFocus.current || stop === undefined) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-node-id="${CSS.escape(stop)}"]`);
    if (!row) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });

  const onKeyDown = (event: React.KeyboardEvent): void => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
    const id = row?.dataset['nodeId'];
    if (!row || id === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') select(id);
    if (event.key === 'o') toggleSummary(id);
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(rows.length - 1, Number(row.dataset['index']) + step));
    wantsFocus.current = true;
    list.scrollToIndex(next, { align: 'auto' });
    setActive(rows[next]?.node.id);
  };

  return (
    <div className="waterfall">
      <div className="waterfall-axis">
        <span className="waterfall-tools">
          Step <ColourBy />
        </span>
        <span className="waterfall-ticks" aria-hidden="true">
          {TICKS.map((share) => (
            <span key={share} style={{ insetInlineStart: `${share * 100}%` }}>
              {share === 0 ? '0' : duration(scale.ms * share)}
            </span>
          ))}
        </span>
      </div>
      <div className="waterfall-scroller" ref={scroller}>
        <div
          role="tree"
          aria-label="Steps by time"
          className="waterfall-rows"
          style={{ blockSize: list.getTotalSize() }}
          onKeyDown={onKeyDown}
        >
          <HottestContext value={most}>
            {list.getVirtualItems().map(({ index, key, start }) => {
              const row = rows[index];
              return row === undefined ? null : (
                <WaterfallRow
                  key={key}
                  id={row.node.id}
                  index={index}
                  depth={row.depth}
                  top={start}
                  scale={scale}
                  now={now}
                  isCritical={critical.has(row.node.id)}
                  isTabStop={row.node.id === stop}
                />
              );
            })}
          </HottestContext>
        </div>
      </div>
    </div>
  );
}
