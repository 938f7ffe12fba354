import { Multimap } from '../base/multimap.ts';
import { canonicalAgent } from '../model/agent.ts';
import { hadEnded } from '../model/in-time.ts';
import { isAnyBefore, isMessage, isSpan, type StepEntry } from './node-entry.ts';
import { TrackedMultimap, type Tracker } from './tracker.ts';

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
  /** By the last text that they read. Its keys are those of `said` as well: who hears a text looks for who said it. */
  private readonly heard: TrackedMultimap<StepEntry>;
  private readonly asked = new Multimap<StepEntry>();
  /** Its keys are those of `asked` as well: who ran looks for who asked. */
  private readonly ran: TrackedMultimap<StepEntry>;

  constructor(tracker: Tracker) {
    this.heard = new TrackedMultimap(tracker, MAX_ALIKE);
    this.ran = new TrackedMultimap(tracker, MAX_ALIKE);
  }

  /** Of each text that the step read: who said it last before. */
  sourcesOf(step: StepEntry): StepEntry[] {
    const { heardHashes } = step.facts.step;
    if (heardHashes === undefined) return [];
    const where = conversationOf(step);
    const found: StepEntry[] = [];
    for (const hash of heardHashes) {
      // Messages that are told one by one say nothing of their history: what was read before is sent again.
      if (isMessage(step.facts) && isAnyBefore(this.heard.few(where + hash), step)) continue;
      const source = latestBefore(fewIn(this.said, this.heard, where + hash), step);
      if (source) found.push(source);
    }
    return found;
  }

  /**
   * The LLM call that asked for this tool call, where no id says so: the last one before it with these arguments, else
   * with this code in its answer.
   */
  askerOf(step: StepEntry): StepEntry | undefined {
    const { ranHash, ranCodeHash } = step.facts.step;
    const where = conversationOf(step);
    return (
      (ranHash === undefined ? undefined : this.lastAsker(where + ranHash, step)) ??
      (ranCodeHash === undefined ? undefined : this.lastAsker(codeKey(where, ranCodeHash), step))
    );
  }

  private lastAsker(key: string, step: StepEntry): StepEntry | undefined {
    return latestBefore(fewIn(this.asked, this.ran, key), step);
  }

  /** The tool calls without an id of their own that are the call to which an LLM call gave this id. */
  runsOf(asker: StepEntry, callId: string): readonly StepEntry[] {
    const { askedHashes = [], askedIds } = asker.facts.step;
    const hash = askedHashes[askedIds?.indexOf(callId) ?? -1];
    if (hash === undefined) return NONE;
    const runs = this.ran.few(conversationOf(asker) + hash);
    return runs.filter((run) => this.askerOf(run) === asker);
  }

  /** The failed call that this one makes again: the one before it of the same agent with the same input. */
  failedBefore(step: StepEntry): StepEntry | undefined {
    const { heardHashes, agent } = step.facts.step;
    const last = heardHashes?.at(-1);
    if (last === undefined) return undefined;
    const alike = this.heard.few(conversationOf(step) + last);
    if (alike.length <= 1) return undefined;
    const sameAgent = alike.filter(
      (other) =>
        (other.facts.start < step.facts.start || (isError(other) && !isError(step))) &&
        canonicalAgent(other.facts.step.agent ?? '') === canonicalAgent(agent ?? ''),
    );
    const before = latestBefore(sameAgent, step);
    return before && isError(before) ? before : undefined;
  }

  change(step: StepEntry, verb: 'add' | 'delete'): void {
    const { saidHash, heardHashes, askedHashes, codeHashes, ranHash, wrapper, container } = step.facts.step;
    // Containers repeat what was said inside them.
    if (wrapper === true || container === true) return;
    const isSilent = saidHash === undefined && heardHashes === undefined && askedHashes === undefined;
    if (isSilent && ranHash === undefined && codeHashes === undefined) return;
    const where = conversationOf(step);
    const ask = (key: string): void => changeIn(this.asked, this.ran, key, verb, step);
    if (ranHash !== undefined) this.ran[verb](where + ranHash, step);
    for (const hash of codeHashes ?? NONE_SAID) ask(codeKey(where, hash));
    if (saidHash !== undefined) changeIn(this.said, this.heard, where + saidHash, verb, step);
    const last = heardHashes?.at(-1);
    if (last !== undefined) this.heard[verb](where + last, step);
    for (const hash of askedHashes ?? NONE_SAID) ask(where + hash);
  }
}

/** @param keys by which who looks is told of a change */
function fewIn(
  steps: Multimap<StepEntry>,
  keys: TrackedMultimap<StepEntry>,
  key: string,
): readonly StepEntry[] {
  keys.read(key);
  return steps.few(key, MAX_ALIKE);
}

function changeIn(
  steps: Multimap<StepEntry>,
  keys: TrackedMultimap<StepEntry>,
  key: string,
  verb: 'add' | 'delete',
  step: StepEntry,
): void {
  steps[verb](key, step);
  // Beyond that the key looked empty before and does so now.
  if (steps.count(key) <= MAX_ALIKE + 1) keys.changed(key);
}

const NONE: readonly StepEntry[] = [];
const NONE_SAID: readonly string[] = [];

function codeKey(where: string, hash: string): string {
  return `${where}code|${hash}`;
}

/** Within one session or trace, as far as the record itself names it: a task may have many agents that know nothing of each other. */
function conversationOf({ facts }: StepEntry): string {
  const { task } = facts.step;
  return `${(task?.rank === 1 ? task.id : undefined) ?? facts.traceId ?? task?.id ?? ''}|`;
}

function isError({ facts }: StepEntry): boolean {
  return facts.step.status === 'ERROR';
}

function latestBefore(steps: readonly StepEntry[], step: StepEntry): StepEntry | undefined {
  let best: StepEntry | undefined;
  for (const other of steps) {
    if (other === step || other.nodeId === step.nodeId || !isBefore(other, step)) continue;
    if (!best || isLater(other, best)) best = other;
  }
  return best;
}

/** Which of two that began at one time led to the other is said by what they say. */
function isBefore({ facts: { start, end = start } }: StepEntry, { facts }: StepEntry): boolean {
  return hadEnded({ start, end }, facts);
}

function isLater(a: StepEntry, b: StepEntry): boolean {
  if (a.facts.start !== b.facts.start) return a.facts.start > b.facts.start;
  if (isSpan(a) !== isSpan(b)) return isSpan(a);
  return a.key > b.key;
}
