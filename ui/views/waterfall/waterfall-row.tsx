import { memo } from 'react';
import { count, duration, money } from '../../state/format.ts';
import { shownStatus, titleOf } from '../../state/node-words.ts';
import { useTask } from '../../state/task-context.ts';
import { useNode } from '../../state/use-graph.ts';
import { OpenSummary } from '../../widgets/open-summary.tsx';
import { Status } from '../../widgets/status.tsx';
import { TypeMark } from '../../widgets/type-mark.tsx';
import { useStepPress } from '../../widgets/use-step-press.ts';
import { useHeat } from '../graph/heat-context.ts';
import { barOf } from './time-scale.ts';
import type { TimeScale } from './time-scale.ts';

/** Deeper ones are not moved further to the right. */
const MAX_INDENT = 14;
interface WaterfallRowProps {
  readonly id: string;
  readonly index: number;
  readonly depth: number;
  /** Pixels from the top of the list. */
  readonly top: number;
  readonly scale: TimeScale;
  readonly now: number;
  readonly isCritical: boolean;
  readonly isTabStop: boolean;
}

export const WaterfallRow = memo(function WaterfallRow(props: WaterfallRowProps) {
  const { id, index, depth, top, scale, now, isCritical, isTabStop } = props;
  const { store, selected, highlight } = useTask();
  const node = useNode(store, id);
  const press = useStepPress({ id, type: node?.type ?? 'OTHER' });
  const heat = useHeat(node);
  if (!node) return null;
  const status = shownStatus(node);
  const took = duration(node.latencyMs);
  const cost = money(node.summary?.totalCostUsd ?? node.costUsd);
  const { left, width } = barOf(node, scale, now);
  const isDimmed = highlight !== undefined && !highlight.nodes.has(id);
  const classes = ['waterfall-row', status, isCritical && 'critical', isDimmed && 'dimmed'];
  return (
    <div
      role="treeitem"
      className={classes.filter(Boolean).join(' ')}
      data-testid="waterfall-row"
      data-node-id={id}
      data-index={index}
      data-type={node.type}
      data-status={node.status}
      aria-level={depth + 1}
      aria-selected={id === selected}
      tabIndex={isTabStop ? 0 : -1}
      style={{ transform: `translateY(${top}px)` }}
      {...press}
    >
      <span
        className="waterfall-step"
        style={{ paddingInlineStart: `${0.6 + Math.min(depth, MAX_INDENT) * 0.9}rem` }}
      >
        <TypeMark type={node.type} />
        {status !== 'ok' && <Status status={status} />}
        <span className="one-line" dir="auto">
          {titleOf(node)}
        </span>
        <OpenSummary node={node}>+{count(node.summary?.count ?? 0)}</OpenSummary>
        <span className="waterfall-agent muted one-line">{node.agent}</span>
        {isCritical && <span className="sr-only">, on the slowest path</span>}
      </span>
      <span className="waterfall-track">
        <span
          className={`waterfall-bar ${heat > 0 ? `heat heat-${heat}` : `type-${node.type.toLowerCase()}`}`}
          style={{ insetInlineStart: `min(${left}%, 100% - 3px)`, inlineSize: `max(3px, ${width}%)` }}
        />
        <span className="waterfall-length muted" style={{ insetInlineStart: `calc(${left + width}% + 8px)` }}>
          {took}
          <span className="waterfall-cost">{took !== '' && cost !== '' ? `\u00a0· ${cost}` : cost}</span>
        </span>
      </span>
    </div>
  );
});
