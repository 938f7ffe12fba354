import { requestNodeId, RESPONSE_STEP, stepNodeId } from '../model/ids.ts';
import { isWrapper, type SpanEntry, type StepEntry } from './node-entry.ts';

type Spans = ReadonlyMap<string, SpanEntry>;

/** Plumbing nested deeper than this is no plumbing. */
export const MAX_WRAPPER_DEPTH = 64;

/**
 * The node of a record: that of the request that it is part of; else, if another record of the same call is part
 * of one, that one's; else the outermost record's of the call. Plumbing goes with what it is part of.
 */
export function homeOf(step: StepEntry, spans: Spans): string {
  const { retold } = step.facts.step;
  if (retold !== undefined) return retold.nodeId;
  const carrier = isWrapper(step) ? carrierOf(step, spans) : step;
  if (carrier !== step) return carrier.nodeId;
  if (step.memberOf !== undefined) return requestNodeId(step.memberOf);
  if (!step.group) return ownId(step);
  let least: string | undefined;
  for (const { memberOf } of step.group.members)
    if (memberOf !== undefined && (least === undefined || memberOf < least)) least = memberOf;
  return least === undefined ? ownId(step.group.leader) : requestNodeId(least);
}

/** The nearest ancestor that is no plumbing, else the last one there is; itself where parents form a circle. */
function carrierOf(wrapper: StepEntry, spans: Spans): StepEntry {
  let at = wrapper;
  for (let depth = 0; depth < MAX_WRAPPER_DEPTH && isWrapper(at); depth++) {
    const parent = at.parentKey === undefined ? undefined : spans.get(at.parentKey);
    if (!parent) return at;
    if (parent === wrapper) return wrapper;
    at = parent;
  }
  return isWrapper(at) ? wrapper : at;
}

/** The node of a record that is joined with nothing else. */
export function ownId({ key, facts }: StepEntry): string {
  const { stepId } = facts.step;
  if (facts.kind === 'span' || stepId === undefined) return key;
  if (facts.traceId === undefined || !stepId.startsWith(RESPONSE_STEP)) return stepNodeId(stepId);
  // Another trace may have a call with the same id.
  return stepNodeId(`${RESPONSE_STEP}${facts.traceId}:${stepId.slice(RESPONSE_STEP.length)}`);
}
