/** Moves the focus to a divergence: the next (1) or the one before (-1), or that at a place among the steps (0). */
export function moveTo(direction: 1 | -1 | 0, place?: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('.compared-row.diverges')];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = direction === 1 ? at + 1 : at < 0 ? rows.length - 1 : at - 1;
  const row = direction === 0 ? rows.find(({ dataset }) => dataset['place'] === String(place)) : rows[next];
  row?.focus();
  row?.scrollIntoView({ block: 'center' });
}
