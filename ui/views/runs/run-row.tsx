import { Link, useLocation } from 'wouter';
import type { Run } from '../../connection/queries.ts';
import { ago, duration, money, plural, tokens } from '../../state/format.ts';
import type { ShownStatus } from '../../state/node-words.ts';
import { comparePath, taskPath, useUrl } from '../../state/url.ts';
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
        {run.waiting !== undefined && (
          <span className="badge waiting">{plural(run.waiting, 'approval')} waiting</span>
        )}
        <Cells run={run} />
        <Errors run={run} />
        <CompareButton taskId={run.taskId} title={run.title} />
        {run.archived === true && <span className="badge">archived</span>}
        <time className="run-time muted" dateTime={run.lastChanged}>
          {ago(run.lastChanged, now)}
        </time>
      </span>
    </div>
  );
}

/** How many steps failed, and whether that was made good. */
export function Errors({ run: { errors, recovered } }: { readonly run: Run }) {
  if (errors === 0) return null;
  return recovered === true ? (
    <span className="badge recovered" title="What failed was done again, and went well">
      {plural(errors, 'error')}, recovered
    </span>
  ) : (
    <span className="badge error">{plural(errors, 'error')}</span>
  );
}

/** Where the parts of a run are that several cells have. */
function Cells({ run: { cells } }: { readonly run: Run }) {
  if (cells === undefined) return null;
  return (
    <span className="badge" data-testid="run-cells" title={`Parts of it are in ${cells.join(', ')}`}>
      {plural(cells.length, 'cell')}
    </span>
  );
}

/** The first press chooses a run, the second on another one shows both side by side. */
function CompareButton({ taskId, title }: { readonly taskId: string; readonly title: string }) {
  const { params, set } = useUrl();
  const [, navigate] = useLocation();
  const chosen = params.get('with');
  const isChosen = chosen === taskId;
  const word = isChosen ? 'Chosen' : chosen === null ? 'Compare' : 'Compare with it';
  return (
    <button
      type="button"
      className={`button small compare-button ${chosen === null ? '' : 'asked'}`}
      aria-pressed={isChosen}
      aria-label={`${word}: ${title}`}
      aria-keyshortcuts="C"
      onClick={() => {
        if (chosen === null || isChosen) set({ with: isChosen ? null : taskId }, 'replace');
        else navigate(comparePath(chosen, taskId));
      }}
    >
      {word}
    </button>
  );
}

/** What a run took and cost, as far as it is known. */
export function runFigures(run: Run): readonly string[] {
  const figures = [duration(run.durationMs), plural(run.nodes, 'step'), tokens(run), money(run.costUsd)];
  return figures.filter((figure) => figure !== '');
}

export function statusOf(run: Run): ShownStatus {
  if (run.running > 0) return 'running';
  if (run.recovered === true) return 'recovered';
  if (run.errors > 0) return 'error';
  return run.warnings > 0 ? 'warning' : 'ok';
}
