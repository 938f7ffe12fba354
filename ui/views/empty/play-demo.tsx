import { useState } from 'react';
import { useLocation } from 'wouter';
import { playDemo } from '../../connection/play-demo.ts';
import { taskPath } from '../../state/url.ts';

/** Plays a small run into the service as an agent would send it, and goes there. */
export function PlayDemo() {
  const [, navigate] = useLocation();
  const [problem, say] = useState<string>();
  const play = async (): Promise<void> => {
    say(undefined);
    try {
      navigate(taskPath(await playDemo()));
    } catch (error) {
      say(error instanceof Error ? error.message : 'it could not be sent');
    }
  };
  return (
    <div className="play-demo">
      <button type="button" className="button primary" onClick={() => void play()}>
        ▶ Play the demo run
      </button>
      <span className="muted">
        Agents plan a trip, step by step before your eyes; one tool fails. Nothing leaves this service.
      </span>
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
