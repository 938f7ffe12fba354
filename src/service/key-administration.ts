import type { Principal } from '../access/principal.ts';
import { DEFAULT_PROJECT } from '../model/project-name.ts';
import type { Keys } from '../access/keys.ts';
import { allows } from '../access/roles.ts';
import { BoundaryError } from '../base/boundary-error.ts';
import type { KeysApi } from '../servers/http/key-routes.ts';
import { askerOf, type AccessRecord } from './access-record.ts';

/**
 * Lets administrators deal with keys, and puts each change on record before it is made.
 * @param ensureProject sees that there is the project of a new key
 */
export function keyAdministration(
  keys: Keys,
  accesses: AccessRecord,
  ensureProject: (name: string) => Promise<void>,
): KeysApi {
  const record = (by: Principal, action: 'key-create' | 'key-revoke' | 'key-rotate', node: string) =>
    accesses.granted({ action, node, why: 'asked for', ...askerOf(by) }).catch((cause: unknown) => {
      const message = 'the audit log cannot be written, so no key is changed: see the log';
      throw new BoundaryError('UNAVAILABLE', message, { cause });
    });
  return {
    list: (by) => keys.list(scopeOf(by)),
    async create(by, request) {
      const made = await keys.create(request, scopeOf(by), ensureProject);
      try {
        await record(by, 'key-create', made.id);
      } catch (error) {
        // Nobody has seen it.
        await keys.revoke(made.id);
        throw error;
      }
      return made;
    },
    async revoke(by, id) {
      const { id: known } = keys.get(id, scopeOf(by));
      await record(by, 'key-revoke', known);
      return keys.revoke(known, scopeOf(by));
    },
    async rotate(by, id, graceMinutes) {
      const { id: known } = keys.get(id, scopeOf(by));
      await record(by, 'key-rotate', known);
      return keys.rotate(known, graceMinutes, scopeOf(by));
    },
  };
}

/** Administrators of a project deal with its keys; those of the default project with all. */
export function dealsWithAll({ project, roles }: Principal): boolean {
  return project === DEFAULT_PROJECT && allows(roles, 'administer');
}

function scopeOf(by: Principal): string | undefined {
  return dealsWithAll(by) ? undefined : by.project;
}
