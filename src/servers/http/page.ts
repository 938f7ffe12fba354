import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Route } from './route.ts';

/**
 * The page at `/`: one document, its style and script inside, nothing loaded from elsewhere. It holds no data
 * itself, so it is open: it asks for the token that its WebSocket needs.
 */
export function pageRoute(): Route {
  const [html, css, script] = ['index.html', 'page.css', 'page.js'].map((name) =>
    readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8'),
  );
  const page = String(html)
    .replace('/* page.css */', () => String(css))
    .replace('/* page.js */', () => String(script));

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
