import { useRun, useSummary } from '../../connection/queries.ts';
import { useTask } from '../../state/task-context.ts';
import { AnswerBox } from './answer-box.tsx';
import { NodeLink } from './node-link.tsx';

/** Of a sentence about many steps so many are links. */
const MAX_LINKS = 5;

/** The task in sentences, each with links to the steps that it is about. */
export function Summary({ onClose }: { readonly onClose: () => void }) {
  const { taskId } = useTask();
  const run = useRun(taskId);
  const { data, error, isPending } = useSummary(taskId, [run?.nodes, run?.running, run?.lastChanged]);
  return (
    <AnswerBox title="In words" onClose={onClose}>
      {isPending && <p className="late muted">Reading …</p>}
      {error && <p role="alert">{error.message}</p>}
      <ol className="summary">
        {data?.sentences.map(({ text, nodeIds, by }) => (
          <li key={`${nodeIds[0]}${text}`}>
            <p dir="auto">
              {text}
              {by === 'model' && <span className="badge">in a model’s words</span>}
            </p>
            {nodeIds.slice(0, MAX_LINKS).map((id) => (
              <NodeLink key={id} id={id} node={undefined} />
            ))}
            {nodeIds.length > MAX_LINKS && (
              <span className="muted"> and {nodeIds.length - MAX_LINKS} more</span>
            )}
          </li>
        ))}
      </ol>
    </AnswerBox>
  );
}
