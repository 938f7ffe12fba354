import { Link } from 'wouter';
import { useSearchTexts } from '../../connection/queries.ts';
import type { Run } from '../../connection/queries.ts';
import { taskPath } from '../../state/url.ts';

interface FoundInTextsProps {
  readonly text: string;
  /** Those on the page, for their titles. */
  readonly runs: readonly Run[];
}

/** Steps whose titles, names or full texts hold what is searched for, each a link to the step. */
export function FoundInTexts({ text, runs }: FoundInTextsProps) {
  const { data } = useSearchTexts(text);
  if (!data || data.hits.length === 0) return null;
  const titles = new Map(runs.map(({ taskId, title }) => [taskId, title]));
  return (
    <details className="found" open={runs.length === 0}>
      <summary>
        Steps with “{text}”:{' '}
        {data.nextCursor === undefined ? data.hits.length : `${data.hits.length} and more`}
      </summary>
      <ul>
        {data.hits.map(({ taskId, nodeId, field, start }) => (
          <li key={`${nodeId} ${field} ${start}`}>
            <Link href={taskPath(taskId, { sel: nodeId })} className="node-link">
              <span dir="auto">{titles.get(taskId) ?? taskId}</span>
              <span className="muted">in its {field}</span>
            </Link>
          </li>
        ))}
      </ul>
    </details>
  );
}
