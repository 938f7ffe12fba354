import { randomUUID } from 'node:crypto';
import { emitLog } from './telemetry.js';

/**
 * Says what the agents made of a failure: a log record named `reflexion.<type>`. What its payload names (the
 * span of a check, the request of a call) is where its edges come from.
 *
 * @param {'ModelSwitched' | 'CodeFixApplied' | 'TaskRetryInitiated'} eventType
 * @param {Readonly<Record<string, string>>} payload
 * @returns {string} the id of the event, for whatever happens because of it
 */
export function reflect(eventType, payload) {
  const eventID = randomUUID();
  emitLog({
    eventName: `reflexion.${eventType}`,
    attributes: { eventID, eventType, component: 'reflexion-adapter', payload: JSON.stringify(payload) },
  });
  return eventID;
}
