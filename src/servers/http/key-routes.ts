import type { KeyInfo } from '../../access/key-record.ts';
import type { ShownKey } from '../../access/keys.ts';
import type { Principal } from '../../access/principal.ts';
import { readObject } from './read-object.ts';
import { jsonAnswer, type Route } from './route.ts';

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
    {
      method: 'GET',
      path: '/api/keys',
      needs: 'administer',
      query: [],
      handle: ({ principal }) => jsonAnswer(200, { keys: keys.list(principal) }),
    },
    {
      method: 'POST',
      path: '/api/keys',
      needs: 'administer',
      query: [],
      handle: async ({ principal, body }) =>
        jsonAnswer(201, await keys.create(principal, readObject(await body(), EXAMPLE))),
    },
    {
      method: 'DELETE',
      path: '/api/keys/{id}',
      needs: 'administer',
      query: [],
      handle: async ({ principal, params }) =>
        jsonAnswer(200, { revoked: await keys.revoke(principal, params['id'] ?? '') }),
    },
    {
      method: 'POST',
      path: '/api/keys/{id}/rotate',
      needs: 'administer',
      query: [],
      handle: async ({ principal, params, body }) => {
        const { graceMinutes } = readObject(await body(), '{"graceMinutes": 60}');
        return jsonAnswer(200, await keys.rotate(principal, params['id'] ?? '', graceMinutes));
      },
    },
  ];
}
