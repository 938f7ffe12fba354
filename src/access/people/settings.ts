import type { Role } from '../roles.ts';

/** What members of a group may do, and where. */
export interface GroupGrant {
  readonly roles: readonly Role[];
  /** The default project if absent. */
  readonly project?: string | undefined;
}

/** By the name of a group, in the order of the configuration. */
export type GroupGrants = Readonly<Record<string, GroupGrant>>;

/** An OpenID provider, as the configuration names it. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly scopes: string;
  /** The claim that lists a person's groups; dots lead into objects. */
  readonly rolesClaim: string;
  readonly roles: GroupGrants;
}

/** A directory, as the configuration names it. */
export interface LdapSettings {
  /** `ldaps://…`, or `ldap://…` with `startTls`; plain to loopback only. */
  readonly url: string;
  readonly startTls: boolean;
  /** PEM file of the authorities that signed the directory's certificate; those of the system if absent. */
  readonly caFile?: string | undefined;
  /** Who looks people up; nobody in particular if absent. */
  readonly bindDn?: string | undefined;
  readonly password?: string | undefined;
  readonly searchBase: string;
  /** `{name}` stands for what a person typed. */
  readonly userFilter: string;
  readonly nameAttribute: string;
  /** Where groups are looked for; those of `memberOf` count if absent. */
  readonly groupBase?: string | undefined;
  /** `{dn}` stands for the person's DN, `{name}` for what was typed. */
  readonly groupFilter: string;
  readonly roles: GroupGrants;
}
