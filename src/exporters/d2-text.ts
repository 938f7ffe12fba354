/** Texts as D2 reads them, whatever is in them. */

/** D2 refuses a tooltip that is no Markdown, and with a sign behind it that nobody sees it begins no tag. */
const LESS_THAN = '<\u200b';

/** A text that is shown when the pointer rests on a shape. */
export function quotedTooltip(text: string): string {
  return quoted(text.replaceAll('<', LESS_THAN));
}

/** Within double quotes D2 reads backslashes and substitutions (`${x}`). */
export function quoted(text: string): string {
  const escaped = text
    .toWellFormed()
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('$', '\\$')
    .replaceAll('\n', '\\n')
    .replace(/\p{Cc}+/gu, ' ');
  return `"${escaped}"`;
}
