import type { Principal } from '../../access/principal.ts';
import { annotationEventId } from '../../model/annotation.ts';
import type { EventRecord } from '../../model/records.ts';
import type { EpochMs } from '../../model/time.ts';
import { askerName } from '../asker-id.ts';
import { eventOf } from '../own-events.ts';
import type { GivenAnnotation } from './given-annotation.ts';

/** What each kind is called on the graph. */
const TYPES: Readonly<Record<GivenAnnotation['kind'], string>> = {
  note: 'UserAnnotation',
  question: 'UserAnnotation',
  verdict: 'UserVerdict',
  approval: 'UserApproval',
  withdrawal: 'UserWithdrawal',
};

/** An annotation as it stands on the graph. */
export function annotationEvent(
  id: string,
  { kind, text, verdict, decision, option, replaces }: GivenAnnotation,
  about: {
    readonly by: Principal;
    readonly at: EpochMs;
    readonly taskId: string;
    readonly nodeId: string;
    /** A part of that node. */
    readonly partId: string | undefined;
  },
): EventRecord {
  const { by, at, taskId, nodeId, partId } = about;
  const word = verdict ?? decision ?? (kind === 'withdrawal' ? 'withdrawn' : undefined);
  return eventOf(annotationEventId(id), TYPES[kind], 'User', at, {
    summary:
      word === undefined ? undefined : [word, option, text].filter((one) => one !== undefined).join(': '),
    kind,
    text,
    verdict,
    decision,
    option,
    replaces,
    saidBy: askerName(by),
    saidByKind: by.by,
    saidByRoles: by.roles.join('+'),
    nodeId,
    partId,
    taskId,
  });
}
