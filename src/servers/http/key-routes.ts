import type { KeyInfo } from '../../access/key-record.ts';
import type { ShownKey } from '../../access/keys.ts';
import type { Principal } from '../../access/principal.ts';
import { jsonRoute, type Route } from './route.ts';

/** Keys, as administrators deal with them: those of the default project with all, others with those of their own. */
export interface KeysApi {
  list(by: Principal): readonly KeyInfo[];
  /** @param request unchecked @throws BoundaryError, as the others do */
  create(by: Principal, request: unknown): Promise<ShownKey>;
  revoke(by: Principal, id: string): Promise<KeyInfo>;
  rotate(by: Principal, id: string, graceMinutes: unknown): Promise<ShownKey>;
}

const EXAMPLE = '{"name": "CI of the web team", "roles": ["sender"], "expiresInDays": 90}';

export function keyRoutes(keys: KeysApi): readonly Route[] {
  return [
    jsonRoute('GET /api/keys', 'administer', ({ principal }) => ({ keys: keys.list(principal) })),
    jsonRoute(
      'POST /api/keys',
      'administer',
      async ({ principal, given }) => keys.create(principal, await given(EXAMPLE)),
      { status: 201 },
    ),
    jsonRoute('DELETE /api/keys/{id}', 'administer', async ({ principal, id }) => ({
      revoked: await keys.revoke(principal, id),
    })),
    jsonRoute('POST /api/keys/{id}/rotate', 'administer', async ({ principal, id, given }) => {
      const { graceMinutes } = await given('{"graceMinutes": 60}');
      return keys.rotate(principal, id, graceMinutes);
    }),
  ];
}
