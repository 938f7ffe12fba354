import { People } from '../access/people/people.ts';
import type { LoginAudit } from '../access/people/access-audit.ts';
import type { Access } from '../access/principal.ts';
import { BoundaryError } from '../base/boundary-error.ts';
import type { ServiceConfig } from '../config/schema.ts';
import type { SharedParts } from './shared-parts.ts';

/** Who may log in, as the configuration says. Without `people` those who have a token do, at the page. */
export function peopleOf(
  { people, oidcClientSecret, ldapPassword }: ServiceConfig,
  tokens: Access,
  { clock }: Pick<SharedParts, 'clock'>,
  audit: LoginAudit,
): People {
  return new People({
    settings: {
      sessionHours: people?.sessionHours,
      oidc: people?.oidc && { ...people.oidc, clientSecret: oidcClientSecret },
      ldap: people?.ldap && { ...people.ldap, password: ldapPassword },
    },
    clock,
    audit,
    byToken(token, address) {
      const principal = tokens.identify({ authorization: `Bearer ${token}`, address });
      if (principal.by === 'nobody')
        throw new BoundaryError('UNAUTHENTICATED', 'this service asks nobody for a token');
      return principal;
    },
  });
}
