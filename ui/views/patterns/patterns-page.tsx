import { useMemo } from 'react';
import { usePatterns } from '../../connection/queries.ts';
import { filtersOf } from '../../state/filters.ts';
import { plural } from '../../state/format.ts';
import { useUrl } from '../../state/url.ts';
import { AppBar } from '../../widgets/app-bar.tsx';
import { BackToRuns } from '../../widgets/back-to-runs.tsx';
import { ConnectionProblem } from '../../widgets/connection-state.tsx';
import { FilterChips } from '../../widgets/filter-chips.tsx';
import { useRunsFeed } from '../runs/use-runs-feed.ts';
import { PatternTable } from './pattern-table.tsx';
import './patterns.css';

const OF_THE_PAGE: ReadonlySet<string> = new Set(['sort', 'kind']);

/** Over many runs: what fails, costs or takes most, and what failed runs have in common. */
export default function PatternsPage() {
  useRunsFeed();
  const { params } = useUrl();
  const filters = useMemo(() => filtersOf(params), [params]);
  const { data, error } = usePatterns(filters);
  return (
    <div className="page">
      <AppBar>
        <BackToRuns />
        <h1 className="task-title">Patterns over runs</h1>
      </AppBar>
      <ConnectionProblem />
      <main className="patterns-page" data-testid="patterns">
        <FilterChips ofThePage={OF_THE_PAGE} />
        {error !== null && data === undefined && (
          <p className="notice" role="alert">
            {error.message}
          </p>
        )}
        {data === undefined && error === null && <p className="late muted">Counting …</p>}
        {data && (
          <>
            <p>
              {plural(data.tasks.failed + data.tasks.passed, 'run')}: {data.tasks.failed} failed,{' '}
              {data.tasks.passed} passed.
              {data.truncated === true &&
                ' There are more than were looked at, or more kinds than are shown.'}
            </p>
            {data.patterns.length === 0 ? (
              <p className="notice">No run that is over has such steps.</p>
            ) : (
              <PatternTable answer={data} />
            )}
            <p className="muted how-to-read">{data.notice}</p>
          </>
        )}
      </main>
    </div>
  );
}
