import { lazy, Suspense, useState } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { useSession } from './connection/session.ts';
import { taskOfPath } from './state/url.ts';
import { ErrorBoundary } from './widgets/error-boundary.tsx';
import { useKeys } from './widgets/use-keys.ts';
import { Login } from './views/login/login.tsx';
import { Runs } from './views/runs/runs.tsx';

const Admin = lazy(() => import('./views/admin/admin-page.tsx'));
const Compare = lazy(() => import('./views/compare/compare-page.tsx'));
const KeysHelp = lazy(() => import('./views/keys/keys-help.tsx'));
const Patterns = lazy(() => import('./views/patterns/patterns-page.tsx'));
const Task = lazy(() => import('./views/task/task-page.tsx'));

export function App() {
  const state = useSession((session) => session.state);
  const isKnown = useSession(({ me }) => me !== undefined);
  const [isHelpOpen, openHelp] = useState(false);
  useKeys({ '?': () => openHelp(true) });
  if (state === 'entering') return null;
  if (state === 'out') return <Login />;
  return (
    <ErrorBoundary>
      <Suspense fallback={null}>
        <Switch>
          <Route path="/t/:task">{() => <Task key={taskOfPath()} taskId={taskOfPath()} />}</Route>
          <Route path="/admin">
            <Admin />
          </Route>
          <Route path="/compare">
            <Compare />
          </Route>
          <Route path="/patterns">
            <Patterns />
          </Route>
          <Route path="/login">{isKnown ? <Redirect to="/" replace /> : <Login />}</Route>
          <Route>
            <Runs />
          </Route>
        </Switch>
      </Suspense>
      {isHelpOpen && (
        <Suspense>
          <KeysHelp onClose={() => openHelp(false)} />
        </Suspense>
      )}
    </ErrorBoundary>
  );
}
