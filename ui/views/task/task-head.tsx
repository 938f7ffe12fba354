import { useRun } from '../../connection/queries.ts';
import { figuresLine } from '../../state/format.ts';
import { BackToRuns } from '../../widgets/back-to-runs.tsx';
import { Status } from '../../widgets/status.tsx';
import { Errors, runFigures, statusOf } from '../runs/run-row.tsx';

/** Title and figures of the task; from the list of runs, which counts what filters and folds hide. */
export function TaskHead({ taskId }: { readonly taskId: string }) {
  const run = useRun(taskId);
  return (
    <>
      <BackToRuns />
      {run && <Status status={statusOf(run)} />}
      <h1 className="task-title" dir="auto" title={taskId}>
        {run?.title ?? taskId}
      </h1>
      <span className="task-figures muted">
        {run !== undefined && <Errors run={run} />}
        {run !== undefined && figuresLine(...runFigures(run))}
      </span>
    </>
  );
}
