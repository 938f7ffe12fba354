import { lazy, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { useSession } from './connection/session.ts';
import { taskOfPath } from './state/url.ts';
import { ErrorBoundary } from './widgets/error-boundary.tsx';
import { Login } from './views/login/login.tsx';
import { Runs } from './views/runs/runs.tsx';

const Compare = lazy(() => import('./views/compare/compare-page.tsx'));
const Patterns = lazy(() => import('./views/patterns/patterns-page.tsx'));
const Task = lazy(() => import('./views/task/task-page.tsx'));

export function App() {
  const isRefused = useSession((session) => session.isRefused);
  if (isRefused) return <Login />;
  return (
    <ErrorBoundary>
      <Suspense fallback={null}>
        <Switch>
          <Route path="/t/:task">{() => <Task key={taskOfPath()} taskId={taskOfPath()} />}</Route>
          <Route path="/compare">
            <Compare />
          </Route>
          <Route path="/patterns">
            <Patterns />
          </Route>
          <Route>
            <Runs />
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}
