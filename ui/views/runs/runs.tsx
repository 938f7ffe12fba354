import { lazy, Suspense, useDeferredValue, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useIsAdministrator } from '../../connection/administer.ts';
import { useRuns } from '../../connection/queries.ts';
import type { Run } from '../../connection/queries.ts';
import { useMay } from '../../connection/session.ts';
import { useUrl } from '../../state/url.ts';
import { AppBar } from '../../widgets/app-bar.tsx';
import { ConnectionProblem } from '../../widgets/connection-state.tsx';
import { FilterChip } from '../../widgets/filter-chip.tsx';
import { Notices } from '../../widgets/notices.tsx';
import { useKeys } from '../../widgets/use-keys.ts';
import { EmptyState } from '../empty/empty-state.tsx';
import { Prune } from '../why/prune.tsx';
import { GROUPS, PICKS, SORTS, STATES, grouped, runsQuery } from './choose-runs.ts';
import { FoundInTexts } from './found-in-texts.tsx';
import { RunList } from './run-list.tsx';
import { useRunsFeed } from './use-runs-feed.ts';
import './runs.css';

const RunsPalette = lazy(() => import('../palette/runs-palette.tsx'));
/** The first page: what runs, newest first. */
export function Runs() {
  useRunsFeed();
  const { params, set } = useUrl();
  const asked = useDeferredValue(params.toString());
  const query = useMemo(() => runsQuery(new URLSearchParams(asked)), [asked]);
  const { data, error, isPending, isPlaceholderData, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useRuns(query);
  const [isPaletteOpen, openPalette] = useState(false);
  const mayRead = useMay('read');
  const isAdministrator = useIsAdministrator();
  const search = useRef<HTMLInputElement>(null);
  const runs = useMemo(() => data?.pages.flatMap(({ tasks }) => tasks) ?? [], [data]);
  const notices = useMemo(() => [...new Set(data?.pages.flatMap((page) => page.notices ?? []))], [data]);
  const rows = useMemo(() => grouped(runs, new URLSearchParams(asked)), [runs, asked]);
  useKeys({ '/': () => search.current?.focus(), 'Mod+k': () => openPalette(true) });

  const isFiltered = Object.entries(query).some(([name, value]) => name !== 'sort' && value !== undefined);
  const isEmpty = data !== undefined && runs.length === 0 && !isPlaceholderData;
  return (
    <div className="page">
      <AppBar>
        <h1 className="brand">ExplainabilityAgent</h1>
        <button
          type="button"
          className="button"
          onClick={() => openPalette(true)}
          aria-keyshortcuts="Control+K"
        >
          Ask <kbd>Ctrl K</kbd>
        </button>
        <Link href="/patterns" className="button">
          Patterns
        </Link>
        {isAdministrator && (
          <Link href="/admin" className="button">
            Keys
          </Link>
        )}
      </AppBar>
      <ConnectionProblem />
      <Notices notices={notices} />
      <main className="runs-page">
        {(!isEmpty || isFiltered) && (
          <div className="runs-tools" role="search">
            {mayRead && (
              <input
                ref={search}
                data-testid="search"
                type="search"
                className="search"
                placeholder="Search titles, agents, sessions …  ( / )"
                aria-label="Search runs"
                value={params.get('text') ?? ''}
                maxLength={1024}
                onChange={(event) => set({ text: event.target.value || null }, 'replace')}
              />
            )}
            <Choice name="status" label="Status" words={STATES} />
            <Choice name="sort" label="Sort" words={SORTS} />
            <Choice name="group" label="Group" words={GROUPS} />
            <Picks />
            <ChosenRun runs={runs} />
          </div>
        )}
        {params.get('ask') === 'prune' && (
          <Prune
            key={params.get('minutes')}
            minutes={params.get('minutes')}
            onClose={() => set({ ask: null, minutes: null }, 'push')}
          />
        )}
        {mayRead && query.text !== undefined && <FoundInTexts text={query.text.trim()} runs={runs} />}
        {isPending && <p className="late muted">Loading runs …</p>}
        {error !== null && data === undefined && (
          <p className="notice" role="alert">
            {error.message}
          </p>
        )}
        {isEmpty && !isFiltered && <EmptyState />}
        {isEmpty && isFiltered && <p className="notice">No run matches.</p>}
        {rows.length > 0 && (
          <RunList rows={rows} onEnd={() => hasNextPage && !isFetchingNextPage && void fetchNextPage()} />
        )}
      </main>
      {isPaletteOpen && (
        <Suspense>
          <RunsPalette runs={runs} onClose={() => openPalette(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** The first of two runs to compare. */
function ChosenRun({ runs }: { readonly runs: readonly Run[] }) {
  const { params, set } = useUrl();
  const chosen = params.get('with');
  if (chosen === null) return null;
  const title = runs.find(({ taskId }) => taskId === chosen)?.title ?? chosen;
  return (
    <FilterChip
      name="with"
      label="compare, choose another:"
      value={title}
      onRemove={() => set({ with: null }, 'replace')}
    />
  );
}

/** Whose runs are shown, as chips. */
function Picks() {
  const { params, set } = useUrl();
  return PICKS.map((name) => {
    const value = params.get(name);
    if (value === null) return null;
    return (
      <FilterChip
        key={name}
        name={name}
        label={name.replace('Id', '')}
        value={value}
        onRemove={() => set({ [name]: null }, 'push')}
      />
    );
  });
}

function Choice({
  name,
  label,
  words,
}: {
  readonly name: string;
  readonly label: string;
  readonly words: readonly string[];
}) {
  const { params, set } = useUrl();
  return (
    <label className="choice">
      <span className="muted">{label}</span>
      {/* Where it is narrow the word beside it is not shown. */}
      <select
        aria-label={label}
        value={params.get(name) ?? words[0]}
        onChange={({ target }) => set({ [name]: target.value === words[0] ? null : target.value }, 'push')}
      >
        {words.map((word) => (
          <option key={word}>{word}</option>
        ))}
      </select>
    </label>
  );
}
