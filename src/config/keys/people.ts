import { z } from 'zod';
import { peopleSchema } from '../people-schema.ts';

/** People who log in. */
export const peopleKeys = {
  people: peopleSchema
    .optional()
    .describe(
      'Lets people log in: {"url": "https://explain.example", "oidc": {"issuer": …, "clientId": …, "roles": {"GROUP": {"roles": ["analyst"], "project": …}}}, "ldap": {"url": "ldaps://…", "searchBase": …, "roles": …}}. Who is in none of the groups does not get in.',
    ),
  oidcClientSecret: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('The secret of "people.oidc.clientId", best given by the environment.'),
  ldapPassword: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('The password of "people.ldap.bindDn", best given by the environment.'),
};
