import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Beside `src` in a clone, beside the compiled sources in the package: `scripts/build-ui.ts` writes it. */
const FOLDER = new URL('../../../dist/ui/', import.meta.url);

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
};

/** A file of the built page, ready to be sent. */
export interface UiFile {
  readonly contentType: string;
  readonly body: Buffer;
  readonly gzipped: Buffer;
  /** RFC 9110, 8.8.3. */
  readonly etag: string;
}

export interface BuiltUi {
  /** With `%NONCE%` in it, and references that begin with `./`. */
  readonly document: string;
  readonly file: (folder: 'assets' | 'root', name: string) => UiFile | undefined;
}

/** Stands in for a page that nobody has built. */
const NOT_BUILT =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>ExplainabilityAgent</title>' +
  '<h1>The page is not built</h1><p>The service runs. For its page: <code>npm run build:ui</code>, and start ' +
  'it again. The graph as JSON is at <a href="./api/graph">/api/graph</a>.</p></html>';

/** Reads what was built: some hundred kilobytes, each file packed once, when it is first asked for. */
export function readBuiltUi(folder: URL = FOLDER): BuiltUi {
  const names = listFiles(folder);
  const files = new Map<string, UiFile>();
  return {
    document: names.has('root/index.html') ? readFileSync(new URL('index.html', folder), 'utf8') : NOT_BUILT,
    file(where, name) {
      const key = `${where}/${name}`;
      if (!names.has(key)) return undefined;
      const made = files.get(key) ?? makeFile(new URL(where === 'root' ? name : key, folder));
      files.set(key, made);
      return made;
    },
  };
}

/** Only what is there by name can be asked for, so that no path leads elsewhere. */
function listFiles(folder: URL): ReadonlySet<string> {
  const list = (where: string, at: URL): string[] =>
    existsSync(at)
      ? readdirSync(at, { withFileTypes: true }).flatMap((entry) =>
          entry.isFile() && (extname(entry.name) in CONTENT_TYPES || entry.name === 'index.html')
            ? [`${where}/${entry.name}`]
            : [],
        )
      : [];
  return new Set([...list('root', folder), ...list('assets', new URL('assets/', folder))]);
}

function makeFile(path: URL): UiFile {
  const body = readFileSync(path);
  return {
    contentType: CONTENT_TYPES[extname(path.pathname)] ?? 'application/octet-stream',
    body,
    gzipped: gzipSync(body, { level: 9 }),
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
  };
}
