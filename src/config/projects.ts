import { DEFAULT_PROJECT } from '../model/project-name.ts';
import type { ServiceConfig } from './schema.ts';

/** The projects other than the default one that settings name. */
export function projectsNamed({
  projects,
  kafka,
  mew,
  forward,
  interruptWebhook,
  guards,
  tls,
  people,
}: ServiceConfig): ReadonlySet<string> {
  const clients = typeof tls === 'object' ? tls.clients : undefined;
  const grants = [clients, people?.oidc?.roles, people?.ldap?.roles].flatMap((of) => Object.values(of ?? {}));
  const named = [kafka, mew, forward, interruptWebhook, ...guards, ...grants].map(
    (setting) => setting?.project,
  );
  const names = new Set(Object.keys(projects));
  for (const name of named) if (name !== undefined) names.add(name);
  names.delete(DEFAULT_PROJECT);
  return names;
}
