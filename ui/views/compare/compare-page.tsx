import { useMemo } from 'react';
import { Link } from 'wouter';
import type { CompareAnswer } from '../../../src/client/browser.ts';
import { isDivergence } from '../../../src/model/compare.ts';
import { useCompare } from '../../connection/queries.ts';
import { plural } from '../../state/format.ts';
import { useUrl } from '../../state/url.ts';
import { AppBar } from '../../widgets/app-bar.tsx';
import { BackToRuns } from '../../widgets/back-to-runs.tsx';
import { ConnectionProblem } from '../../widgets/connection-state.tsx';
import { useKeys } from '../../widgets/use-keys.ts';
import { useRunsFeed } from '../runs/use-runs-feed.ts';
import { ComparedRows } from './compared-rows.tsx';
import { RunFigures } from './run-figures.tsx';
import { moveTo } from './move-to.ts';
import './compare.css';

/** Two runs side by side: what differs is marked. */
export default function ComparePage() {
  useRunsFeed();
  const { params, set } = useUrl();
  const [a, b] = [params.get('a') ?? '', params.get('b') ?? ''];
  const isChosen = a !== '' && b !== '';
  const { data, error } = useCompare(a, b);
  const swap = (): void => set({ a: b, b: a }, 'push');
  useKeys({ x: swap, n: () => moveTo(1), p: () => moveTo(-1) });
  return (
    <div className="page">
      <AppBar>
        <BackToRuns />
        <h1 className="task-title">Compare two runs</h1>
        {isChosen && (
          <button type="button" className="button" onClick={swap} aria-keyshortcuts="X">
            Swap <kbd>x</kbd>
          </button>
        )}
      </AppBar>
      <ConnectionProblem />
      <main className="compare-page" data-testid="compare">
        {!isChosen && (
          <p className="notice">
            Choose two runs: “Compare” stands beside each in the <Link href="/">list of runs</Link>.
          </p>
        )}
        {isChosen && error !== null && data === undefined && (
          <p className="notice" role="alert">
            {error.message}
          </p>
        )}
        {isChosen && data === undefined && error === null && <p className="late muted">Comparing …</p>}
        {data && <Comparison answer={data} />}
      </main>
    </div>
  );
}

const SHOWS = ['everything', 'differences', 'divergences'] as const;

function Comparison({ answer }: { readonly answer: CompareAnswer }) {
  const { params, set } = useUrl();
  const { steps, firstDivergence, counts, notice, truncated } = answer;
  const show = SHOWS.find((one) => one === params.get('show')) ?? SHOWS[0];
  const shown = useMemo(() => {
    const rows = steps.map((step, place) => ({ step, place }));
    if (show === 'everything') return rows;
    return rows.filter(({ step: { a, b, differs } }) => {
      const isAlone = a === undefined || b === undefined;
      return isAlone || (show === 'differences' ? differs.length > 0 : differs.some(isDivergence));
    });
  }, [steps, show]);
  return (
    <>
      <RunFigures answer={answer} />
      <section className="compare-head" aria-label="Where they part">
        {firstDivergence === undefined ? (
          <p>They differ in figures at most.</p>
        ) : (
          <button
            type="button"
            className="node-link first-divergence"
            onClick={() => moveTo(0, firstDivergence.step)}
          >
            <span className="muted">They part here first:</span>
            <span dir="auto">{firstDivergence.statement}</span>
          </button>
        )}
        <p className="muted">
          {plural(counts.same, 'step')} the same, {counts.differing} different, {counts.onlyA} only in a,{' '}
          {counts.onlyB} only in b{truncated === true && '; those that differ most are shown'}
        </p>
        <span className="row wrap">
          <span className="segments" role="group" aria-label="Show">
            {SHOWS.map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={one === show}
                onClick={() => set({ show: one === SHOWS[0] ? null : one }, 'push')}
              >
                {one}
              </button>
            ))}
          </span>
          <span className="muted compare-keys">
            <kbd>n</kbd> <kbd>p</kbd> next and previous divergence
          </span>
        </span>
      </section>
      <ComparedRows answer={answer} rows={shown} />
      <p className="muted how-to-read">{notice}</p>
    </>
  );
}
