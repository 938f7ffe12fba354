import { Link } from 'wouter';
import type { CompareAnswer, TaskOverview } from '../../../src/client/browser.ts';
import { count, duration, money } from '../../state/format.ts';
import { taskPath } from '../../state/url.ts';
import { Status } from '../../widgets/status.tsx';
import { statusOf } from '../runs/run-row.tsx';

const known = (figure: number | undefined): string => (figure === undefined ? '' : count(figure));

const FIGURES: readonly (readonly [label: string, value: (run: TaskOverview) => string])[] = [
  ['Time', ({ durationMs }) => duration(durationMs)],
  ['Steps', ({ nodes }) => count(nodes)],
  ['Errors', ({ errors }) => count(errors)],
  ['Tokens in', ({ tokensIn }) => known(tokensIn)],
  ['Tokens out', ({ tokensOut }) => known(tokensOut)],
  ['Cost', ({ costUsd }) => money(costUsd)],
  ['Agents', ({ agents }) => agents.join(', ')],
];

/** What both runs took and cost; where they differ it is marked. */
export function RunFigures({ answer: { totals, models } }: { readonly answer: CompareAnswer }) {
  const { a, b } = totals;
  const rows = [
    ...FIGURES.map(([label, value]) => [label, value(a), value(b)] as const),
    ['Models', models.a.join(', '), models.b.join(', ')] as const,
  ];
  return (
    <table className="run-compare">
      <thead>
        <tr>
          <td />
          <RunHead side="a" run={a} />
          <RunHead side="b" run={b} />
        </tr>
      </thead>
      <tbody>
        {rows.map(([label, inA, inB]) => (
          <tr key={label} className={inA === inB ? '' : 'differs'}>
            <th scope="row">
              {label}
              {inA !== inB && <span className="sr-only"> (differs)</span>}
            </th>
            <td>{inA || '–'}</td>
            <td>{inB || '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function RunHead({ side, run }: { readonly side: 'a' | 'b'; readonly run: TaskOverview }) {
  return (
    <th scope="col" className={`side-${side}`}>
      <span className="badge">{side}</span> <Status status={statusOf(run)} withWord />{' '}
      <Link href={taskPath(run.taskId)} className="node-link">
        <span dir="auto">{run.title}</span>
      </Link>
      <span className="muted task-id">{run.taskId}</span>
    </th>
  );
}
