import { granted, plainName, type Person } from './person.ts';
import type { OidcSettings } from './settings.ts';

/** OpenID Connect Core, 2: "sub" has at most 255 ASCII characters. */
const MAX_SUBJECT = 255;

/** @returns undefined when none of the groups in the claims gives anything */
export function oidcPerson(
  { roles, rolesClaim }: Pick<OidcSettings, 'roles' | 'rolesClaim'>,
  claims: Readonly<Record<string, unknown>>,
): Person | undefined {
  const subject = claims['sub'];
  if (typeof subject !== 'string' || subject.length === 0 || subject.length > MAX_SUBJECT) return undefined;
  const groups = groupsIn(claims, rolesClaim);
  const rights = granted(roles, (group) => groups.has(group));
  if (!rights) return undefined;
  const name = claims['name'] ?? claims['preferred_username'] ?? claims['email'];
  return { id: `oidc:${subject}`, name: plainName(name, subject), ...rights };
}

/** A list of texts, or one text, under the name as it is or along its dots. */
function groupsIn(claims: Readonly<Record<string, unknown>>, claim: string): ReadonlySet<unknown> {
  const found = claim in claims ? claims[claim] : along(claims, claim.split('.'));
  return new Set(Array.isArray(found) ? (found as unknown[]) : [found]);
}

function along(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[step];
  }
  return found;
}
