import { Command } from 'cmdk';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { useMay } from '../../connection/session.ts';
import { byStart } from '../../state/node-times.ts';
import { titleOf } from '../../state/node-words.ts';
import { withFilter } from '../../state/filters.ts';
import { useTask } from '../../state/task-context.ts';
import { useUrl } from '../../state/url.ts';
import { typeWords } from '../../state/format.ts';
import { useGraphVersion } from '../../state/use-graph.ts';
import { TASK_VIEWS } from '../task/task-views.ts';
import { Palette, PaletteItem } from './palette.tsx';

const MOST = 300;

interface TaskPaletteProps {
  readonly onClose: () => void;
  readonly onWhy: (nodeId?: string) => void;
}

/** Questions about the task that is shown. */
export default function TaskPalette({ onClose, onWhy }: TaskPaletteProps) {
  const mayOperate = useMay('operate');
  const { store, selected, select, taskId } = useTask();
  const version = useGraphVersion(store);
  const { params, set, replaceAll } = useUrl();
  const [, navigate] = useLocation();
  const nodes = useMemo(() => [...store.nodes.values()].sort(byStart), [store, version]);
  const agents = useMemo(() => [...new Set(nodes.map(({ agent }) => agent))], [nodes]);
  const then = (action: () => void) => () => {
    onClose();
    action();
  };
  return (
    <Palette taskId={taskId} onClose={onClose}>
      <Command.Group heading="Ask">
        <PaletteItem id="why" label="Why did this fail?" hint="w" onRun={then(() => onWhy())} />
        {selected !== undefined && (
          <PaletteItem id="why-step" label="Why this step?" onRun={then(() => onWhy(selected))} />
        )}
        <PaletteItem
          id="summary"
          label="What happened, in words?"
          onRun={then(() => set({ ask: 'summary' }, 'push'))}
        />
        <PaletteItem id="spikes" label="Cost spikes" onRun={then(() => set({ ask: 'spikes' }, 'push'))} />
        <PaletteItem id="slow" label="Slowest path" onRun={then(() => set({ ask: 'slowest' }, 'push'))} />
        <PaletteItem
          id="errors"
          label="Only errors"
          onRun={then(() => replaceAll(withFilter(params, { name: 'status', value: 'ERROR' })))}
        />
        <PaletteItem
          id="compare"
          label="Compare with another run"
          onRun={then(() => navigate(`/?${new URLSearchParams({ with: taskId }).toString()}`))}
        />
        <PaletteItem
          id="expand"
          label={`Expand reasoning for task ${taskId}`}
          onRun={then(() => set({ all: '1', open: null }, 'push'))}
        />
      </Command.Group>
      {mayOperate && (
        <Command.Group heading="Service">
          <PaletteItem
            id="prune"
            label="Prune nodes older than … minutes"
            onRun={then(() => set({ ask: 'prune' }, 'push'))}
          />
        </Command.Group>
      )}
      <Command.Group heading="What did an agent do?">
        {agents.map((agent) => (
          <PaletteItem
            key={agent}
            id={`agent-${agent}`}
            label={`What did ${agent} do?`}
            onRun={then(() => replaceAll(withFilter(params, { name: 'agentNames', value: agent })))}
          />
        ))}
      </Command.Group>
      <Command.Group heading="View">
        {TASK_VIEWS.map(({ id, label }, index) => (
          <PaletteItem
            key={id}
            id={`view-${id}`}
            label={label}
            hint={String(index + 1)}
            onRun={then(() => set({ view: id }, 'push'))}
          />
        ))}
      </Command.Group>
      <Command.Group heading="Go to a step">
        {nodes.slice(0, MOST).map((node) => (
          <PaletteItem
            key={node.id}
            id={node.id}
            label={titleOf(node)}
            hint={`${node.agent}, ${typeWords(node.type)}`}
            onRun={then(() => select(node.id))}
          />
        ))}
      </Command.Group>
    </Palette>
  );
}
