import { memo } from 'react';
import type { ExplanationEdge, ExplanationNode } from '../../../src/client/browser.ts';
import { clip } from '../../../src/model/one-line.ts';
import { isContainment } from '../../layout/graph-reading.ts';
import { duration, money, relationWords, tokens } from '../../state/format.ts';
import { shownStatus, spokenName, titleOf, wordsOf } from '../../state/node-words.ts';
import { useTask } from '../../state/task-context.ts';
import { OpenSummary } from '../../widgets/open-summary.tsx';
import { Status } from '../../widgets/status.tsx';
import { TypeMark } from '../../widgets/type-mark.tsx';
import { useStepPress } from '../../widgets/use-step-press.ts';

/** Deeper nodes are not moved further to the right. */
const MAX_INDENT = 12;

interface NodeRowProps {
  readonly node: ExplanationNode;
  readonly depth: number;
  readonly isTabStop: boolean;
}

export const NodeRow = memo(function NodeRow({ node, depth, isTabStop }: NodeRowProps) {
  const { store, selected, highlight } = useTask();
  const press = useStepPress(node);
  const causes = store.causesOf(node.id).filter((edge) => !isContainment(edge));
  const rank = highlight?.candidates.indexOf(node.id) ?? -1;
  const isDimmed = highlight !== undefined && !highlight.nodes.has(node.id);
  const { what, failure } = wordsOf(node);
  const status = shownStatus(node);
  return (
    <tr
      className={`${status} ${isDimmed ? 'dimmed' : ''} ${rank >= 0 ? 'candidate' : ''}`}
      data-testid="node"
      data-node-id={node.id}
      data-type={node.type}
      data-status={node.status}
      aria-level={depth + 1}
      aria-selected={node.id === selected}
      aria-label={spokenName(node)}
      tabIndex={isTabStop ? 0 : -1}
      {...press}
    >
      <td className="step" style={{ paddingInlineStart: `${0.5 + Math.min(depth, MAX_INDENT) * 1.1}rem` }}>
        <span className="step-line">
          <Status status={status} />
          {rank >= 0 && <span className="badge">{rank + 1}</span>}
          <span className="step-title" dir="auto">
            {what}
          </span>
          <OpenSummary node={node}>open</OpenSummary>
        </span>
        {failure !== undefined && (
          <span className="failure one-line" dir="auto">
            {clip(failure, 300)}
          </span>
        )}
      </td>
      <td>{node.agent}</td>
      <td>
        <TypeMark type={node.type} withWord />
      </td>
      <td className="number">{duration(node.latencyMs)}</td>
      <td className="number">{tokens(node.summary ?? node).replace(' tok', '')}</td>
      <td className="number">{money(node.summary?.totalCostUsd ?? node.costUsd)}</td>
      <td className="causes muted">{causeWords(causes, store.nodes)}</td>
    </tr>
  );
});

/** The strongest kinds of cause are worth a word; how many there are is always said. */
function causeWords(causes: readonly ExplanationEdge[], nodes: ReadonlyMap<string, ExplanationNode>): string {
  const [first] = causes;
  if (!first) return '';
  const from = nodes.get(first.from);
  const more = causes.length > 1 ? ` +${causes.length - 1}` : '';
  return `${from ? clip(titleOf(from), 60) : first.from}${more}`;
}

export const EdgeRow = memo(function EdgeRow({ edge }: { readonly edge: ExplanationEdge }) {
  const { store, highlight } = useTask();
  const name = (id: string): string => {
    const node = store.nodes.get(id);
    return node ? `${node.agent}: ${titleOf(node)}` : id;
  };
  const isDimmed = highlight !== undefined && !highlight.edges.has(edge.id);
  return (
    <tr
      className={isDimmed ? 'dimmed' : ''}
      data-testid="edge"
      data-edge-id={edge.id}
      data-from={edge.from}
      data-to={edge.to}
      data-relation={edge.relation}
      tabIndex={-1}
    >
      <td colSpan={7}>
        <span dir="auto">
          {name(edge.from)} → {name(edge.to)}
        </span>{' '}
        <span className="muted">
          {isContainment(edge) ? 'contains' : relationWords(edge.relation)}, by {edge.evidence}
          {edge.bridged === true && ', over hidden steps'}
        </span>
      </td>
    </tr>
  );
});
