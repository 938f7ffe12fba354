import { createAccess } from '../access/access.ts';
import { withClientNames } from '../access/client-names.ts';
import { withConnections } from '../access/with-connections.ts';
import { withGateways } from '../access/with-gateways.ts';
import { Keys } from '../access/keys.ts';
import { withSessions } from '../access/people/with-sessions.ts';
import type { Access } from '../access/principal.ts';
import type { ServiceConfig } from '../config/schema.ts';
import { Seldom } from '../transport/seldom.ts';
import { keyRoutes } from '../servers/http/key-routes.ts';
import { loginRoutes } from '../servers/http/login/login-routes.ts';
import { projectsRoute } from '../servers/http/projects-route.ts';
import type { Route } from '../servers/http/route.ts';
import { dealsWithAll, keyAdministration } from './key-administration.ts';
import { EntryRecord, type RecordsOf } from './entry-record.ts';
import { peopleOf } from './people.ts';
import type { Projects } from './project/projects.ts';
import type { ProjectStack } from './project/project-stack.ts';
import type { SharedParts } from './shared-parts.ts';
import type { Stage } from './stages.ts';

/** Who may come in, and what administrators do about it. */
export interface AccessParts extends Stage {
  readonly access: Access;
  readonly routes: readonly Route[];
}

/**
 * @param projects of which those that keys name are to be there
 * @param main the default one, whose audit log is that of the service
 * @throws BoundaryError FAILED_PRECONDITION when the keys cannot be read
 */
export async function openAccess(
  config: ServiceConfig,
  shared: SharedParts,
  projects: Pick<Projects, 'ensure' | 'alsoNamed' | 'names'> & RecordsOf,
  main: Pick<ProjectStack, 'accesses'>,
): Promise<AccessParts> {
  const { tls, people: settings, dataDir, durability } = config;
  const { clock, logger } = shared;
  // Where people log in, nobody else is let in without a key or token.
  const auth = typeof config.auth === 'object' ? config.auth : settings ? 'keys' : (config.auth ?? 'none');
  const keys = await Keys.open({ dataDir, clock, logger, isKept: durability !== 'memory' });
  if (keys.areAsked)
    logger.info(
      { keys: keys.list().length },
      typeof auth === 'string'
        ? 'there are keys: whoever comes must show one'
        : 'there are keys: whoever comes must show one, or a token of the setting auth',
    );
  projects.alsoNamed(keys.projects);
  const entries = new EntryRecord(projects, main.accesses);
  const tokens = createAccess(auth, { keys, clock, onRefused: entries.refused });
  const people = peopleOf(config, tokens, shared, entries);
  const isBehindTls = settings?.url?.startsWith('https:') === true;
  const clients = typeof tls === 'object' ? tls.clients : undefined;
  const access = withConnections(
    withGateways(withSessions(withClientNames(tokens, clients), () => people.sessions, isBehindTls)),
  );
  return {
    access,
    routes: [
      ...keyRoutes(keyAdministration(keys, main.accesses, (name) => projects.ensure(name))),
      projectsRoute((by) => (dealsWithAll(by) ? projects.names : [by.project])),
      ...loginRoutes({ people, url: settings?.url, access, seldom: new Seldom(clock, logger) }),
    ],
    start: () => people.load(),
    async stop() {
      people.stop();
      await keys.stop();
    },
  };
}
