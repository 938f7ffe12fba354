import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Route } from './route.ts';

/** Where index.html names one of these in a comment, the file stands in the page. */
const PARTS = ['page.css', 'graph.js', 'rows.js', 'detail.js', 'page.js'];

/**
 * The page at `/`: one document, its style and script inside, nothing loaded from elsewhere. It holds no data
 * itself, so it is open: it asks for the token that its WebSocket needs.
 */
export function pageRoute(): Route {
  const page = PARTS.reduce(
    (document, part) => document.replace(`/* ${part} */`, () => readPart(part)),
    readPart('index.html'),
  );

  return {
    method: 'GET',
    path: '/',
    open: true,
    handle: () => {
      const nonce = randomBytes(18).toString('base64');
      return {
        status: 200,
        contentType: 'text/html; charset=utf-8',
        body: page.replaceAll('%NONCE%', nonce),
        headers: { 'Content-Security-Policy': contentSecurityPolicy(nonce) },
      };
    },
  };
}

function readPart(name: string): string {
  return readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8');
}

/** CSP level 3; `'self'` in connect-src covers the WebSocket of the same host and port. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}
