import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The compose file for cells, as far as tests look at it. */
const FILE = join(import.meta.dirname, '../../docker-compose.cells.yml');

interface Service {
  readonly image: string;
  readonly network_mode?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}

export const { services, volumes } = parse(readFileSync(FILE, 'utf8'), {
  merge: true,
}) as { services: Readonly<Record<string, Service>>; volumes: Readonly<Record<string, null>> };
export const CELLS = ['cell-0', 'cell-1', 'cell-2'];

/** What stands for the variable that is to be filled in. */
export const TOKEN = 'a-token-for-the-test';

export function environmentOf(name: string): Readonly<Record<string, string>> {
  const given = Object.entries(services[name]?.environment ?? {});
  return Object.fromEntries(given.map(([key, value]) => [key, value.replace(/\$\{[^}]*\}/, TOKEN)]));
}
