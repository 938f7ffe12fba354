import { Command } from 'cmdk';
import { useLocation } from 'wouter';
import { useIsAdministrator } from '../../connection/administer.ts';
import type { Run } from '../../connection/queries.ts';
import { money, plural } from '../../state/format.ts';
import { comparePath, taskPath, useUrl } from '../../state/url.ts';
import { Palette, PaletteItem } from './palette.tsx';

/** More than anybody reads; typing finds among all that the page has. */
const MOST = 200;

export default function RunsPalette({
  runs,
  onClose,
}: {
  readonly runs: readonly Run[];
  readonly onClose: () => void;
}) {
  const [, navigate] = useLocation();
  const isAdministrator = useIsAdministrator();
  const chosen = useUrl().params.get('with');
  const go = (path: string) => () => {
    onClose();
    navigate(path);
  };
  return (
    <Palette onClose={onClose}>
      <Command.Group heading="Show">
        <PaletteItem id="failed" label="Only failed runs" onRun={go('/?status=failed')} />
        <PaletteItem id="running" label="Only running ones" onRun={go('/?status=running')} />
        <PaletteItem id="cost" label="Costliest runs first" onRun={go('/?sort=cost')} />
        <PaletteItem id="latency" label="Slowest runs first" onRun={go('/?sort=latency')} />
        <PaletteItem
          id="patterns"
          label="Patterns: what do failed runs have in common?"
          onRun={go('/patterns')}
        />
        {isAdministrator && <PaletteItem id="keys" label="Keys: who may come in" onRun={go('/admin')} />}
        {isAdministrator && (
          <PaletteItem id="record" label="What is on record" onRun={go('/admin?show=record')} />
        )}
      </Command.Group>
      <Command.Group heading="Compare two runs">
        {runs
          .filter(({ taskId }) => taskId !== chosen)
          .slice(0, MOST)
          .map((run) => (
            <PaletteItem
              key={run.taskId}
              id={`compare-${run.taskId}`}
              label={chosen === null ? `Compare “${run.title}” with …` : `Compare with “${run.title}”`}
              onRun={
                chosen === null
                  ? go(`/?${new URLSearchParams({ with: run.taskId }).toString()}`)
                  : go(comparePath(chosen, run.taskId))
              }
            />
          ))}
      </Command.Group>
      <Command.Group heading="Why did this fail?">
        {runs
          .filter(({ errors }) => errors > 0)
          .slice(0, MOST)
          .map((run) => (
            <PaletteItem
              key={run.taskId}
              id={`why-${run.taskId}`}
              label={`Why did “${run.title}” fail?`}
              hint={plural(run.errors, 'error')}
              onRun={go(taskPath(run.taskId, { ask: 'why' }))}
            />
          ))}
      </Command.Group>
      <Command.Group heading="Go to">
        {runs.slice(0, MOST).map((run) => (
          <PaletteItem
            key={run.taskId}
            id={run.taskId}
            label={run.title}
            hint={money(run.costUsd)}
            onRun={go(taskPath(run.taskId))}
          />
        ))}
      </Command.Group>
    </Palette>
  );
}
