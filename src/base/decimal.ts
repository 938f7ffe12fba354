const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** The number that a text says in decimal digits, with blanks around it or none; undefined for any other text. */
export function decimal(text: string): number | undefined {
  const digits = text.trim();
  return DECIMAL.test(digits) ? Number(digits) : undefined;
}
