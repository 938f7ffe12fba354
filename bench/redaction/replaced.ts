import type { Kind } from '../../src/redaction/rule.ts';
import type { Found } from './score.ts';

/**
 * Where the placeholders of a redacted text stand in the original, by what stands between them.
 * @param placeholder matches one
 * @returns undefined where something else was changed, too
 */
export function replaced(
  text: string,
  redacted: string,
  placeholder: RegExp,
  kindOf: (placeholder: string) => Kind,
): readonly Found[] | undefined {
  const parts = redacted.split(new RegExp(`(${placeholder.source})`));
  const found: Found[] = [];
  let at = (parts[0] ?? '').length;
  if (!text.startsWith(parts[0] ?? '')) return undefined;
  for (let i = 1; i < parts.length; i += 2) {
    const literal = parts[i + 1] ?? '';
    const isLast = i + 2 >= parts.length;
    const end = isLast ? text.length - literal.length : text.indexOf(literal, at + 1);
    if (end < at || !text.startsWith(literal, end)) return undefined;
    found.push({ start: at, end, kind: kindOf(parts[i] ?? '') });
    at = end + literal.length;
  }
  return found;
}
