import type { Attributes } from '../model/attributes.ts';
import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { firstId, text } from './read.ts';
import { conversation } from './task.ts';
import { USER_ID, userOf } from './user.ts';

/** Users, sessions and the application stand on any span, also on those of no agent. */
export const who: Convention = {
  name: 'who',
  aside: true,
  signs: { keys: ['session.id', 'app.name', 'metadata', ...USER_ID] },
  interpret: ({ attributes }: SafeSpan): PartialStep => readWho(attributes),
};

/** What the attributes of a span, or of a log record, say. */
export function readWho(attributes: Attributes): PartialStep {
  return {
    application: text(attributes, 'app.name'),
    task: conversation(firstId(attributes, ['session.id'])),
    details: userOf(attributes),
  };
}
