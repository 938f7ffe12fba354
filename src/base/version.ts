import { readFileSync } from 'node:fs';

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

/** package.json stands two folders above both in the source and in `dist`. */
const MANIFEST = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Manifest;

/** The version in package.json. */
export const VERSION = MANIFEST.version;

/** The least version of Node that package.json asks for, such as `22.13`. */
export const LEAST_NODE = MANIFEST.engines.node.replace('>=', '');
