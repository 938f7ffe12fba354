import { z } from 'zod';
import { projectName } from './project-name.ts';

const pathRule = 'must be the path of a file';
/** What members of groups may do: {"explain-admins": {"roles": ["admin"]}}. */
const grantsRule =
  'must name 1 to 1000 groups, each with {"roles": [sender, monitor, reader, analyst, operator or admin, …], "project": …} (project may be left out)';
const grants = z
  .record(
    z.string(grantsRule).min(1, grantsRule).max(1024, grantsRule),
    z.strictObject(
      {
        roles: z
          .array(
            z.enum(['sender', 'monitor', 'reader', 'analyst', 'operator', 'admin'], grantsRule),
            grantsRule,
          )
          .min(1, grantsRule)
          .max(6, grantsRule),
        project: projectName.optional(),
      },
      grantsRule,
    ),
    grantsRule,
  )
  .refine((groups) => Object.keys(groups).length >= 1 && Object.keys(groups).length <= 1000, grantsRule);
const textRule = (most: number) => `must be a text of 1 to ${most} characters`;
const text = (most: number) => z.string(textRule(most)).min(1, textRule(most)).max(most, textRule(most));
const urlRule = 'must be an address such as "https://explain.example" without a query';
const issuerRule =
  'must be an address with https and without a query, such as "https://id.example/realms/team" (http for this machine only)';
/** Plain text to this machine alone: tokens and passwords go this way. */
const ISSUER =
  /^(?:https:\/\/[^\s/?#@]+|http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?)(?:\/[^\s?#]*)?$/;
const ldapUrlRule = 'must be "ldaps://host", or "ldap://host" with startTls (plain for this machine only)';
const filterRule = (place: string) =>
  `must be a filter in brackets such as "(uid={name})", with ${place} in it`;
const peopleKeys = 'the keys are url, sessionHours, oidc and ldap';
const oidcKeys = 'the keys are issuer, clientId, scopes, rolesClaim and roles';
const ldapKeys =
  'the keys are url, startTls, caFile, bindDn, searchBase, userFilter, nameAttribute, groupBase, groupFilter and roles';
const withKeys =
  (keys: string) =>
  ({ code }: { readonly code?: string }): string =>
    (code === 'unrecognized_keys' ? 'has an unknown key; ' : 'must be an object; ') + keys;

/** How people log in, and what their groups may do. */
export const peopleSchema = z.strictObject(
  {
    url: z
      .string(urlRule)
      .max(2048, urlRule)
      .regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/, urlRule)
      .optional(),
    sessionHours: z
      .number('must be a number from 0.1 to 720')
      .min(0.1, 'must be a number from 0.1 to 720')
      .max(720, 'must be a number from 0.1 to 720')
      .default(8),
    oidc: z
      .strictObject(
        {
          issuer: z.string(issuerRule).max(2048, issuerRule).regex(ISSUER, issuerRule),
          clientId: text(1024),
          scopes: text(1024).default('openid profile email'),
          rolesClaim: text(256).default('groups'),
          roles: grants,
        },
        { error: withKeys(oidcKeys) },
      )
      .optional(),
    ldap: z
      .strictObject(
        {
          url: z
            .string(ldapUrlRule)
            .max(2048, ldapUrlRule)
            .regex(/^ldaps?:\/\/(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?\/?$/, ldapUrlRule),
          startTls: z.boolean('must be true or false').default(false),
          caFile: z.string(pathRule).min(1, pathRule).max(4096, pathRule).optional(),
          bindDn: text(1000).optional(),
          searchBase: text(1000),
          userFilter: z
            .string(filterRule('{name}'))
            .max(2000, filterRule('{name}'))
            .regex(/^\(.*\{name\}.*\)$/, filterRule('{name}'))
            .default('(uid={name})'),
          nameAttribute: text(100).default('cn'),
          groupBase: text(1000).optional(),
          groupFilter: z
            .string(filterRule('{dn} or {name}'))
            .max(2000, filterRule('{dn} or {name}'))
            .regex(/^\(.*\{(?:dn|name)\}.*\)$/, filterRule('{dn} or {name}'))
            .default('(|(member={dn})(uniqueMember={dn}))'),
          roles: grants,
        },
        { error: withKeys(ldapKeys) },
      )
      .optional(),
  },
  { error: withKeys(peopleKeys) },
);
