import { useState } from 'react';
import { annotationsOf, type Annotation, type ExplanationNode } from '../../../src/client/browser.ts';
import { MAX_ANNOTATION_CHARS, VERDICTS, type NewAnnotation } from '../../../src/model/annotation.ts';
import { useAnnotate } from '../../connection/annotations.ts';
import { useMay, useSession } from '../../connection/session.ts';
import { useTask } from '../../state/task-context.ts';
import { MarkedText } from '../../widgets/marked-text.tsx';

interface AnnotationsProps {
  readonly node: ExplanationNode;
}

/** What people said of a step, and a form for one more. */
export function Annotations({ node }: AnnotationsProps) {
  const { mutate, isPending, error } = useAnnotate(node.id);
  const mayAnnotate = useMay('annotate') && node.type !== 'SUMMARY';
  const standing = annotationsOf(node);
  if (standing.length === 0 && !mayAnnotate) return null;
  return (
    <section aria-label="What people said">
      {standing.length > 0 && (
        <ul className="annotations">
          {standing.map((annotation) => (
            <Said
              key={annotation.id}
              annotation={annotation}
              withdraw={
                mayAnnotate && annotation.kind !== 'approval'
                  ? () => mutate({ kind: 'withdrawal', replaces: annotation.id })
                  : undefined
              }
            />
          ))}
        </ul>
      )}
      {mayAnnotate && <SaySomething say={mutate} isSaying={isPending} />}
      {error && <p role="alert">{error.message}</p>}
    </section>
  );
}

function Said(props: { readonly annotation: Annotation; readonly withdraw: (() => void) | undefined }) {
  const { kind, verdict, decision, option, text, by, at, nodeId } = props.annotation;
  const { select } = useTask();
  const isMine = useSession(({ me }) => me?.name === by || me?.by === 'nobody');
  const mayWithdraw = useMay('operate') || isMine;
  const what = [verdict ?? decision ?? kind, option].filter((one) => one !== undefined).join(': ');
  return (
    <li>
      <p className="row wrap">
        <strong>{what}</strong>
        <span className="muted">
          {by !== undefined && <bdi>{by}</bdi>} {new Date(at).toLocaleString()}
        </span>
      </p>
      {text !== undefined && <MarkedText text={text} />}
      <p className="row">
        <button type="button" className="button small" onClick={() => select(nodeId)}>
          Show
        </button>
        {props.withdraw && mayWithdraw && (
          <button type="button" className="button small" onClick={props.withdraw}>
            Withdraw
          </button>
        )}
      </p>
    </li>
  );
}

const KINDS = ['note', 'question', ...VERDICTS] as const;
const KIND_WORDS: Readonly<Record<(typeof KINDS)[number], string>> = {
  note: 'a note',
  question: 'a question',
  correct: 'it is correct',
  partly: 'it is partly correct',
  wrong: 'it is wrong',
};

function SaySomething(props: {
  readonly say: (said: NewAnnotation, then: { readonly onSuccess: () => void }) => void;
  readonly isSaying: boolean;
}) {
  const [isOpen, setOpen] = useState(false);
  const [kind, setKind] = useState<(typeof KINDS)[number]>('note');
  const [text, setText] = useState('');
  if (!isOpen)
    return (
      <div>
        <button type="button" className="button" onClick={() => setOpen(true)}>
          Say something of it …
        </button>
      </div>
    );
  const said = text.trim() === '' ? undefined : text;
  const close = (): void => {
    setOpen(false);
    setText('');
  };
  return (
    <form
      className="interrupt"
      aria-label="Say something of this step"
      onSubmit={(event) => {
        event.preventDefault();
        const verdict = VERDICTS.find((one) => one === kind);
        const given: NewAnnotation = verdict
          ? { kind: 'verdict', verdict, text: said }
          : { kind: kind === 'question' ? 'question' : 'note', text: said };
        props.say(given, { onSuccess: close });
      }}
    >
      <label>
        What
        <select
          value={kind}
          autoFocus
          onChange={({ target }) => setKind(KINDS.find((one) => one === target.value) ?? kind)}
        >
          {KINDS.map((one) => (
            <option key={one} value={one}>
              {KIND_WORDS[one]}
            </option>
          ))}
        </select>
      </label>
      <label>
        Text
        <textarea
          value={text}
          rows={3}
          required={kind === 'note' || kind === 'question'}
          maxLength={MAX_ANNOTATION_CHARS}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
              event.currentTarget.form?.requestSubmit();
          }}
        />
      </label>
      <div className="row wrap">
        <button type="submit" className="button primary" disabled={props.isSaying}>
          Say it
        </button>
        <button type="button" className="button" onClick={close}>
          Cancel
        </button>
        <span className="muted">Ctrl+Enter says it; everybody who reads texts sees it</span>
      </div>
    </form>
  );
}
