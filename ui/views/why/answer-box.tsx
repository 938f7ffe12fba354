import type { ReactNode } from 'react';

interface AnswerBoxProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** An answer beside the view. */
export function AnswerBox({ title, onClose, children }: AnswerBoxProps) {
  return (
    <section className="why" data-testid="answer" aria-label={title}>
      <header className="row">
        <h2>{title}</h2>
        <button type="button" className="button icon" aria-label="Close the answer" onClick={onClose}>
          ✕
        </button>
      </header>
      {children}
    </section>
  );
}
