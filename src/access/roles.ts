/**
 * What somebody may do. One of these is asked for at every way in:
 * `send` telemetry, thoughts and events; `see` structure, types, status, time and cost; `read` the redacted texts;
 * `annotate`: say something of a step; `operate`: prune, replay, adaptations; `interrupt`: ask agents to stop, and approve of what
 * they ask; `administer`: keys, reveal, override, erase, the audit log;
 * `monitor`: how the service as a whole is.
 */
export const RIGHTS = [
  'send',
  'see',
  'read',
  'annotate',
  'operate',
  'interrupt',
  'administer',
  'monitor',
] as const;
export type Right = (typeof RIGHTS)[number];
/** What a way in asks for. Where `nothing`, there is no data. */
export type Need = Right | 'nothing';

/**
 * Each from `reader` on includes the one before it. `sender` and `monitor` stand apart: keys of agents, and of Prometheus,
 * read nothing. So does `gateway`: it speaks for others, each of whom may what they may, and may nothing itself but see whether
 * the service is well.
 */
export const ROLES = ['sender', 'monitor', 'gateway', 'reader', 'analyst', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

const RIGHTS_OF: Readonly<Record<Role, readonly Right[]>> = {
  sender: ['send'],
  monitor: ['monitor'],
  gateway: ['monitor'],
  reader: ['see'],
  analyst: ['see', 'read', 'annotate'],
  operator: ['see', 'read', 'annotate', 'operate', 'interrupt', 'monitor'],
  admin: ['see', 'read', 'annotate', 'operate', 'interrupt', 'administer', 'monitor'],
};

/** Is it a right of those who change what others see, or do? What they tried in vain is on record. */
export function isOfWhoChanges(need: Need): boolean {
  return need === 'annotate' || need === 'operate' || need === 'interrupt' || need === 'administer';
}

export function rightsOf(role: Role): readonly Right[] {
  return RIGHTS_OF[role];
}

/** Has somebody with these roles the right? */
export function allows(roles: readonly Role[], right: Right): boolean {
  return roles.some((role) => RIGHTS_OF[role].includes(right));
}
