import type { Attributes } from '../model/attributes.ts';
import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { firstId, text } from './read.ts';
import { conversation } from './task.ts';

/** For whom a span works, in the words of any sender. */
const USER_ID = [
  'user.id',
  'enduser.id',
  'langfuse.user.id',
  'ai.telemetry.metadata.userId',
  'ai.settings.context.userId',
  'traceloop.association.properties.user_id',
  'langsmith.metadata.user_id',
  'gen_ai.user',
  'gen_ai.request.user',
  'user.account_uuid',
];

/** Users, sessions and the application stand on any span, also on those of no agent. */
export const who: Convention = {
  name: 'who',
  aside: true,
  signs: { keys: ['session.id', 'app.name', ...USER_ID] },
  interpret: ({ attributes }: SafeSpan): PartialStep => readWho(attributes),
};

/** What the attributes of a span, or of a log record, say. */
export function readWho(attributes: Attributes): PartialStep {
  return {
    application: text(attributes, 'app.name'),
    task: conversation(firstId(attributes, ['session.id'])),
    details: { userId: firstId(attributes, USER_ID) },
  };
}
