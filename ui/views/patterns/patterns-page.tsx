import { useMemo } from 'react';
import { Link } from 'wouter';
import { usePatterns } from '../../connection/queries.ts';
import { FILTER_NAMES, filterValues, filtersOf, unknownValues, withoutFilter } from '../../state/filters.ts';
import { plural } from '../../state/format.ts';
import { useUrl } from '../../state/url.ts';
import { AppBar } from '../../widgets/app-bar.tsx';
import { ConnectionProblem } from '../../widgets/connection-state.tsx';
import { FilterChip } from '../../widgets/filter-chip.tsx';
import { useRunsFeed } from '../runs/use-runs-feed.ts';
import { PatternTable } from './pattern-table.tsx';
import './patterns.css';

const OF_THE_PAGE: ReadonlySet<string> = new Set(['sort', 'kind']);

/** Over many runs: what fails, costs or takes most, and what failed runs have in common. */
export default function PatternsPage() {
  useRunsFeed();
  const { params, replaceAll } = useUrl();
  const filters = useMemo(() => filtersOf(params), [params]);
  const { data, error } = usePatterns(filters);
  return (
    <div className="page">
      <AppBar>
        <Link href="/" className="back" aria-label="All runs">
          ‹ <span>Runs</span>
        </Link>
        <h1 className="task-title">Patterns over runs</h1>
      </AppBar>
      <ConnectionProblem />
      <main className="patterns-page" data-testid="patterns">
        <span className="chips">
          {filterValues(params).map((filter) => (
            <FilterChip
              key={`${filter.name}=${filter.value}`}
              {...filter}
              label={FILTER_NAMES.find(({ name }) => name === filter.name)?.label ?? filter.name}
              onRemove={() => replaceAll(withoutFilter(params, filter))}
            />
          ))}
          {unknownValues(params, OF_THE_PAGE).map((given) => (
            <FilterChip
              key={`${given.name}=${given.value}`}
              name={given.name}
              label="no filter"
              value={`${given.name}=${given.value}`}
              isRefused
              onRemove={() => replaceAll(withoutFilter(params, given))}
            />
          ))}
        </span>
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
            <p className="muted compare-notice">{data.notice}</p>
          </>
        )}
      </main>
    </div>
  );
}
