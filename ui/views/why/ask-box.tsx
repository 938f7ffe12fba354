import { useEffect, useMemo } from 'react';
import { useSpikes } from '../../connection/queries.ts';
import { duration, money, plural } from '../../state/format.ts';
import { slowestPath } from '../../state/slowest-path.ts';
import { useTask } from '../../state/task-context.ts';
import { useUrl } from '../../state/url.ts';
import { useGraphVersion } from '../../state/use-graph.ts';
import { AnswerBox } from './answer-box.tsx';
import { NodeLink } from './node-link.tsx';
import { Prune } from './prune.tsx';
import { Summary } from './summary.tsx';
import './why.css';

interface AskBoxProps {
  /** `summary`, `expand`, `spikes`, `slowest`, `prune`, or `why` of the failure that the task will turn out to have. */
  readonly question: string;
  readonly onWhy: () => void;
  readonly onClose: () => void;
}

/** The answer to a question about the whole task, in words, each part of it a link. */
export function AskBox({ question, onWhy, onClose }: AskBoxProps) {
  const { store } = useTask();
  const { params, set } = useUrl();
  const version = useGraphVersion(store);
  useEffect(() => {
    if (question !== 'expand') return;
    // Going back leads to where it was asked from.
    set({ ask: null, all: '1', open: null }, 'replace');
  }, [question, set]);
  useEffect(() => {
    // A link from the list of runs does not know which step failed.
    if (question === 'why' && store.isComplete) onWhy();
  }, [question, store, version, onWhy]);
  if (question === 'why' && store.isComplete)
    return (
      <AnswerBox title="Why?" onClose={onClose}>
        <p role="status">
          No step that is shown failed. To ask what led to one, choose it, then ask “Why?” again.
        </p>
      </AnswerBox>
    );
  if (question === 'spikes') return <Spikes onClose={onClose} />;
  if (question === 'summary') return <Summary onClose={onClose} />;
  if (question === 'slowest') return <Slowest onClose={onClose} />;
  if (question === 'prune') {
    const minutes = params.get('minutes');
    return <Prune key={minutes} minutes={minutes} onClose={onClose} />;
  }
  return null;
}

const WORDS: Readonly<Record<string, string>> = {
  costUsd: 'cost',
  latencyMs: 'took',
  tokensIn: 'tokens in',
  tokensOut: 'tokens out',
};

function Spikes({ onClose }: { readonly onClose: () => void }) {
  const { taskId } = useTask();
  const { data, error } = useSpikes(taskId, true);
  const figure = (measure: string, value: number): string => {
    if (measure === 'costUsd') return money(value);
    return measure === 'latencyMs' ? duration(value) : value.toLocaleString('en');
  };
  return (
    <AnswerBox title="Spikes" onClose={onClose}>
      {error && <p role="alert">{error.message}</p>}
      {data && (
        <p>
          {data.spikes.length === 0
            ? 'No step stands far above the others of its kind in cost, time or tokens.'
            : `${plural(data.spikes.length, 'figure')} far above what such steps have in this task:`}
        </p>
      )}
      <ol className="why-candidates">
        {data?.spikes.map(({ nodeId, measure, value, median, compared }) => (
          <li key={`${nodeId}${measure}`}>
            <NodeLink id={nodeId} node={undefined} />
            <p>
              {WORDS[measure]} {figure(measure, value)}; the middle of {compared} such steps is{' '}
              {figure(measure, median)}
            </p>
          </li>
        ))}
      </ol>
      {data && <p className="muted small-text">{data.notice}</p>}
    </AnswerBox>
  );
}

function Slowest({ onClose }: { readonly onClose: () => void }) {
  const { store } = useTask();
  const version = useGraphVersion(store);
  const path = useMemo(() => slowestPath(store), [store, version]);
  return (
    <AnswerBox title="Slowest path" onClose={onClose}>
      <p>From the step that took longest, each time into the step below it that ended last:</p>
      <ol className="why-candidates">
        {path.map((node) => (
          <li key={node.id}>
            <NodeLink id={node.id} node={node} />
            <span className="muted"> {duration(node.latencyMs)}</span>
          </li>
        ))}
      </ol>
    </AnswerBox>
  );
}
