import { memo } from 'react';
import { BaseEdge } from '@xyflow/react';
import type { EdgeProps } from '@xyflow/react';
import { relationWords } from '../../state/format.ts';
import { useTask } from '../../state/task-context.ts';
import { routeOf } from './edge-route.ts';
import type { CauseEdge } from './flow-elements.ts';

/** Relations that are told by a letter on the arrow as well as by its colour. */
export const RELATION_LETTERS: Readonly<Record<string, string>> = {
  REFLECTED: 'R',
  ESCALATED: 'E',
  USER_ACTION: 'U',
};

/** Of an arrow's head, what stands before its line's end. */
export const HEAD = 3;

/** One edge. Its evidence is its line: thin where it is equal content or mere containment, dotted where it is inferred. */
export const CauseArrow = memo(function CauseArrow(props: EdgeProps<CauseEdge>) {
  const { id, data, sourceX, sourceY, targetX, targetY } = props;
  const { highlight } = useTask();
  if (!data) return null;
  const { edge, isBackward, way } = data;
  const { path, labelX, labelY } = routeOf({ sourceX, sourceY, targetX: targetX - HEAD, targetY, way });
  const isLit = highlight?.edges.has(id) === true;
  const classes = [
    'cause',
    `by-${edge.evidence.toLowerCase()}`,
    `as-${edge.relation.toLowerCase()}`,
    edge.bridged === true && 'bridged',
    isBackward && 'backward',
    isLit && 'lit',
    highlight !== undefined && !isLit && 'dimmed',
  ];
  const letter = RELATION_LETTERS[edge.relation];
  const words = [
    relationWords(edge.relation),
    `known by ${edge.evidence}`,
    edge.bridged === true ? 'steps between are hidden' : '',
    isBackward ? 'it came after its effect was placed: Tidy puts it right' : '',
    edge.id,
  ];
  return (
    <g
      className={classes.filter(Boolean).join(' ')}
      data-testid="edge"
      data-edge-id={id}
      data-from={edge.from}
      data-to={edge.to}
      data-relation={edge.relation}
      data-evidence={edge.evidence}
    >
      <title>{words.filter((word) => word !== '').join('\n')}</title>
      <BaseEdge path={path} markerEnd={`url(#${isLit ? 'arrow-lit' : 'arrow'})`} interactionWidth={14} />
      {(letter !== undefined || edge.bridged === true) && (
        <text x={labelX} y={labelY} className="cause-letter" textAnchor="middle" dominantBaseline="central">
          {letter ?? '+n'}
        </text>
      )}
    </g>
  );
});

/** The heads of the arrows, in the colours of the page. */
export function ArrowHeads() {
  return (
    <svg className="arrow-heads" aria-hidden="true">
      <defs>
        {['arrow', 'arrow-lit'].map((id) => (
          <marker
            key={id}
            id={id}
            className={id}
            viewBox="0 0 10 10"
            refX="8"
            refY="5"
            markerWidth="7"
            markerHeight="7"
            markerUnits="userSpaceOnUse"
            orient="auto-start-reverse"
          >
            <path d="M0 1 9 5 0 9Z" />
          </marker>
        ))}
      </defs>
    </svg>
  );
}
