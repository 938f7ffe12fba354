import { useMemo } from 'react';
import { useRecord, type Entry, type EntryFilters } from '../../connection/administer.ts';
import { plural } from '../../state/format.ts';
import { useUrl } from '../../state/url.ts';
import { FilterChip } from '../../widgets/filter-chip.tsx';

/** What is on record, by its names in the audit log. */
const ACTIONS = [
  'login',
  'logout',
  'login-refused',
  'denied',
  'refused',
  'failed',
  'key-create',
  'key-rotate',
  'key-revoke',
  'reveal',
  'override',
  'revoke',
  'erase',
  'prune',
  'adaptation',
  'replay',
  'interrupt',
  'annotate',
  'guard',
];
const OUTCOMES = ['done', 'refused'];

/** Who did what, and who was refused where: the newest first. */
export function Record() {
  const { params, set } = useUrl();
  const filters = useMemo((): EntryFilters => {
    const [action, outcome, who] = ['action', 'outcome', 'who'].map((name) => params.get(name));
    return { ...(action && { action }), ...(outcome && { outcome }), ...(who && { who }) };
  }, [params]);
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useRecord(filters);
  const entries = data?.pages.flat() ?? [];
  return (
    <>
      <div className="row wrap" role="search" aria-label="What is on record">
        <Choice name="action" label="What" words={ACTIONS} />
        <Choice name="outcome" label="Outcome" words={OUTCOMES} />
        {filters.who !== undefined && (
          <FilterChip
            name="who"
            label="who"
            value={filters.who}
            onRemove={() => set({ who: null }, 'push')}
          />
        )}
        <button type="button" className="button" onClick={() => void refetch()}>
          Read anew
        </button>
      </div>
      {error !== null && (
        <p className="problem" role="alert">
          {error.message}
        </p>
      )}
      {data && entries.length === 0 && <p className="muted">Nothing of this is on record.</p>}
      {entries.length > 0 && (
        <div className="admin-scroller" tabIndex={0} role="region" aria-label="On record">
          <table className="graph-table patterns" data-testid="record">
            <thead>
              <tr>
                {['Time', 'What', 'Outcome', 'Who', 'From', 'About', 'Why'].map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <Row key={entry.seq} entry={entry} onWho={(who) => set({ who }, 'push')} />
              ))}
            </tbody>
          </table>
          {hasNextPage && (
            <button
              type="button"
              className="button"
              disabled={isFetchingNextPage}
              onClick={() => void fetchNextPage()}
            >
              Older ones
            </button>
          )}
        </div>
      )}
    </>
  );
}

function Row({ entry, onWho }: { readonly entry: Entry; readonly onWho: (who: string) => void }) {
  const { time, action, outcome, who, name, role, from, node, values, why, notWrittenBefore } = entry;
  return (
    <tr data-seq={entry.seq}>
      <td className="when">
        <time dateTime={new Date(time).toISOString()}>{new Date(time).toLocaleString()}</time>
      </td>
      <td>{action}</td>
      <td>{outcome === 'refused' ? <span className="badge error">{outcome}</span> : outcome}</td>
      <td>
        {who !== undefined && (
          <button
            type="button"
            className="node-link"
            title={`${who}: ${role ?? ''}`}
            onClick={() => onWho(who)}
          >
            <span dir="auto">{name ?? who}</span>
          </button>
        )}
      </td>
      <td>{from}</td>
      <td className="step" dir="auto">
        {node}
        {values !== undefined && <span className="muted"> ({values})</span>}
      </td>
      <td className="step" dir="auto">
        {why}
        {notWrittenBefore !== undefined && (
          <span className="badge">{plural(notWrittenBefore, 'line')} before it not written</span>
        )}
      </td>
    </tr>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly words: readonly string[];
}

function Choice({ name, label, words }: ChoiceProps) {
  const { params, set } = useUrl();
  return (
    <span className="row">
      <label className="muted" htmlFor={`record-${name}`}>
        {label}
      </label>
      <select
        id={`record-${name}`}
        value={params.get(name) ?? ''}
        onChange={({ target }) => set({ [name]: target.value || null }, 'push')}
      >
        <option value="">all</option>
        {words.map((word) => (
          <option key={word} value={word}>
            {word}
          </option>
        ))}
      </select>
    </span>
  );
}
