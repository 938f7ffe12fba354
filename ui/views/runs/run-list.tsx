import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import type { Run } from '../../connection/queries.ts';
import { plural } from '../../state/format.ts';
import { useUrl } from '../../state/url.ts';
import { isRun } from './choose-runs.ts';
import type { RunGroup } from './choose-runs.ts';
import { RunRow } from './run-row.tsx';

const ROW_PX = 76;
/** Rows before the end from which on the next page is asked for. */
const AHEAD = 40;

interface RunListProps {
  readonly rows: readonly (Run | RunGroup)[];
  readonly onEnd: () => void;
}

/** Only rows on screen are drawn; arrows move between them, Enter opens one. */
export function RunList({ rows, onEnd }: RunListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    getItemKey: (index) => keyOf(rows[index], index),
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - AHEAD) onEnd();
  }, [last, rows.length, onEnd]);
  const move = (to: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    setActive(next);
    virtual.scrollToIndex(next);
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${next}"] a`)?.focus(),
    );
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      j: 1,
      ArrowUp: -1,
      k: -1,
      PageDown: 10,
      PageUp: -10,
    };
    if (event.key === 'c' && !event.ctrlKey && !event.metaKey) {
      scroller.current?.querySelector<HTMLElement>(`[data-index="${active}"] .compare-button`)?.click();
      return;
    }
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    move(active + step);
  };
  return (
    <div ref={scroller} className="runs-scroller" onKeyDown={onKeyDown}>
      <ul className="runs" data-testid="runs" aria-label="Runs" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, key, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <li
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              style={{ transform: `translateY(${start}px)` }}
              onFocus={() => setActive(index)}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
            >
              {isRun(row) ? <RunRow run={row} /> : <GroupHead group={row} />}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function GroupHead({ group: { kind, name, runs } }: { readonly group: RunGroup }) {
  const { set } = useUrl();
  return (
    <h2 className="run-group">
      {name === undefined ? (
        `no ${kind}`
      ) : (
        <button
          type="button"
          className="node-link"
          onClick={() => set({ [`${kind}Id`]: name, group: null }, 'push')}
        >
          {kind} <span dir="auto">{name}</span>
        </button>
      )}{' '}
      <span className="muted">{plural(runs, 'run')}</span>
    </h2>
  );
}

function keyOf(row: Run | RunGroup | undefined, index: number): string | number {
  if (row === undefined) return index;
  return isRun(row) ? row.taskId : `${row.kind} ${row.name ?? ''}`;
}
