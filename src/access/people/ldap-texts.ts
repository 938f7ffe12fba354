/**
 * A filter with values in it. What may be part of one (RFC 4515, 3) cannot become a filter of its own.
 * @param template with `{name}` or `{dn}` where values stand
 */
export function filterWith(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(name|dn)\}/g, (place, which: string) => {
    const value = values[which];
    return value === undefined ? place : escapeFilterValue(value);
  });
}

/** All of ASCII that is not plain in every place; what is beyond means nothing in a filter. */
function escapeFilterValue(value: string): string {
  return value
    .toWellFormed()
    .replace(
      /[^A-Za-z0-9 @._,=+\u0080-\u{10ffff}-]/gu,
      (character) => `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
}

/** Do both name one entry? As directories compare them: the case, blanks around separators and ways of escaping do not count. */
export function sameDn(a: string, b: string): boolean {
  const left = canonical(a);
  return left !== undefined && left === canonical(b);
}

/** @returns undefined for what is no DN (RFC 4514) */
function canonical(dn: string): string | undefined {
  const parts: string[] = [];
  let part = '';
  for (let at = 0; at < dn.length; at++) {
    const character = dn.charAt(at);
    if (character === '\\') {
      const hex = /^(?:\\[0-9a-f]{2})+/i.exec(dn.slice(at))?.[0];
      const value =
        hex === undefined ? dn.charAt(at + 1) : Buffer.from(hex.replaceAll('\\', ''), 'hex').toString();
      if (value === '') return undefined;
      part += value.replace(/[,;+="\\<>#\s]/g, marked);
      at += hex === undefined ? 1 : hex.length - 1;
    } else if (character === ',' || character === ';') {
      parts.push(part);
      part = '';
    } else part += character;
  }
  parts.push(part);
  const plain = parts.map((one) => /^\s*([a-z0-9.-]+)\s*=\s*(.*?)\s*$/is.exec(one));
  if (plain.some((match) => !match)) return undefined;
  return plain.map((match) => `${match?.[1]}=${match?.[2]}`.toLowerCase()).join(',');
}

/** An escaped separator is none; blanks at the ends that are escaped count. */
function marked(character: string): string {
  return `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
