import type { ShownStatus } from '../state/node-words.ts';

/** Each status has a shape as well as a colour: `ok` is quiet, and has none. */
export function Status({
  status,
  withWord = false,
}: {
  readonly status: ShownStatus;
  readonly withWord?: boolean;
}) {
  return (
    <span className={`status ${status}`}>
      <svg className="status-mark" viewBox="0 0 12 12" aria-hidden="true">
        {SHAPES[status]}
      </svg>
      {withWord ? status : <span className="sr-only">{status}</span>}
    </span>
  );
}

const SHAPES: Readonly<Record<ShownStatus, React.ReactElement>> = {
  ok: <circle cx="6" cy="6" r="2.5" />,
  running: <circle cx="6" cy="6" r="4" fill="none" strokeWidth="2" stroke="currentColor" />,
  warning: <path d="M6 1 11.5 11H.5Z" />,
  error: <path d="M3.6.5h4.8L11.5 3.6v4.8L8.4 11.5H3.6L.5 8.4V3.6Z" />,
  recovered: (
    <path d="M4 1.5h4L10.5 4v4L8 10.5H4L1.5 8V4Z" fill="none" strokeWidth="1.6" stroke="currentColor" />
  ),
  skipped: <path d="M1 5h10v2H1Z" />,
  abandoned: (
    <circle cx="6" cy="6" r="4.5" fill="none" strokeWidth="1.5" strokeDasharray="2 2" stroke="currentColor" />
  ),
};
