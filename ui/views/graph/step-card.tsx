import { memo, useEffect, useRef } from 'react';
import { useStore } from '@xyflow/react';
import type { NodeProps } from '@xyflow/react';
import { annotationsOf, type ExplanationNode } from '../../../src/client/browser.ts';
import { clip } from '../../../src/model/one-line.ts';
import { duration, figuresLine, money, tokens } from '../../state/format.ts';
import { shownStatus, spokenName, wordsOf } from '../../state/node-words.ts';
import { useTask } from '../../state/task-context.ts';
import { useNode } from '../../state/use-graph.ts';
import { OpenSummary } from '../../widgets/open-summary.tsx';
import { Status } from '../../widgets/status.tsx';
import { TypeMark } from '../../widgets/type-mark.tsx';
import { useStepPress } from '../../widgets/use-step-press.ts';
import { EdgeEnds } from './edge-ends.tsx';
import { useGraphState } from './graph-state.ts';
import { useHeat } from './heat-context.ts';

const FAR = 0.45;
const NEAR = 0.7;

/** One step. It reads its own record, and is drawn again only when that is another. */
export const StepCard = memo(function StepCard({ id }: NodeProps) {
  const { store, selected, highlight } = useTask();
  const node = useNode(store, id);
  const press = useStepPress({ id, type: node?.type ?? 'OTHER' });
  const isFar = useStore(({ transform }) => transform[2] < FAR);
  const isNear = useStore(({ transform }) => transform[2] > NEAR);
  const isActive = useGraphState(({ active }) => active === id);
  const wantsFocus = useGraphState(({ active, wantsFocus: wants }) => active === id && wants);
  const { activate, focused } = useGraphState.getState();
  const heat = useHeat(node);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!wantsFocus) return;
    button.current?.focus({ preventScroll: true });
    focused();
  }, [wantsFocus, focused]);
  if (!node) return null;
  const status = shownStatus(node);
  const rank = highlight?.candidates.indexOf(id) ?? -1;
  const isDimmed = highlight !== undefined && !highlight.nodes.has(id);
  const causes = store.causesOf(id).length;
  const isSummary = node.type === 'SUMMARY';
  const classes = ['step-card', isFar ? 'far' : isNear ? 'near' : 'middle', status, isSummary && 'summary'];
  if (isDimmed) classes.push('dimmed');
  if (heat > 0) classes.push('heat', `heat-${heat}`);
  return (
    <>
      <EdgeEnds />
      <button
        ref={button}
        type="button"
        className={classes.filter(Boolean).join(' ')}
        data-testid="node"
        data-node-id={id}
        data-type={node.type}
        data-status={node.status}
        aria-label={isFar ? spoken(node, causes) : undefined}
        aria-pressed={id === selected}
        tabIndex={isActive ? 0 : -1}
        onFocus={() => activate(id, false)}
        onClick={press.onClick}
        onDoubleClick={press.onDoubleClick}
      >
        {isFar ? <TypeMark type={node.type} /> : <Face node={node} isNear={isNear} />}
        {!isFar && causes > 0 && <span className="sr-only">, caused by {causes}</span>}
        {rank >= 0 && <span className="rank">{rank + 1}</span>}
      </button>
      {!isFar && <OpenSummary node={node}>+</OpenSummary>}
    </>
  );
});

function spoken(node: ExplanationNode, causes: number): string {
  return `${spokenName(node)}${causes > 0 ? `, caused by ${causes}` : ''}`;
}

function Face({ node, isNear }: { readonly node: ExplanationNode; readonly isNear: boolean }) {
  const { what, failure } = wordsOf(node);
  const status = shownStatus(node);
  const said = annotationsOf(node).length;
  return (
    <>
      <span className="card-head">
        <TypeMark type={node.type} />
        <span className="card-agent" dir="auto">
          {node.agent}
        </span>
        {isNear && node.model !== undefined && <span className="card-model">{node.model}</span>}
        {!isNear && status !== 'ok' && <Status status={status} />}
        {said > 0 && (
          <span className="card-annotated">
            <span aria-hidden>✎ {said}</span>
            <span className="sr-only">, annotated {said} times</span>
          </span>
        )}
      </span>
      <span className={`card-said ${failure !== undefined ? 'with-failure' : ''}`} dir="auto">
        {what}
      </span>
      {failure !== undefined && (
        <span className="card-failure" dir="auto">
          {clip(failure, 120)}
        </span>
      )}
      {isNear && (
        <span className="card-foot">
          {status !== 'ok' && <Status status={status} withWord />}
          {figuresLine(
            duration(node.latencyMs),
            tokens(node.summary ?? node),
            money(node.summary?.totalCostUsd ?? node.costUsd),
          )}
        </span>
      )}
    </>
  );
}
