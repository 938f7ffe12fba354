import { eventNodeId } from '../../model/ids.ts';
import { ANSWER_WITHIN_MS, type Interrupt } from '../../model/interrupt.ts';
import type { InterruptFrame } from '../../servers/control-api.ts';
import { interruptEventId } from './interrupt-events.ts';

/** An interrupt as programs are told of it. @param id by which they answer */
export function interruptFrame(
  { id: asked, reason, message, by, about }: Interrupt,
  id: string,
): InterruptFrame {
  const { nodeId, taskId, agent } = about;
  return {
    type: 'interrupt',
    id,
    interruptNodeId: eventNodeId(interruptEventId(asked)),
    reason,
    message,
    by,
    nodeId,
    taskId,
    agent,
    answerWithinMs: ANSWER_WITHIN_MS,
  };
}
