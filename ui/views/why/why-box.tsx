import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { CauseQuote, CauseReason, ExplanationNode, WhyAnswer } from '../../../src/client/browser.ts';
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
  const { candidates, notice, graph, nodeId, unexplained, outcome } = answer;
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const asked = nodes.get(nodeId);
  const isSaid = asked !== undefined && titleOf(asked).includes(outcome.error?.text ?? '');
  return (
    <>
      <p>
        <span className="muted">What led to </span>
        <NodeLink id={nodeId} node={asked} />
      </p>
      {outcome.error && !isSaid && (
        <OwnError error={outcome.error} node={nodes.get(outcome.error.nodeId)} asked={nodeId} />
      )}
      {candidates.length === 0 ? (
        <p>
          {unexplained === true ? 'Unexplained: nothing' : outcome.error ? 'Nothing else' : 'Nothing'} that
          was recorded speaks for a cause of {asked ? `“${titleOf(asked)}”` : 'it'}.
        </p>
      ) : (
        <p>Look here first; what is not on the way is dimmed:</p>
      )}
      <ol className="why-candidates">
        {candidates.map(({ nodeId: id, reasons }) => (
          <li key={id} data-testid="why-candidate" data-node-id={id}>
            <NodeLink id={id} node={nodes.get(id)} />
            <ul>
              {reasons.map((reason) => (
                <Reason key={reason.rule} reason={reason} nodes={nodes} candidate={id} />
              ))}
            </ul>
          </li>
        ))}
      </ol>
      <p className="muted small-text">{notice}</p>
    </>
  );
}

interface OwnErrorProps {
  readonly error: NonNullable<WhyAnswer['outcome']['error']>;
  readonly node: ExplanationNode | undefined;
  readonly asked: string;
}

/** What the failure says of itself. */
function OwnError({ error: { nodeId, text }, node, asked }: OwnErrorProps) {
  return (
    <blockquote dir="auto" data-testid="why-error">
      {text}
      {nodeId !== asked && <NodeLink id={nodeId} node={node} />}
    </blockquote>
  );
}

/** Of what speaks for a reason so much is shown; the panel has the whole text. */
const MAX_QUOTES = 2;

interface ReasonProps {
  readonly reason: CauseReason;
  readonly nodes: ReadonlyMap<string, ExplanationNode>;
  readonly candidate: string;
}

/** What goes by order alone looks another way than what is evidence. */
function Reason({ reason: { statement, strength, evidence }, nodes, candidate }: ReasonProps) {
  const isOrder = strength === 'order';
  return (
    <li className={isOrder ? 'by-order' : 'by-evidence'}>
      {statement} <span className="badge">{isOrder ? 'position only' : 'evidence'}</span>
      {evidence.quotes.slice(0, MAX_QUOTES).map((quote) => (
        <Quote key={`${quote.nodeId}${quote.field}${quote.start}`} quote={quote}>
          {quote.nodeId !== candidate && <NodeLink id={quote.nodeId} node={nodes.get(quote.nodeId)} />}
        </Quote>
      ))}
    </li>
  );
}

function Quote({ quote: { text }, children }: { readonly quote: CauseQuote; readonly children: ReactNode }) {
  return (
    <blockquote dir="auto">
      {text}
      {children}
    </blockquote>
  );
}
