import type { Attributes } from '../model/attributes.ts';
import type { Details } from './convention.ts';
import { everyId } from './read.ts';

/** For whom a span works, in the words of any sender; what says least about a person stands first. */
export const USER_ID = [
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
  'user.account_id',
  'user.email',
];

type User = Pick<Details, 'userId' | 'otherUserIds'>;

/** Whom the attributes name, by every id of theirs: erasing a user may ask for any. */
export function userOf(attributes: Attributes): User {
  return asUser(everyId(attributes, USER_ID));
}

/** A step's own user comes first; what its process says of one as well is kept beside it. */
export function joinUsers(own: User, process: User): User {
  return asUser([...new Set([...idsOf(own), ...idsOf(process)])]);
}

function asUser([userId, ...others]: readonly string[]): User {
  if (userId === undefined) return {};
  return { userId, ...(others.length > 0 && { otherUserIds: others }) };
}

function idsOf({ userId, otherUserIds = [] }: User): readonly string[] {
  return userId === undefined ? otherUserIds : [userId, ...otherUserIds];
}
