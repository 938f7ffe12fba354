import { useEffect, useRef } from 'react';
import type { ShownKey } from '../../connection/administer.ts';
import { CopyButton } from '../../widgets/copy-button.tsx';

/** The one time that a key is told. */
export function KeyShown({ shown, onDone }: { readonly shown: ShownKey; readonly onDone: () => void }) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <section
      ref={box}
      className="card key-shown"
      tabIndex={-1}
      aria-label={`The key ${shown.name}`}
      data-testid="key-shown"
    >
      <p>
        The key <strong dir="auto">{shown.name}</strong> is shown this once: keep it now.
      </p>
      <code>{shown.key}</code>
      <span className="row">
        <CopyButton text={shown.key} label="Copy" />
        <button type="button" className="button small" onClick={onDone}>
          Done
        </button>
      </span>
    </section>
  );
}
