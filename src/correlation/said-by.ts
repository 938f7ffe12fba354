import { isOwnEventId } from '../model/ids.ts';
import type { ExplanationNode } from '../model/node.ts';
import { countingSteps, isSpan, isWrapper, orderedParts, toldBy, type NodeEntry } from './node-entry.ts';

/** What an agent did here, for those who count what it does. */
export interface CountedStep {
  /** What it said or was given to do, short or by a hash; undefined where nothing but its name is known. */
  readonly said: string | undefined;
}

/**
 * Undefined for what is no step of an agent here: what another service or a replay tells, and the service's own events.
 * Parts of a thought have no entry, and are counted with it.
 */
export function countedStep(entry: NodeEntry, node: ExplanationNode): CountedStep | undefined {
  if (entry.event) {
    if (isOwnEventId(entry.event.eventId)) return undefined;
    return { said: node.title === node.name ? undefined : node.title };
  }
  if (toldBy(entry)) return undefined;
  const steps = countingSteps(entry);
  const spans = steps.filter((step) => isSpan(step) && !isWrapper(step));
  // As everywhere, the innermost span knows best.
  for (const { facts } of [...spans.reverse(), ...steps.filter((step) => !isSpan(step))]) {
    const { saidHash, title, details } = facts.step;
    const { toolName, argumentsHash } = details;
    const given = typeof argumentsHash === 'number' ? String(argumentsHash) : undefined;
    const said = toolName === undefined ? (saidHash ?? title) : (given ?? title);
    if (said !== undefined) return { said };
  }
  if (orderedParts(entry.request).length === 0) return { said: undefined };
  const { thoughtChars, textChars } = node.details ?? {};
  return { said: `${node.title}\n${String(thoughtChars ?? textChars)}` };
}
