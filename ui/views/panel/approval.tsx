import { useState } from 'react';
import type { ExplanationNode } from '../../../src/client/browser.ts';
import { MAX_ANNOTATION_CHARS, type Decision } from '../../../src/model/annotation.ts';
import { useAnnotate } from '../../connection/annotations.ts';
import { useMay } from '../../connection/session.ts';

interface ApprovalProps {
  readonly node: ExplanationNode;
}

/** For a step at which an agent waits for an approval: answers it. Who is too late is told who was first. */
export function Approval({ node }: ApprovalProps) {
  const [option, setOption] = useState('');
  const [text, setText] = useState('');
  const { mutate, isPending, error } = useAnnotate(node.id);
  const mayAnswer = useMay('interrupt');
  const { outcome, expiresAt, options } = node.details ?? {};
  if (outcome !== 'pending') return error && <p role="alert">{error.message}</p>;
  const offered = Array.isArray(options) ? options.filter((one) => typeof one === 'string') : [];
  const answer = (decision: Decision): void =>
    mutate({
      kind: 'approval',
      decision,
      text: text.trim() === '' ? undefined : text,
      option: decision === 'approved' && option !== '' ? option : undefined,
    });
  return (
    <form
      className="interrupt"
      aria-label="Answer the agent"
      // Enter in the message answers nothing: who types why not would approve, for good.
      onSubmit={(event) => event.preventDefault()}
    >
      <p role="status">
        <bdi>{node.agent}</bdi> waits for an answer
        {typeof expiresAt === 'string' && ` until ${new Date(expiresAt).toLocaleString()}`}.
      </p>
      {mayAnswer && (
        <>
          {offered.length > 0 && (
            <label>
              Option
              <select value={option} required onChange={({ target }) => setOption(target.value)}>
                <option value="">choose one …</option>
                {offered.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            </label>
          )}
          <label>
            Message
            <input
              value={text}
              maxLength={MAX_ANNOTATION_CHARS}
              onChange={({ target }) => setText(target.value)}
            />
          </label>
          <div className="row wrap">
            <button
              type="button"
              className="button primary"
              disabled={isPending}
              onClick={({ currentTarget }) => currentTarget.form?.reportValidity() && answer('approved')}
            >
              Approve
            </button>
            <button type="button" className="button" disabled={isPending} onClick={() => answer('denied')}>
              Deny
            </button>
          </div>
        </>
      )}
      {error && <p role="alert">{error.message}</p>}
    </form>
  );
}
