import { People } from '../access/people/people.ts';
import type { LoginAudit } from '../access/people/access-audit.ts';
import type { Access } from '../access/principal.ts';
import { BoundaryError } from '../base/boundary-error.ts';
import type { ServiceConfig } from '../config/schema.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { SharedParts } from './shared-parts.ts';

/** Who may log in, as the configuration says. Without `people` those who have a token do, at the page. */
export function peopleOf(
  { people, oidcClientSecret, ldapPassword }: ServiceConfig,
  tokens: Access,
  { clock, logger }: Pick<SharedParts, 'clock' | 'logger'>,
): People {
  return new People({
    settings: {
      sessionHours: people?.sessionHours,
      oidc: people?.oidc && { ...people.oidc, clientSecret: oidcClientSecret },
      ldap: people?.ldap && { ...people.ldap, password: ldapPassword },
    },
    clock,
    audit: inLog(logger),
    byToken(token, address) {
      const principal = tokens.identify({ authorization: `Bearer ${token}`, address });
      if (principal.by === 'nobody')
        throw new BoundaryError('UNAUTHENTICATED', 'this service asks nobody for a token');
      return principal;
    },
  });
}

function inLog(logger: Logger): LoginAudit {
  return {
    loggedIn: () => logger.info({}, 'somebody logged in'),
    loggedOut: (_id, why) => logger.info({ why }, 'a log-in is over'),
    loginRefused: (reason) => logger.warn({ reason }, 'log-in refused'),
  };
}
