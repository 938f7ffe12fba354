import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Pattern, PatternsAnswer } from '../../../src/client/browser.ts';
import { chanceWords, kindWords } from '../../../src/model/patterns.ts';
import { count, duration, money } from '../../state/format.ts';
import { useUrl } from '../../state/url.ts';

const KINDS = ['all', 'step', 'tool', 'model', 'agent', 'type'] as const;
/** What is less likely by chance is marked. */
const SIGNIFICANT = 0.05;

interface Column {
  readonly id: string;
  readonly label: string;
  /** The largest first. */
  readonly by: (pattern: Pattern) => number;
  readonly text: (pattern: Pattern, answer: PatternsAnswer) => string;
}

const COLUMNS: readonly Column[] = [
  { id: 'p', label: 'p', by: ({ p }) => -p, text: (pattern, { tasks }) => chanceWords(pattern, tasks) },
  {
    id: 'failed',
    label: 'Failed runs',
    by: ({ failed }) => failed,
    text: ({ failed }, { tasks }) => `${count(failed)} / ${count(tasks.failed)}`,
  },
  {
    id: 'passed',
    label: 'Passed runs',
    by: ({ passed }) => passed,
    text: ({ passed }, { tasks }) => `${count(passed)} / ${count(tasks.passed)}`,
  },
  { id: 'errors', label: 'Errors', by: ({ errors }) => errors, text: ({ errors }) => count(errors) },
  { id: 'steps', label: 'Steps', by: ({ steps }) => steps, text: ({ steps }) => count(steps) },
  { id: 'cost', label: 'Cost', by: ({ costUsd = -1 }) => costUsd, text: ({ costUsd }) => money(costUsd) },
  {
    id: 'time',
    label: 'Mean time',
    by: ({ latencyMs = -1 }) => latencyMs,
    text: ({ latencyMs }) => duration(latencyMs),
  },
];

/** Kinds of steps with their figures; a press on a column puts its largest first. */
export function PatternTable({ answer }: { readonly answer: PatternsAnswer }) {
  const { params, set } = useUrl();
  const sort = COLUMNS.find(({ id }) => id === params.get('sort')) ?? COLUMNS[0];
  const kind = KINDS.find((one) => one === params.get('kind')) ?? 'all';
  const rows = useMemo(() => {
    const of = answer.patterns.filter(({ what }) => kind === 'all' || kindWords(what)[0] === kind);
    return sort ? of.sort((one, other) => sort.by(other) - sort.by(one)) : of;
  }, [answer, kind, sort]);
  return (
    <>
      <span className="segments" role="group" aria-label="Kind">
        {KINDS.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === kind}
            onClick={() => set({ kind: one === 'all' ? null : one }, 'push')}
          >
            {one}
          </button>
        ))}
      </span>
      <div className="pattern-scroller" tabIndex={0} role="region" aria-label="Patterns">
        <table className="graph-table patterns">
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col">What</th>
              {COLUMNS.map(({ id, label }) => (
                <th
                  key={id}
                  scope="col"
                  className="number"
                  aria-sort={id === sort?.id ? 'descending' : 'none'}
                >
                  <button
                    type="button"
                    className="node-link"
                    onClick={() => set({ sort: id === COLUMNS[0]?.id ? null : id }, 'push')}
                  >
                    {label}
                    {id === sort?.id && <span aria-hidden="true"> ▾</span>}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((pattern) => (
              <Row key={JSON.stringify(pattern.what)} pattern={pattern} answer={answer} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Row({ pattern, answer }: { readonly pattern: Pattern; readonly answer: PatternsAnswer }) {
  const [kind, name] = kindWords(pattern.what);
  const isTelling = pattern.p < SIGNIFICANT;
  return (
    <tr className={isTelling ? 'telling' : ''} data-testid="pattern" data-kind={kind} data-name={name}>
      <td className="muted">{kind}</td>
      <td className="step">
        {kind === 'agent' ? (
          <Link href={`/?${new URLSearchParams({ agent: name }).toString()}`} className="node-link">
            <span dir="auto">{name}</span>
          </Link>
        ) : (
          <span dir="auto">{name}</span>
        )}
        {isTelling && <span className="badge only">{sideOf(pattern, answer)}</span>}
      </td>
      {COLUMNS.map(({ id, text }) => (
        <td key={id} className="number">
          {text(pattern, answer)}
        </td>
      ))}
    </tr>
  );
}

function sideOf({ failed, passed }: Pattern, { tasks }: PatternsAnswer): string {
  const isMore = failed * tasks.passed > passed * tasks.failed;
  return isMore ? 'more in failed runs' : 'more in passed runs';
}
