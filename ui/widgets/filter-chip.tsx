interface FilterChipProps {
  /** As in the URL. */
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** What is no filter at all. */
  readonly isRefused?: boolean;
  readonly onRemove: () => void;
}

/** What the URL asks for; pressed, it is taken away. */
export function FilterChip({ name, label, value, isRefused = false, onRemove }: FilterChipProps) {
  return (
    <button
      type="button"
      className={`chip ${isRefused ? 'refused' : ''}`}
      data-testid={isRefused ? 'refused-filter' : 'filter-chip'}
      data-filter={name}
      aria-label={`Remove ${label}: ${value}`}
      onClick={onRemove}
    >
      <span className="muted">{label}</span>
      <span dir="auto">{value}</span>
      <span aria-hidden="true">✕</span>
    </button>
  );
}
