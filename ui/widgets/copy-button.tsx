import { useState } from 'react';

const TOLD_MS = 1_500;

/** Copies a text; says so, and says when the browser does not let it. */
export function CopyButton({
  text,
  label,
}: {
  readonly text: string | (() => string);
  readonly label: string;
}) {
  const [said, say] = useState<string>();
  const copy = async (): Promise<void> => {
    const done = await navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(
      () => 'Copied',
      () => 'Not allowed by the browser',
    );
    say(done);
    setTimeout(() => say(undefined), TOLD_MS);
  };
  return (
    <button type="button" className="button small" onClick={() => void copy()}>
      <span aria-live="polite">{said ?? label}</span>
    </button>
  );
}
