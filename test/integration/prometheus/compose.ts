import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { run, succeed } from '../steps/child.ts';

interface ComposeService {
  readonly image?: string;
  readonly build?: unknown;
  readonly ports?: readonly { readonly host_ip?: string }[];
  readonly volumes?: readonly { readonly type: string; readonly source: string }[];
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
}

/** The loader that `docker compose` is made with, for machines that have Go and no Docker. */
const COMPOSE_GO = 'github.com/compose-spec/compose-go/v2/cmd@v2.9.0';

/**
 * Reads a compose file of a folder by the tools that are made for it: checked against their schema, paths resolved.
 * @returns undefined where none of the tools is there
 */
export async function composeLoader(): Promise<
  ((root: string, file: string) => Promise<Compose>) | undefined
> {
  const env = { ...process.env, EXPLAIN_TOKEN: 'a-token-for-the-check' };
  const loader =
    (command: string, args: (file: string) => readonly string[]) =>
    async (cwd: string, file: string): Promise<Compose> =>
      JSON.parse(await succeed(command, args(file), { cwd, env })) as Compose;
  if ((await run('docker', ['compose', 'version'])).code === 0)
    return loader('docker', (file) => ['compose', '--file', file, 'config', '--format', 'json']);
  if ((await run('go', ['version'])).code === 0)
    return loader('go', (file) => ['run', COMPOSE_GO, '-no-interpolation', '-format', 'json', file]);
  return undefined;
}

/** What no schema asks for: every mounted file is there, every image has its version, no port leaves the machine. */
export function checkCompose({ services }: Compose): void {
  for (const [name, service] of Object.entries(services)) {
    for (const { type, source } of service.volumes ?? [])
      if (type === 'bind') assert.ok(existsSync(source), `${name} mounts ${source}, which is not there`);
    assert.match(service.image ?? '', /:(?!latest)[\w.-]+$/, `${name} has an image without a version`);
    for (const { host_ip: host } of service.ports ?? [])
      assert.equal(host, '127.0.0.1', `${name} publishes a port beyond this machine`);
  }
}
