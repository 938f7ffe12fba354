import { annotationsOf } from '../../model/annotation.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import type { AnnotationsApi } from '../annotations-api.ts';
import { jsonRoute, type Route } from './route.ts';

const EXAMPLE = '{"kind": "note", "text": "…"}';

/** For those who say something of a step, and those who read it. */
export function annotationRoutes(
  annotations: AnnotationsApi,
  reader: Pick<ReaderApi, 'getNode'>,
): readonly Route[] {
  return [
    jsonRoute(
      'POST /api/nodes/{id}/annotations',
      'annotate',
      async ({ id, given, principal }) => annotations.annotate(id, await given(EXAMPLE), principal),
      { status: 201 },
    ),
    jsonRoute('GET /api/nodes/{id}/annotations', 'see', async ({ id }) => {
      const { node } = await reader.getNode(id);
      return { nodeId: node.id, annotations: annotationsOf(node) };
    }),
  ];
}
