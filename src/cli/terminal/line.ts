import { styleText } from 'node:util';
import { cutToWidth, displayWidth, wrapToWidth } from './plain-text.ts';

export type Style = Extract<
  Parameters<typeof styleText>[0],
  'bold' | 'dim' | 'inverse' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'gray'
>;

/** A piece of a line. Its text must be plain (see plain-text.ts). */
export interface Span {
  readonly text: string;
  readonly style?: Style | readonly Style[];
}

export type Line = readonly Span[];

/** Makes a text coloured, or leaves it as it is. */
export type Paint = (style: Span['style'], text: string) => string;

export function painter(colours: boolean): Paint {
  return (style, text) => {
    if (!colours || style === undefined || text === '') return text;
    const styles = typeof style === 'string' ? [style] : style;
    // Whether the terminal shows colours was decided before.
    return styles.reduceRight((inner, one) => styleText(one, inner, { validateStream: false }), text);
  };
}

/** By FORCE_COLOR, NO_COLOR (no-color.org) and what the terminal is. */
export function wantsColours(
  env: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = env;
  if (force !== undefined) return force !== '0' && force !== 'false';
  return isTerminal && (no ?? '') === '' && term !== 'dumb';
}

export function lineWidth(line: Line): number {
  return line.reduce((width, span) => width + displayWidth(span.text), 0);
}

export function paintLine(line: Line, paint: Paint): string {
  return line.map(({ style, text }) => paint(style, text)).join('');
}

/** A line of exactly so many cells: cut, or filled up with blanks. */
export function fitLine(line: Line, width: number): Line {
  const fitted: Span[] = [];
  let left = width;
  for (const span of line) {
    const needed = displayWidth(span.text);
    if (needed > left) {
      const text = cutToWidth(span.text, left);
      return [...fitted, { ...span, text }, blanks(left - displayWidth(text))];
    }
    fitted.push(span);
    left -= needed;
  }
  return [...fitted, blanks(left)];
}

/** `left` gets the room that `right` leaves. */
export function spreadLine(left: Line, right: Line, width: number): Line {
  const room = width - lineWidth(right);
  return room <= 0 ? fitLine(left, width) : [...fitLine(left, room), ...right];
}

/** A line as several that fit, broken at blanks; what is broken has the style of its last piece. */
export function breakLine(line: Line, width: number): readonly Line[] {
  if (lineWidth(line) <= width) return [line];
  const text = line.map((span) => span.text).join('');
  const indent = ' '.repeat(Math.min(text.search(/\S|$/) + 2, Math.floor(width / 2)));
  const [first = '', ...more] = wrapToWidth(text, width);
  const rest = wrapToWidth(text.slice(first.length).trimStart(), width - indent.length);
  const style = line.at(-1)?.style;
  return [first, ...(more.length === 0 ? [] : rest.map((one) => indent + one))].map((one) => [
    { text: one, ...(style !== undefined && { style }) },
  ]);
}

function blanks(count: number): Span {
  return { text: ' '.repeat(Math.max(0, count)) };
}
