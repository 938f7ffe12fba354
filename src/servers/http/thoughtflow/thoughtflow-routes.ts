import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { BoundaryError } from '../../../base/boundary-error.ts';
import { flowD2 } from '../../../exporters/thoughtflow/flow-d2.ts';
import { flowJson } from '../../../exporters/thoughtflow/flow-json.ts';
import { conversationId, planFlow } from '../../../exporters/thoughtflow/flow-plan.ts';
import type { TaskContent } from '../../../model/task-content.ts';
import type { ReaderApi } from '../../../subscriptions/reader-api.ts';
import { detailOf, taskContent } from '../../../subscriptions/task-content.ts';
import { jsonPiecesAnswer, textAnswer, type Route } from '../route.ts';

/** Ids have few dots: so many places are tried at which the id of a task may end. */
const MAX_SPLITS = 32;
/** Tasks that are looked through for one name: to put 50,000 steps in order takes a second. */
const MAX_TASKS = 2;
const NAME = /^(?<stem>.+)\.(?<kind>json|d2)$/s;

/** Any task as ThoughtFlow: `/thoughtflow/{task}.json` and `.d2`, and of one conversation `{task}.{conversation}.…`. */
export function thoughtflowRoutes(reader: ReaderApi): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/thoughtflow/{file}',
      needs: 'see',
      query: [],
      handle: async ({ raw, params }, response) => {
        const { stem, kind } = NAME.exec(params['file'] ?? '')?.groups ?? {};
        if (stem === undefined)
          throw new BoundaryError('NOT_FOUND', 'the name of a task ends with .json or .d2');
        const { content, conversation } = await contentNamed(reader, stem, () => !response.destroyed);
        if (kind === 'json')
          return jsonPiecesAnswer(
            flowJson({ ...content, detail: (id) => detailOf(reader, id) }, conversation),
          );
        const { taskId, graph } = content;
        // No type is registered for it.
        return textAnswer('text/plain', flowD2(graph, { taskId, base: baseOf(raw), conversation }));
      },
    },
  ];
}

interface Named {
  readonly content: TaskContent;
  readonly conversation?: number;
}

/** What a name means: a task if there is one, else a conversation of one. @throws BoundaryError NOT_FOUND */
async function contentNamed(reader: ReaderApi, stem: string, isWanted: () => boolean): Promise<Named> {
  const whole = await contentOf(reader, stem, isWanted);
  if (whole) return { content: whole };
  let dot = stem.lastIndexOf('.');
  let tasks = 0;
  for (let tries = 0; dot > 0 && tries < MAX_SPLITS; tries++, dot = stem.lastIndexOf('.', dot - 1)) {
    if (!isWanted() || tasks === MAX_TASKS) break;
    const content = await contentOf(reader, stem.slice(0, dot), isWanted);
    if (!content) continue;
    tasks++;
    const id = stem.slice(dot + 1);
    const place = planFlow(content.graph).conversations.findIndex((one) => conversationId(one) === id);
    if (place >= 0) return { content, conversation: place };
  }
  throw new BoundaryError('NOT_FOUND', 'no task, and no conversation of one, with this id is known');
}

async function contentOf(
  reader: ReaderApi,
  taskId: string,
  isWanted: () => boolean,
): Promise<TaskContent | undefined> {
  try {
    return await taskContent(reader, taskId, isWanted);
  } catch (error) {
    if (error instanceof BoundaryError && (error.code === 'NOT_FOUND' || error.code === 'INVALID_ARGUMENT'))
      return undefined;
    throw error;
  }
}

/** Where the reader found the service, for links. */
function baseOf({ headers, socket }: IncomingMessage): string {
  if (headers.host === undefined) return '';
  return `${(socket as TLSSocket).encrypted ? 'https' : 'http'}://${headers.host}`;
}
