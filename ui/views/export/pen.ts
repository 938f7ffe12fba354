import { xml } from './xml.ts';

const FAMILY = 'system-ui, sans-serif';

interface TextStyle {
  /** Pixels. */
  readonly size: number;
  readonly weight?: number;
  readonly fill: string;
  readonly anchor?: 'start' | 'middle' | 'end';
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Writes shapes of SVG in the colours of the page as it is just now, with texts cut to the room that they have. */
export class SvgPen {
  static readonly family = FAMILY;
  private readonly context = document.createElement('canvas').getContext('2d');
  private readonly probe = document.body.appendChild(document.createElement('span'));
  private readonly colours = new Map<string, string>();

  /** @param name of a token such as `error`, or with a dot of a class that has the colour */
  colour(name: string): string {
    const known = this.colours.get(name);
    if (known !== undefined) return known;
    this.probe.className = name.startsWith('.') ? name.slice(1) : '';
    this.probe.style.color = name.startsWith('.') ? '' : `var(--${name})`;
    const { color } = getComputedStyle(this.probe);
    this.colours.set(name, color);
    return color;
  }

  box({ x, y, width, height }: Box, radius: number, fill: string, stroke: string): string {
    return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${this.colour(fill)}" stroke="${this.colour(stroke)}"/>`;
  }

  /** Lines of text, the first with its baseline at `y`. */
  text(lines: readonly string[], x: number, y: number, style: TextStyle): string {
    const { size, weight = 400, fill, anchor = 'start' } = style;
    const open = `font-size="${size}" font-weight="${weight}" fill="${this.colour(fill)}" text-anchor="${anchor}"`;
    return lines
      .filter((line) => line !== '')
      .map((line, index) => `<text x="${x}" y="${y + index * 17}" ${open}>${xml(line)}</text>`)
      .join('');
  }

  /** A text cut to at most so many lines of a width in pixels. */
  cut(text: string, width: number, most: number, { size, weight = 400 }: Pick<TextStyle, 'size' | 'weight'>) {
    if (this.context) this.context.font = `${weight} ${size}px ${FAMILY}`;
    const lines: string[] = [];
    let rest = text.trim();
    while (rest !== '' && lines.length < most) {
      const end = this.fitting(rest, width);
      if (end >= rest.length) return [...lines, rest];
      const isLast = lines.length === most - 1;
      const blank = rest.lastIndexOf(' ', end);
      const cut = isLast || blank <= 0 ? end : blank;
      lines.push(isLast ? `${rest.slice(0, cut - 1).trimEnd()}…` : rest.slice(0, cut));
      rest = rest.slice(cut).trimStart();
    }
    return lines;
  }

  /** Takes away what it needed in the document. */
  putDown(): void {
    this.probe.remove();
  }

  /** How many characters have room; at least one. */
  private fitting(text: string, width: number): number {
    let low = 1;
    let high = Math.min(text.length, Math.ceil(width));
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.context?.measureText(text.slice(0, middle)).width ?? 0) <= width) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
