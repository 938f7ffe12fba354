import { useIsAdministrator } from '../../connection/administer.ts';
import { useSession } from '../../connection/session.ts';
import { useUrl } from '../../state/url.ts';
import { AppBar } from '../../widgets/app-bar.tsx';
import { BackToRuns } from '../../widgets/back-to-runs.tsx';
import { ConnectionProblem } from '../../widgets/connection-state.tsx';
import { useRunsFeed } from '../runs/use-runs-feed.ts';
import { KeyList } from './key-list.tsx';
import { Record } from './record.tsx';
import './admin.css';

/** For administrators: who may come in, and what is on record. */
export default function AdminPage() {
  useRunsFeed();
  const me = useSession((session) => session.me);
  const isAdministrator = useIsAdministrator();
  const { params, set } = useUrl();
  const isRecord = params.get('show') === 'record';
  const show = (what: string | null): void => set({ show: what }, 'push');
  return (
    <div className="page">
      <AppBar>
        <BackToRuns />
        <h1 className="task-title">Administration</h1>
      </AppBar>
      <ConnectionProblem />
      <main className="admin-page" data-testid="admin">
        {me && !isAdministrator && (
          <p className="notice" role="alert">
            Keys, and what is on record, are for administrators: this needs the right “administer”.
          </p>
        )}
        {isAdministrator && (
          <>
            <span className="segments" role="group" aria-label="What is shown">
              <button type="button" aria-pressed={!isRecord} onClick={() => show(null)}>
                Keys
              </button>
              <button type="button" aria-pressed={isRecord} onClick={() => show('record')}>
                On record
              </button>
            </span>
            {isRecord ? <Record /> : <KeyList ownProject={me?.project ?? ''} />}
          </>
        )}
      </main>
    </div>
  );
}
