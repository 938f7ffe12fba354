import { tokenOf } from './credentials.ts';
import { DEFAULT_PROJECT } from '../model/project-name.ts';
import type { Access, Credentials, Principal } from './principal.ts';
import type { Role } from './roles.ts';

/** The setting `tls.clients`: what a name in a client certificate is good for. */
export interface ClientNames {
  readonly [name: string]: { readonly roles: readonly Role[]; readonly project?: string | undefined };
}

/**
 * Knows who shows a client certificate with one of these names as well. A token or key that is sent along counts before it,
 * and so does a log-in.
 */
export function withClientNames(access: Access, clients: ClientNames | undefined): Access {
  if (clients === undefined) return access;
  return {
    ...access,
    identify(credentials) {
      const client = clientOf(clients, credentials);
      if (client === undefined || tokenOf(credentials) !== undefined) return access.identify(credentials);
      return personOf(access, credentials) ?? client;
    },
  };
}

function clientOf(clients: ClientNames, { certificate }: Credentials): Principal | undefined {
  const name = certificate?.names.find((one) => Object.hasOwn(clients, one));
  const known = name === undefined ? undefined : clients[name];
  if (name === undefined || known === undefined) return undefined;
  const { roles, project = DEFAULT_PROJECT } = known;
  return { by: 'certificate', id: `certificate:${name}`, name, roles, project };
}

/** Cookies may belong to anything on this host. */
function personOf(access: Access, credentials: Credentials): Principal | undefined {
  if (credentials.cookie === undefined) return undefined;
  try {
    const principal = access.identify(credentials);
    return principal.by === 'person' ? principal : undefined;
  } catch {
    return undefined;
  }
}
