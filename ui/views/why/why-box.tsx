import type { UseQueryResult } from '@tanstack/react-query';
import type { CauseReason, WhyAnswer } from '../../../src/client/browser.ts';
import { titleOf } from '../../state/node-words.ts';
import { AnswerBox } from './answer-box.tsx';
import { NodeLink } from './node-link.tsx';
import './why.css';

interface WhyBoxProps {
  readonly answer: UseQueryResult<WhyAnswer>;
  readonly onClose: () => void;
}

/** The answer in words: what is evidence apart from what is order alone. */
export function WhyBox({ answer: { data, error, isPending }, onClose }: WhyBoxProps) {
  return (
    <div data-testid="why" aria-live="polite">
      <AnswerBox title="Why?" onClose={onClose}>
        {isPending && <p className="late muted">Looking back …</p>}
        {error && <p role="alert">{error.message}</p>}
        {data && <Answer answer={data} />}
      </AnswerBox>
    </div>
  );
}

function Answer({ answer }: { readonly answer: WhyAnswer }) {
  const { candidates, notice, graph, nodeId } = answer;
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const asked = nodes.get(nodeId);
  return (
    <>
      <p>
        <span className="muted">What led to </span>
        <NodeLink id={nodeId} node={asked} />
      </p>
      {candidates.length === 0 ? (
        <p>No rule names a cause of {asked ? `“${titleOf(asked)}”` : 'it'} in what was recorded.</p>
      ) : (
        <p>Look here first; what is not on the way is dimmed:</p>
      )}
      <ol className="why-candidates">
        {candidates.map(({ nodeId: id, reasons }) => (
          <li key={id} data-testid="why-candidate" data-node-id={id}>
            <NodeLink id={id} node={nodes.get(id)} />
            <ul>
              {reasons.map((reason) => (
                <Reason key={reason.rule} reason={reason} />
              ))}
            </ul>
          </li>
        ))}
      </ol>
      <p className="muted small-text">{notice}</p>
    </>
  );
}

/** A rule that goes by time, or finds no edges between, is no evidence. */
function Reason({ reason: { rule, statement, evidence } }: { readonly reason: CauseReason }) {
  const isOrder = rule === 'precedingCall' || evidence.path.length === 0;
  return (
    <li className={isOrder ? 'by-order' : 'by-evidence'}>
      {statement} <span className="badge">{isOrder ? 'position only' : 'evidence'}</span>
    </li>
  );
}
