/** What XML 1.0 has no way to write: most control characters, halves of pairs. */
const NOT_IN_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text as it stands in XML, between tags and in attributes. */
export function xml(text: string): string {
  return text.replace(NOT_IN_XML, '').replace(/[&<>"]/g, (sign) => NAMED[sign] ?? sign);
}
