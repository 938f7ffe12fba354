import { annotationsOf } from '../../model/annotation.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import type { AnnotationsApi } from '../annotations-api.ts';
import { readObject } from './read-object.ts';
import { jsonAnswer, type Route } from './route.ts';

const EXAMPLE = '{"kind": "note", "text": "…"}';

/** For those who say something of a step, and those who read it. */
export function annotationRoutes(
  annotations: AnnotationsApi,
  reader: Pick<ReaderApi, 'getNode'>,
): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/api/nodes/{id}/annotations',
      needs: 'annotate',
      query: [],
      handle: async ({ params, body, principal }) =>
        jsonAnswer(
          201,
          await annotations.annotate(params['id'] ?? '', readObject(await body(), EXAMPLE), principal),
        ),
    },
    {
      method: 'GET',
      path: '/api/nodes/{id}/annotations',
      needs: 'see',
      query: [],
      handle: async ({ params }) => {
        const { node } = await reader.getNode(params['id'] ?? '');
        return jsonAnswer(200, { nodeId: node.id, annotations: annotationsOf(node) });
      },
    },
  ];
}
