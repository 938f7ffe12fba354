import type { Principal } from '../../access/principal.ts';
import { invalid } from '../../base/boundary-error.ts';
import type { AdaptationsApi } from '../../model/adaptations-api.ts';
import { single } from '../query.ts';
import { readObject } from './read-object.ts';
import { jsonRoute, largeJsonAnswer, type HttpAnswer, type HttpRequest, type Route } from './route.ts';

const EDITS = '{"enabled": false, "version": 3}';
const PREVIEW = '{"scope": {"agent": "CoderAgent"}, "basePrompt": "…"}';

/** Told of who changed which one, or had their file read. */
export type ChangedAdaptation = (by: Principal, what: string) => void;

/** Adaptations of prompts: read, changed by who may use the service, and what they brought about. */
export function adaptationRoutes(adaptations: AdaptationsApi, changed?: ChangedAdaptation): readonly Route[] {
  return [
    jsonRoute('GET /api/adaptations', 'read', () => adaptations.list()),
    jsonRoute('POST /api/adaptations/reload', 'operate', async ({ principal }) => {
      const answer = await adaptations.reload();
      changed?.(principal, 'reload');
      return answer;
    }),
    jsonRoute('POST /api/adaptations/preview', 'read', async ({ given }) =>
      adaptations.preview(await given(PREVIEW)),
    ),
    {
      method: 'GET',
      path: '/api/adaptations/{id}',
      needs: 'read',
      query: ['version'],
      handle: async ({ params, query }) => {
        const detail = await adaptations.get(params['id'], single(query, 'version'));
        return tagged(largeJsonAnswer(detail), detail.version);
      },
    },
    {
      method: 'PUT',
      path: '/api/adaptations/{id}',
      needs: 'operate',
      query: [],
      handle: async ({ params, body, raw, principal }) => {
        const { version: inBody, ...edits } = readObject(await body(), EDITS);
        const version = expectedVersion(raw.headers['if-match'], inBody);
        const detail = await adaptations.update(params['id'], edits, version);
        changed?.(principal, `${detail.id} version ${detail.version}`);
        return tagged(largeJsonAnswer(detail), detail.version);
      },
    },
    jsonRoute('GET /api/adaptations/{id}/effect', 'read', ({ id }) => adaptations.effect(id)),
  ];
}

/** With its version as an entity tag, so that `If-Match` can name it. */
function tagged(answer: HttpAnswer, version: number): HttpAnswer {
  return { ...answer, headers: { ETag: `"${version}"` } };
}

/** RFC 9110, 13.1.1; `*` is any. */
function expectedVersion(ifMatch: HttpRequest['raw']['headers']['if-match'], inBody: unknown): unknown {
  if (ifMatch === undefined || ifMatch.trim() === '*') return inBody;
  const [, tag] = /^\s*(?:W\/)?"(\d{1,9})"\s*$/.exec(ifMatch) ?? [];
  if (tag === undefined) throw invalid('If-Match must be the ETag of a version, such as "3"');
  if (inBody !== undefined && inBody !== Number(tag))
    throw invalid('version and If-Match name different versions: give one');
  return Number(tag);
}
