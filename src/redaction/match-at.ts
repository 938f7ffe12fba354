/** Sticky patterns keep the place of their last match: these set it, so that no caller has to. */

export function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}

export function fitsAt(sticky: RegExp, text: string, at: number): boolean {
  sticky.lastIndex = at;
  return sticky.test(text);
}

/** How long the match is; 0 without one. */
export function lengthAt(sticky: RegExp, text: string, at: number): number {
  return matchAt(sticky, text, at)?.[0].length ?? 0;
}
