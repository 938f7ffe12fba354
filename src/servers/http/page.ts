import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BoundaryError } from '../../base/boundary-error.ts';
import { readBuiltUi, type BuiltUi, type UiFile } from './built-ui.ts';
import type { HttpAnswer, Route } from './route.ts';
import { acceptsGzip } from './send-answer.ts';

/** Paths that the page itself tells apart, each with the way back to the root. */
const DOCUMENTS = [
  ['/', './'],
  ['/admin', './'],
  ['/compare', './'],
  ['/login', './'],
  ['/patterns', './'],
  ['/t/{task}', '../'],
] as const;
const ROOT_FILES = ['manifest.webmanifest', 'icon.svg', 'shell-worker.js'];
const FILE_POLICY = "default-src 'self'; frame-ancestors 'none'";
const ONE_YEAR = 'public, max-age=31536000, immutable';

/**
 * The page and the files it is built of. They hold no data, so they are open: the page asks for the token that its
 * subscription needs. All references are relative, so that it also works below a path of a proxy.
 */
export function pageRoutes(ui: BuiltUi = readBuiltUi()): readonly Route[] {
  return [
    ...DOCUMENTS.map(([path, root]) =>
      documentRoute(path, ui.document.replace(/(?<=(?:href|src)=")\.\//g, root)),
    ),
    ...ROOT_FILES.map((name) => fileRoute(`/${name}`, 'no-cache', () => ui.file('root', name))),
    fileRoute('/assets/{file}', ONE_YEAR, (file) => ui.file('assets', file)),
  ];
}

/** Never kept: a policy and the nonce in the document belong together. */
function documentRoute(path: string, document: string): Route {
  return {
    method: 'GET',
    path,
    needs: 'nothing',
    handle: () => documentAnswer(200, document),
  };
}

/** @param document has `%NONCE%` where the nonce of this answer belongs */
export function documentAnswer(status: number, document: string): HttpAnswer {
  const nonce = randomBytes(18).toString('base64');
  return {
    status,
    contentType: 'text/html; charset=utf-8',
    body: document.replaceAll('%NONCE%', nonce),
    headers: { 'Content-Security-Policy': contentSecurityPolicy(nonce) },
  };
}

function fileRoute(path: string, cacheControl: string, find: (name: string) => UiFile | undefined): Route {
  return {
    method: 'GET',
    path,
    needs: 'nothing',
    handle: ({ raw, params }, response) => {
      const file = find(params['file'] ?? '');
      if (!file) throw new BoundaryError('NOT_FOUND', 'the page has no such file: load it again');
      response.setHeader('Cache-Control', cacheControl);
      // A worker has the policy of the file that it comes from.
      response.setHeader('Content-Security-Policy', FILE_POLICY);
      sendFile(raw, response, file);
      return undefined;
    },
  };
}

/** RFC 9110, 13.1.2: what the browser has already is not sent again. */
function sendFile(request: IncomingMessage, response: ServerResponse, file: UiFile): void {
  response.setHeader('ETag', file.etag);
  response.appendHeader('Vary', 'Accept-Encoding');
  if (request.headers['if-none-match']?.includes(file.etag) === true) {
    response.writeHead(304).end();
    return;
  }
  const isZipped = acceptsGzip(request);
  const body = isZipped ? file.gzipped : file.body;
  response.setHeader('Content-Type', file.contentType);
  response.setHeader('Content-Length', body.length);
  if (isZipped) response.setHeader('Content-Encoding', 'gzip');
  response.writeHead(200).end(request.method === 'HEAD' ? undefined : body);
}

/**
 * CSP level 3. Scripts come from files only. The nonce is for the style elements of dialogs; `'self'` in connect-src
 * covers the WebSocket of the same host and port.
 */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types ui-worker',
  ].join('; ');
}
