import { useState } from 'react';
import { ClientError } from '../../../src/client/browser.ts';
import { useClient } from '../../connection/session.ts';
import { plural } from '../../state/format.ts';
import { AnswerBox } from './answer-box.tsx';

interface PruneProps {
  /** What was asked for, to begin with. */
  readonly minutes: string | null;
  readonly onClose: () => void;
}

/** Takes nodes of all tasks out of the service's memory; they stay in its store. */
export function Prune({ minutes: asked, onClose }: PruneProps) {
  const client = useClient();
  const [minutes, setMinutes] = useState(asked ?? '60');
  const [said, say] = useState<string>();
  const prune = async (): Promise<void> => {
    try {
      const { prunedNodes } = await client.prune(Number(minutes));
      say(`${plural(prunedNodes, 'node')} left memory.`);
    } catch (error) {
      say(ClientError.from(error).message);
    }
  };
  return (
    <AnswerBox title="Prune" onClose={onClose}>
      <form
        className="row wrap"
        onSubmit={(event) => {
          event.preventDefault();
          void prune();
        }}
      >
        <label htmlFor="prune-minutes">Nodes of all runs older than</label>
        <input
          id="prune-minutes"
          className="search"
          inputMode="decimal"
          size={5}
          value={minutes}
          onChange={({ target }) => setMinutes(target.value)}
        />
        minutes
        <button type="submit" className="button primary">
          Prune
        </button>
      </form>
      <p className="muted small-text">They leave memory and stay in the store, where there is one.</p>
      {said !== undefined && <p role="status">{said}</p>}
    </AnswerBox>
  );
}
