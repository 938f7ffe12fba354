import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useWhy } from '../../connection/queries.ts';
import { byStart } from '../../state/node-times.ts';
import { TaskProvider } from '../../state/task-context.ts';
import type { TaskContext } from '../../state/task-context.ts';
import { useUrl } from '../../state/url.ts';
import { AppBar } from '../../widgets/app-bar.tsx';
import { ConnectionProblem } from '../../widgets/connection-state.tsx';
import { useKeys } from '../../widgets/use-keys.ts';
import { NodePanel } from '../panel/node-panel.tsx';
import { highlightOf } from '../why/highlight.ts';
import { AskBox } from '../why/ask-box.tsx';
import { WhyBox } from '../why/why-box.tsx';
import { FilterBar } from './filter-bar.tsx';
import { TASK_VIEWS, viewOf } from './task-views.ts';
import { TaskHead } from './task-head.tsx';
import { TaskBody } from './task-body.tsx';
import { TaskNotices } from './task-notices.tsx';
import { useAskWhy } from './use-ask-why.ts';
import { useOpenSummaries } from './use-open-summaries.ts';
import { useTaskFeed } from './use-task-feed.ts';
import './task.css';

const TaskPalette = lazy(() => import('../palette/task-palette.tsx'));

/** One task: its views, the panel of the selected node, and the answer to "why". */
export default function TaskPage({ taskId }: { readonly taskId: string }) {
  const url = useUrl();
  const { params, set } = url;
  const { feed, refusal } = useTaskFeed(taskId, params);
  const toggleSummary = useOpenSummaries(feed, url);
  const [isPaletteOpen, openPalette] = useState(false);
  const selected = params.get('sel') ?? undefined;
  const asked = params.get('why') ?? undefined;
  const question = params.get('ask') ?? undefined;
  const hasSide = selected !== undefined || asked !== undefined || question !== undefined;
  const answer = useWhy(asked);
  const select = useCallback((id: string | undefined) => set({ sel: id ?? null }, 'replace'), [set]);
  const highlight = useMemo(() => (answer.data ? highlightOf(answer.data) : undefined), [answer.data]);
  const context = useMemo<TaskContext | undefined>(
    () => feed && { taskId, store: feed.store, live: feed.live, selected, select, highlight, toggleSummary },
    [feed, taskId, selected, select, highlight, toggleSummary],
  );
  const askWhy = useAskWhy(feed?.store, url);
  const nextError = (): void => {
    const failed = [...(feed?.store.nodes.values() ?? [])]
      .filter(({ status }) => status === 'ERROR')
      .sort(byStart);
    const next = failed[(failed.findIndex(({ id }) => id === selected) + 1) % failed.length];
    if (next) select(next.id);
  };
  useKeys({
    'Mod+k': () => openPalette(true),
    w: () => askWhy(selected),
    // The graph leads from card to card, and takes the focus along.
    ...(viewOf(params)?.id !== 'graph' && { e: nextError }),
    Escape: () => set(selected === undefined ? { why: null, ask: null } : { sel: null }, 'replace'),
    ...Object.fromEntries(
      TASK_VIEWS.map(({ id }, index) => [String(index + 1), () => set({ view: id }, 'push')]),
    ),
  });

  return (
    <div className="page">
      <AppBar>
        <TaskHead taskId={taskId} />
      </AppBar>
      <ConnectionProblem />
      {context && (
        <TaskProvider value={context}>
          <FilterBar onWhy={() => askWhy(selected)} onPalette={() => openPalette(true)} />
          {refusal !== undefined && (
            <p className="banner" role="alert">
              {refusal}
            </p>
          )}
          <TaskNotices />
          <div className={`task-layout ${hasSide ? 'with-side' : ''}`}>
            <TaskBody />
            {hasSide && (
              <aside className="side" aria-label="Answers and details">
                {question !== undefined && (
                  <AskBox question={question} onWhy={askWhy} onClose={() => set({ ask: null }, 'push')} />
                )}
                {asked !== undefined && <WhyBox answer={answer} onClose={() => set({ why: null }, 'push')} />}
                {selected !== undefined && <NodePanel nodeId={selected} onWhy={askWhy} />}
              </aside>
            )}
          </div>
          {isPaletteOpen && (
            <Suspense>
              <TaskPalette onClose={() => openPalette(false)} onWhy={askWhy} />
            </Suspense>
          )}
        </TaskProvider>
      )}
    </div>
  );
}
