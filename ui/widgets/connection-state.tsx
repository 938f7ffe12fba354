import { useEffect, useState } from 'react';
import { useConnection } from '../connection/connection-state.ts';
import { plural, sentence } from '../state/format.ts';
import { useNow } from './use-now.ts';

/** The state of the way to the service, in words. */
export function ConnectionState() {
  const { state, retryAt, updatedAt, parts, behind, problem, back, backUntil } = useConnection();
  const now = useNow(1_000);
  const words = (): string => {
    if (state === 'closed') return 'not connected';
    if (state === 'waiting')
      return `reconnecting in ${Math.max(0, Math.ceil(((retryAt ?? now) - now) / 1000))} s`;
    if (state === 'connecting' && problem !== undefined) return 'reconnecting …';
    if (parts !== undefined && parts > 0) return `loading, part ${parts}`;
    if (state === 'connecting') return 'connecting …';
    if (behind > 0) return `live, ${plural(behind, 'update')} behind`;
    if (now >= backUntil) return 'live';
    return back === 'resumed' ? 'live, resumed' : 'live, a fresh graph was taken';
  };
  const isAway = state !== 'live' && updatedAt !== undefined;
  return (
    <span className={`connection ${state}`} data-testid="connection-state" data-state={state} title={problem}>
      <span className="connection-dot" aria-hidden="true" />
      <span role="status">{words()}</span>
      {isAway && <span className="muted">as of {new Date(updatedAt).toLocaleTimeString()}</span>}
    </span>
  );
}

/** Data stays while the service is away; why it is away is said below the bar. What was never there is told by who asked for it. */
export function ConnectionProblem() {
  const { state, problem, wasLive } = useConnection();
  const isOver = state === 'closed';
  const [isLong, setLong] = useState(false);
  const isAway = problem !== undefined && state !== 'live' && (wasLive || !isOver);
  useEffect(() => {
    // A short break mends itself; saying so would only startle.
    const timer = setTimeout(() => setLong(isAway), isAway ? 1_000 : 0);
    return () => clearTimeout(timer);
  }, [isAway]);
  if (!isLong || !isAway) return null;
  return (
    <p className="banner" role="alert">
      {sentence(problem)}
      {!isOver && ' It is tried again by itself.'} What is shown is what was last known.
    </p>
  );
}
