import type { Attributes } from '../model/attributes.ts';
import type { Details } from './convention.ts';
import { objectOf } from './json.ts';
import { everyId, idOf } from './read.ts';

/** For whom a span works, in the words of any sender; what says least about a person stands first. */
export const USER_ID = [
  'user.id',
  'enduser.id',
  'langfuse.user.id',
  'ai.telemetry.metadata.userId',
  'ai.settings.context.userId',
  'traceloop.association.properties.user_id',
  'traceloop.association.properties.userId',
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
  const ids = everyId(attributes, USER_ID);
  const ofMetadata = userOfMetadata(attributes.get('metadata'));
  return asUser(ofMetadata === undefined ? ids : [...new Set([...ids, ofMetadata])]);
}

/** LangChain's instrumentations write what a run was started with as one JSON text. */
function userOfMetadata(metadata: unknown): string | undefined {
  if (typeof metadata !== 'string' || !metadata.includes('"user')) return undefined;
  const { user_id: snake, userId: camel } = objectOf(metadata) ?? {};
  return idOf(snake) ?? idOf(camel);
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
