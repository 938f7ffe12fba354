import { Link } from 'wouter';
import type { Run } from '../../connection/queries.ts';
import { ago, duration, money, plural, tokens } from '../../state/format.ts';
import type { ShownStatus } from '../../state/node-words.ts';
import { taskPath } from '../../state/url.ts';
import { Status } from '../../widgets/status.tsx';
import { useNow } from '../../widgets/use-now.ts';
import { Sparkline } from './sparkline.tsx';

export function RunRow({ run }: { readonly run: Run }) {
  const now = useNow(10_000);
  const status = statusOf(run);
  const [first = '', ...others] = run.agents;
  return (
    <div className={`run ${status}`} data-testid="run" data-task-id={run.taskId}>
      <Link href={taskPath(run.taskId)} className="run-link">
        <Status status={status} />
        <span className="run-title" dir="auto">
          {run.title}
        </span>
      </Link>
      <span className="run-agents muted" title={run.agents.join(', ')}>
        {first}
        {others.length > 0 && ` +${others.length}`}
      </span>
      <Sparkline counts={run.activity} />
      <span className="run-figures">
        {runFigures(run).map((figure) => (
          <span key={figure}>{figure}</span>
        ))}
      </span>
      <span className="run-end">
        {run.errors > 0 && <span className="badge error">{plural(run.errors, 'error')}</span>}
        {run.archived === true && <span className="badge">archived</span>}
        <time className="run-time muted" dateTime={run.lastChanged}>
          {ago(run.lastChanged, now)}
        </time>
      </span>
    </div>
  );
}

/** What a run took and cost, as far as it is known. */
export function runFigures(run: Run): readonly string[] {
  const figures = [duration(run.durationMs), plural(run.nodes, 'step'), tokens(run), money(run.costUsd)];
  return figures.filter((figure) => figure !== '');
}

export function statusOf(run: Run): ShownStatus {
  if (run.running > 0) return 'running';
  if (run.errors > 0) return 'error';
  return run.warnings > 0 ? 'warning' : 'ok';
}
