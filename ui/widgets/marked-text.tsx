import { useMemo, useState } from 'react';
import { MARKER, cutBefore } from '../../src/model/marker.ts';

/** More is drawn only when somebody asks for it: a browser needs seconds for a megabyte. */
const PIECE = 20_000;

/** A text as it is, its redaction markers as chips. Never read as HTML. */
export function MarkedText({ text, className = '' }: { readonly text: string; readonly className?: string }) {
  const [shown, show] = useState(PIECE);
  const pieces = useMemo(
    () => split(text.length > shown ? text.slice(0, cutBefore(text, shown)) : text),
    [text, shown],
  );
  return (
    <div className={`marked-text ${className}`} dir="auto">
      {pieces}
      {text.length > shown && (
        <button type="button" className="button small" onClick={() => show(shown * 4)}>
          Show more: {(text.length - shown).toLocaleString('en')} characters are left
        </button>
      )}
    </div>
  );
}

function split(text: string): readonly React.ReactNode[] {
  const pieces: React.ReactNode[] = [];
  let at = 0;
  for (const match of text.matchAll(MARKER)) {
    const [whole] = match;
    const [kind, code] = whole.slice(1, -1).split(':');
    pieces.push(text.slice(at, match.index));
    pieces.push(
      <span
        key={match.index}
        className="marker"
        title="hidden; the same value has the same code within this task"
      >
        {kind}
        {code !== undefined && <span className="marker-code">{code}</span>}
      </span>,
    );
    at = match.index + whole.length;
  }
  pieces.push(text.slice(at));
  return pieces;
}
