import { readFileSync } from 'node:fs';

interface Manifest {
  readonly version: string;
}

/** The version in package.json, which stands two folders above both in the source and in `dist`. */
export const VERSION = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Manifest
).version;
