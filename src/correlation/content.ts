import { canonicalAgent } from '../model/agent.ts';
import { isSpan, type StepEntry } from './node-entry.ts';
import { Multimap } from './multimap.ts';

/** What so many steps of one conversation say or hear leads from none of them to any other. */
const MAX_ALIKE = 32;

/**
 * What leads from step to step by what was said: an answer or a tool's result that comes up again among what a
 * later call of the same conversation reads, a tool call that a call asked for in the same words, and a failed call
 * that is made again with the same input.
 * Texts are compared by their hashes; short ones have none.
 */
export class Content {
  private readonly said = new Multimap<StepEntry>();
  private readonly heard = new Multimap<StepEntry>();
  private readonly asked = new Multimap<StepEntry>();
  private readonly ran = new Multimap<StepEntry>();

  add(step: StepEntry): void {
    this.index(step, 'add');
  }

  /** Forgets what a record says now: before it changes, or goes. */
  remove(step: StepEntry): void {
    this.index(step, 'delete');
  }

  /** The steps whose causes may be others because of this one. */
  hearersOf(step: StepEntry): readonly StepEntry[] {
    const { saidHash, heardHashes, askedHashes } = step.facts.step;
    if (saidHash === undefined && heardHashes === undefined && askedHashes === undefined) return NONE;
    const where = conversationOf(step);
    const found: StepEntry[] = [];
    if (saidHash !== undefined) found.push(...this.heard.few(where + saidHash, MAX_ALIKE));
    for (const hash of askedHashes ?? []) found.push(...this.ran.few(where + hash, MAX_ALIKE));
    const last = heardHashes?.at(-1);
    if (last !== undefined) found.push(...this.heard.few(where + last, MAX_ALIKE));
    return found;
  }

  /** Of each text that the step read: who said it last before. */
  sourcesOf(step: StepEntry): StepEntry[] {
    const { heardHashes } = step.facts.step;
    if (heardHashes === undefined) return [];
    const where = conversationOf(step);
    const found: StepEntry[] = [];
    for (const hash of heardHashes) {
      const source = latestBefore(this.said.few(where + hash, MAX_ALIKE), step);
      if (source) found.push(source);
    }
    return found;
  }

  /** The LLM call that asked for this tool call, where no id says so: the last one before it with these arguments. */
  askerOf(step: StepEntry): StepEntry | undefined {
    const { ranHash } = step.facts.step;
    if (ranHash === undefined) return undefined;
    return latestBefore(this.asked.few(conversationOf(step) + ranHash, MAX_ALIKE), step);
  }

  /** The failed call that this one makes again: the one before it of the same agent with the same input. */
  failedBefore(step: StepEntry): StepEntry | undefined {
    const { heardHashes, agent } = step.facts.step;
    const last = heardHashes?.at(-1);
    if (last === undefined) return undefined;
    const where = conversationOf(step);
    if (!this.heard.isShared(where + last)) return undefined;
    const alike = this.heard
      .few(where + last, MAX_ALIKE)
      .filter(
        ({ facts }) =>
          facts.step.heardHashes?.at(-1) === last &&
          facts.start < step.facts.start &&
          canonicalAgent(facts.step.agent ?? '') === canonicalAgent(agent ?? ''),
      );
    const before = latestBefore(alike, step);
    return before?.facts.step.status === 'ERROR' ? before : undefined;
  }

  private index(step: StepEntry, verb: 'add' | 'delete'): void {
    const { saidHash, heardHashes, askedHashes, ranHash, wrapper, container } = step.facts.step;
    // Containers repeat what was said inside them.
    if (wrapper === true || container === true) return;
    if (saidHash === undefined && heardHashes === undefined && ranHash === undefined && !askedHashes) return;
    const where = conversationOf(step);
    if (saidHash !== undefined) this.said[verb](where + saidHash, step);
    for (const hash of heardHashes ?? []) this.heard[verb](where + hash, step);
    for (const hash of askedHashes ?? []) this.asked[verb](where + hash, step);
    if (ranHash !== undefined) this.ran[verb](where + ranHash, step);
  }
}

const NONE: readonly StepEntry[] = [];

/** Within one task, session or trace, as far as the record itself names it. */
function conversationOf({ facts }: StepEntry): string {
  return `${facts.step.task?.id ?? facts.traceId ?? ''}|`;
}

function latestBefore(steps: readonly StepEntry[], step: StepEntry): StepEntry | undefined {
  let best: StepEntry | undefined;
  for (const other of steps) {
    if (other === step || other.nodeId === step.nodeId || !isBefore(other, step)) continue;
    if (!best || isLater(other, best)) best = other;
  }
  return best;
}

/** SDKs round the start of a span to the millisecond, or take its end from another clock. */
const SLACK_MS = 2;

/** It began no later, and had ended when the other began. Which of two led to the other is said by what they say. */
function isBefore(a: StepEntry, b: StepEntry): boolean {
  return a.facts.start <= b.facts.start && (a.facts.end ?? a.facts.start) <= b.facts.start + SLACK_MS;
}

function isLater(a: StepEntry, b: StepEntry): boolean {
  if (a.facts.start !== b.facts.start) return a.facts.start > b.facts.start;
  if (isSpan(a) !== isSpan(b)) return isSpan(a);
  return a.key > b.key;
}
