import { useState } from 'react';
import {
  INTERRUPT_REASONS,
  type InterruptReason,
  type InterruptState,
} from '../../../src/model/interrupt.ts';
import { useInterrupt } from '../../connection/interrupts.ts';

interface InterruptProps {
  readonly nodeId: string;
  readonly isRunning: boolean;
}

/** For a step that runs: asks its agent to stop, and says what it answers, also when the step has ended by then. */
export function Interrupt({ nodeId, isRunning }: InterruptProps) {
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState<InterruptReason>('user_request');
  const [message, setMessage] = useState('');
  const { ask, isAsking, error, state } = useInterrupt(nodeId);
  // An agent that goes on, or says nothing, may be asked again.
  const mayAsk = isRunning && (state === undefined || state.isOver);
  return (
    <>
      {mayAsk && !isOpen && (
        <div>
          <button type="button" className="button" onClick={() => setOpen(true)}>
            Interrupt …
          </button>
        </div>
      )}
      {mayAsk && isOpen && (
        <form
          className="interrupt"
          aria-label="Ask the agent to stop"
          onSubmit={(event) => {
            event.preventDefault();
            ask({ reason, message }, { onSuccess: () => setOpen(false) });
          }}
        >
          <label>
            Reason
            <select
              value={reason}
              autoFocus
              onChange={({ target }) =>
                setReason(INTERRUPT_REASONS.find((one) => one === target.value) ?? reason)
              }
            >
              {INTERRUPT_REASONS.map((one) => (
                <option key={one} value={one}>
                  {one.replace('_', ' ')}
                </option>
              ))}
            </select>
          </label>
          <label>
            Message
            <input
              value={message}
              required={reason === 'other'}
              maxLength={2000}
              onChange={({ target }) => setMessage(target.value)}
            />
          </label>
          <div className="row wrap">
            <button type="submit" className="button primary" disabled={isAsking}>
              Ask it to stop
            </button>
            <button type="button" className="button" onClick={() => setOpen(false)}>
              Cancel
            </button>
          </div>
        </form>
      )}
      {error && <p role="alert">{error.message}</p>}
      {state && <Told state={state} />}
    </>
  );
}

function Told({ state: { told, isOver } }: { readonly state: InterruptState }) {
  if (told.length === 0)
    return (
      <p role="status">
        {isOver
          ? 'Nobody was there to be told.'
          : 'Asked. No agent waits for this yet; one that comes within 30 s is told.'}
      </p>
    );
  return (
    <ul role="status" className="links">
      {told.map(({ way, agent = 'the agent', status, message }, index) => (
        <li key={index}>
          <span dir="auto">{agent}</span>{' '}
          {status?.replace('_', ' ') ?? (isOver ? 'said nothing within 30 s' : `was told (${way}) …`)}
          {message !== undefined && <span className="muted"> — {message}</span>}
        </li>
      ))}
    </ul>
  );
}
