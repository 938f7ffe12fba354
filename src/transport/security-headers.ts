/**
 * On every answer of HTTP: nothing is cached, sniffed, framed or read by pages of other sites, and what is taken for a page
 * loads nothing. An answer that is a page has a policy of its own. No `Strict-Transport-Security`: it would hold for all
 * ports of a host, and others may speak plain text.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** An answer without a request that node:http could read; the connection ends with it. @param status such as `400 Bad Request` */
export function rawAnswer(
  status: string,
  contentType: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const all = {
    Connection: 'close',
    ...SECURITY_HEADERS,
    ...headers,
    'Content-Type': contentType,
    'Content-Length': String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`;
}
