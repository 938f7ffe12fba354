import { useEffect, useMemo, useRef } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useTask } from '../../state/task-context.ts';
import { useStructure } from '../../state/use-graph.ts';
import { inReadingOrder } from './reading-order.ts';
import { TalkItem } from './talk-item.tsx';
import './talk.css';

const GUESS_PX = 140;

/** The task as a conversation: prompts, thoughts, tool calls with what went in and came out. */
export default function TalkView() {
  const { store, selected } = useTask();
  const structure = useStructure(store);
  const items = useMemo(() => inReadingOrder(store), [store, structure]);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => GUESS_PX,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: 4,
    gap: 10,
    paddingStart: 16,
    paddingEnd: 32,
  });
  useEffect(() => {
    const index = items.findIndex(({ id }) => id === selected);
    const isDrawn = list.getVirtualItems().some((item) => item.index === index);
    if (index >= 0 && !isDrawn) list.scrollToIndex(index, { align: 'center' });
    // Only another selection scrolls; updates do not.
  }, [selected, list]);
  return (
    <div className="talk" ref={scroller} tabIndex={0} role="region" aria-label="Conversation">
      <div className="talk-items" role="feed" style={{ blockSize: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, key, start }) => {
          const item = items[index];
          return item === undefined ? null : (
            <div
              key={key}
              className="talk-place"
              data-index={index}
              ref={list.measureElement}
              style={{ transform: `translateY(${start}px)` }}
            >
              <TalkItem id={item.id} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
