import { maySay, whyNot } from '../../access/capability.ts';
import type { Principal } from '../../access/principal.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Interrupted, InterruptReason } from '../../model/interrupt.ts';

const KIND = 'reasoning/cancel';

/**
 * To interrupt is to say `reasoning/cancel` with the `agent`, `taskId`, `space`, `context` and `reason`. Where who began the
 * context is not who does the step, both are asked about. A pattern that names an agent, also by what it is not, allows nothing
 * where the agent is not known: anybody may wait there.
 * @throws BoundaryError PERMISSION_DENIED
 */
export function demandMayInterrupt(
  { capabilities }: Pick<Principal, 'capabilities'>,
  { agent, taskId, mew }: Interrupted,
  reason: InterruptReason,
): void {
  const agents = new Set([agent, mew?.agent].filter((one) => one !== undefined));
  const fields = { taskId, space: mew?.space, context: mew?.path, reason };
  const patterns =
    agents.size > 0
      ? capabilities
      : capabilities?.filter(({ payload }) => payload === undefined || !Object.hasOwn(payload, 'agent'));
  for (const one of agents.size > 0 ? agents : [undefined])
    if (!maySay(patterns, { kind: KIND, payload: { ...fields, agent: one } }))
      throw new BoundaryError('PERMISSION_DENIED', whyNot(needed(one, taskId)));
}

function needed(agent: string | undefined, taskId: string | undefined): Parameters<typeof whyNot>[0] {
  if (agent !== undefined) return { kind: KIND, payload: { agent } };
  return { kind: KIND, ...(taskId !== undefined && { payload: { taskId } }) };
}
