import { useRef, useState } from 'react';
import { useKeyChanges, useKeyList, type KeyInfo, type ShownKey } from '../../connection/administer.ts';
import { ago } from '../../state/format.ts';
import { useNow } from '../../widgets/use-now.ts';
import { KeyForm } from './key-form.tsx';
import { KeyShown } from './key-shown.tsx';

type Asked = { readonly id: string; readonly what: 'rotate' | 'revoke' };

/** All keys that this administrator deals with. */
export function KeyList({ ownProject }: { readonly ownProject: string }) {
  const { data: keys, error } = useKeyList();
  const [shown, show] = useState<ShownKey>();
  const [isMaking, make] = useState(false);
  const [asked, ask] = useState<Asked>();
  const now = useNow(30_000);
  const list = useRef<HTMLDivElement>(null);
  /** The keyboard stays near where it was. */
  const close = (): void => {
    ask(undefined);
    list.current?.focus();
  };
  const told = (key: ShownKey | undefined): void => {
    close();
    make(false);
    show(key);
  };
  return (
    <>
      {shown && <KeyShown key={shown.key} shown={shown} onDone={() => show(undefined)} />}
      {isMaking ? (
        <KeyForm ownProject={ownProject} onMade={told} onClose={() => make(false)} />
      ) : (
        <button type="button" className="button primary" onClick={() => make(true)}>
          New key
        </button>
      )}
      {error !== null && (
        <p className="problem" role="alert">
          {error.message}
        </p>
      )}
      {keys?.length === 0 && <p className="muted">There are no keys.</p>}
      {keys !== undefined && keys.length > 0 && (
        <div ref={list} className="admin-scroller" tabIndex={0} role="region" aria-label="Keys">
          <table className="graph-table patterns">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Roles</th>
                <th scope="col">Project</th>
                <th scope="col">Expires</th>
                <th scope="col">Last used</th>
                <th scope="col">Id</th>
                <th scope="col">
                  <span className="sr-only">Change</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {keys.map((key) => (
                <tr key={key.id} data-key-id={key.id}>
                  <th scope="row" dir="auto">
                    {key.name}
                  </th>
                  <td>
                    {key.roles.join(', ')}
                    {key.capabilities && <Capabilities of={key.capabilities} />}
                  </td>
                  <td>{key.project}</td>
                  <td>{expiry(key, now)}</td>
                  <td title={key.lastUsedAt}>
                    {key.lastUsedAt === undefined ? <Never /> : ago(key.lastUsedAt, now)}
                  </td>
                  <td className="key-id">{key.id}</td>
                  <td className="key-changes">
                    {asked?.id === key.id ? (
                      <Change asked={asked} name={key.name} onTold={told} onClose={close} />
                    ) : (
                      (['rotate', 'revoke'] as const).map((what) => (
                        <button
                          key={what}
                          type="button"
                          className="button small"
                          aria-label={`${WORDS[what]} ${key.name}`}
                          onClick={() => ask({ id: key.id, what })}
                        >
                          {WORDS[what]}
                        </button>
                      ))
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

const WORDS = { rotate: 'Rotate', revoke: 'Revoke' } as const;

function Never() {
  return <span className="muted">never</span>;
}

/** An empty list is one, too: such a key says nothing by MEW, and interrupts nobody. */
function Capabilities({ of }: { readonly of: readonly object[] }) {
  return (
    <div className="muted" data-testid="capabilities">
      {of.length === 0 ? 'no capabilities' : of.map((one) => JSON.stringify(one)).join(' ')}
    </div>
  );
}

function expiry({ expiresAt }: KeyInfo, now: number) {
  if (expiresAt === undefined) return <Never />;
  const isOver = Date.parse(expiresAt) <= now;
  return (
    <span title={expiresAt}>
      {new Date(expiresAt).toLocaleDateString()}
      {isOver && <span className="badge error">expired</span>}
    </span>
  );
}

interface ChangeProps {
  readonly asked: Asked;
  readonly name: string;
  readonly onTold: (key: ShownKey | undefined) => void;
  readonly onClose: () => void;
}

/** Asks before it does what cannot be undone. */
function Change({ asked: { id, what }, name, onTold, onClose }: ChangeProps) {
  const { rotate, revoke } = useKeyChanges();
  const [minutes, setMinutes] = useState('60');
  const [problem, say] = useState<string>();
  const change = async (): Promise<void> => {
    try {
      if (what === 'rotate') return onTold(await rotate(id, Number(minutes)));
      await revoke(id);
      onTold(undefined);
    } catch (error) {
      say(error instanceof Error ? error.message : 'it did not work');
    }
  };
  return (
    <form
      className="key-change"
      aria-label={`${WORDS[what]} ${name}`}
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
      onSubmit={(event) => {
        event.preventDefault();
        void change();
      }}
    >
      {what === 'rotate' ? (
        <label>
          The former goes on for{' '}
          <input
            className="search"
            inputMode="numeric"
            size={4}
            value={minutes}
            onChange={({ target }) => setMinutes(target.value)}
          />{' '}
          minutes
        </label>
      ) : (
        <span>It ends at once, with all that is open by it.</span>
      )}
      <span className="row">
        <button type="submit" className="button small primary" autoFocus>
          {what === 'rotate' ? 'Rotate it' : 'Revoke it'}
        </button>
        <button type="button" className="button small" onClick={onClose}>
          Keep it
        </button>
      </span>
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
