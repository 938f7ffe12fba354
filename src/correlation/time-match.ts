import { canonicalAgent, DEFAULT_AGENT } from '../model/agent.ts';
import type { SpanFacts } from '../model/facts.ts';
import { firstOf, orderedParts, type RequestEntry } from './node-entry.ts';

/** A longer call holds too many thoughts by chance; it also bounds how far back is looked. */
const MAX_CALL_SECONDS = 120;

/** A stretch of time of one agent, in epoch milliseconds. */
interface Stretch {
  readonly id: string;
  readonly agent: string;
  readonly from: number;
  readonly to: number;
  readonly taskId: string | undefined;
}

/** A stretch and those on the other side that match it: how many, and which if there is one, without a list of them. */
interface Matched extends Stretch {
  readonly number: number;
  matches: number;
  /** Sum of their numbers: of one it is its number, of two the other's is what is left. */
  sum: number;
}

/** Stretches by agent and by the second in which they begin. */
class Timeline {
  private readonly byId = new Map<string, Matched>();
  private readonly byNumber = new Map<number, Matched>();
  private readonly byAgent = new Map<string, Map<number, Set<Matched>>>();
  private lastNumber = 0;

  get(id: string): Matched | undefined {
    return this.byId.get(id);
  }

  /** The only match of a stretch of the other side, and of two the one that is not this. */
  matchOf({ sum }: Matched, not?: Matched): Matched | undefined {
    return this.byNumber.get(sum - (not?.number ?? 0));
  }

  add(added: Stretch): Matched {
    const stretch: Matched = { ...added, number: ++this.lastNumber, matches: 0, sum: 0 };
    this.byId.set(stretch.id, stretch);
    this.byNumber.set(stretch.number, stretch);
    const seconds = this.byAgent.get(stretch.agent) ?? new Map<number, Set<Matched>>();
    this.byAgent.set(stretch.agent, seconds);
    const second = secondOf(stretch.from);
    const group = seconds.get(second);
    if (group) group.add(stretch);
    else seconds.set(second, new Set([stretch]));
    return stretch;
  }

  /** Those of an agent that begin then: of thousands at the same time each is looked at for each of the other side. */
  eachStartingIn(agent: string, from: number, to: number, look: (stretch: Matched) => void): void {
    const seconds = this.byAgent.get(agent);
    if (!seconds) return;
    for (let second = secondOf(from); second <= secondOf(to); second++) seconds.get(second)?.forEach(look);
  }

  remove(stretch: Matched): void {
    this.byId.delete(stretch.id);
    this.byNumber.delete(stretch.number);
    const seconds = this.byAgent.get(stretch.agent);
    const group = seconds?.get(secondOf(stretch.from));
    if (!group?.delete(stretch) || group.size > 0) return;
    seconds?.delete(secondOf(stretch.from));
    if (seconds?.size === 0) this.byAgent.delete(stretch.agent);
  }
}

/**
 * The last resort of correlation: a chain of thought that names no span belongs to an LLM call that names no
 * request if both are of one agent, the thought lies within the call, and there is no other choice on either
 * side. A function of the sets alone, so whoever is added or taken away says which requests to look at again.
 */
export class TimeMatch {
  private readonly calls = new Timeline();
  private readonly thoughts = new Timeline();

  /** The key of the span that the thought of a request belongs to. */
  callOf(requestId: string): string | undefined {
    const thought = this.thoughts.get(requestId);
    return thought && this.callOfThought(thought)?.id;
  }

  /**
   * @param facts undefined when the span is gone or cannot be matched
   * @returns requests to look at again: of thousands within the call, which have no call before and after, none
   */
  setCall(key: string, facts: SpanFacts | undefined): readonly string[] {
    const before = this.calls.get(key);
    const after = facts && callOf(key, facts);
    if (isSame(before, after)) return NONE;
    const callsBefore = new Map<Matched, string>();
    this.eachThoughtWithin([before, after], (thought) => {
      const call = this.callOfThought(thought);
      if (call) callsBefore.set(thought, call.id);
    });
    if (before) {
      this.eachThoughtWithin([before], (thought) => unmatch(before, thought));
      this.calls.remove(before);
    }
    const call = after && this.calls.add(after);
    if (call) this.eachThoughtWithin([call], (thought) => match(call, thought));
    const affected: string[] = [];
    this.eachThoughtWithin([before, call], (thought) => {
      if (this.callOfThought(thought)?.id !== callsBefore.get(thought)) affected.push(thought.id);
    });
    return affected;
  }

  /** @returns requests to look at again, itself among them */
  setThought(request: RequestEntry): readonly string[] {
    const { requestId } = request;
    const before = this.thoughts.get(requestId);
    const after = thoughtOf(request);
    const affected = [requestId];
    if (isSame(before, after)) return affected;
    if (before) {
      this.eachCallAround(before, (call) => {
        unmatch(call, before);
        if (call.matches === 1) affected.push(...idOf(this.thoughts.matchOf(call)));
      });
      this.thoughts.remove(before);
    }
    if (!after) return affected;
    const thought = this.thoughts.add(after);
    this.eachCallAround(thought, (call) => {
      match(call, thought);
      if (call.matches === 2) affected.push(...idOf(this.thoughts.matchOf(call, thought)));
    });
    return affected;
  }

  private eachCallAround(thought: Stretch, look: (call: Matched) => void): void {
    const { agent, from } = thought;
    this.calls.eachStartingIn(agent, from - MAX_CALL_SECONDS * 1000, from, (call) => {
      if (holds(call, thought)) look(call);
    });
  }

  /** One that lies within several of the calls comes as often. */
  private eachThoughtWithin(calls: readonly (Stretch | undefined)[], look: (thought: Matched) => void): void {
    for (const call of calls) {
      if (!call) continue;
      this.thoughts.eachStartingIn(call.agent, call.from, call.to, (thought) => {
        if (holds(call, thought)) look(thought);
      });
    }
  }

  /** The only call around a thought, if no other thought lies in it. */
  private callOfThought(thought: Matched): Matched | undefined {
    const call = thought.matches === 1 ? this.calls.matchOf(thought) : undefined;
    return call?.matches === 1 ? call : undefined;
  }
}

const NONE: readonly string[] = [];

function idOf(stretch: Stretch | undefined): readonly string[] {
  return stretch ? [stretch.id] : NONE;
}

function match(a: Matched, b: Matched): void {
  a.matches++;
  b.matches++;
  a.sum += b.number;
  b.sum += a.number;
}

function unmatch(a: Matched, b: Matched): void {
  a.matches--;
  b.matches--;
  a.sum -= b.number;
  b.sum -= a.number;
}

function isSame(a: Stretch | undefined, b: Stretch | undefined): boolean {
  if (!a || !b) return a === b;
  return a.agent === b.agent && a.from === b.from && a.to === b.to && a.taskId === b.taskId;
}

function holds(call: Stretch, thought: Stretch): boolean {
  const sameTask =
    call.taskId === undefined || thought.taskId === undefined || call.taskId === thought.taskId;
  return sameTask && call.from <= thought.from && thought.to <= call.to;
}

function callOf(key: string, { start, end, step }: SpanFacts): Stretch | undefined {
  const { agent, type, requestId, task } = step;
  if (type !== 'LLM_CALL' || requestId !== undefined || agent === undefined || end === undefined)
    return undefined;
  if (end - start > MAX_CALL_SECONDS * 1000) return undefined;
  const taskId = task?.rank === 0 ? task.id : undefined;
  return { id: key, agent: canonicalAgent(agent), from: start, to: end, taskId };
}

function thoughtOf(request: RequestEntry): Stretch | undefined {
  const parts = orderedParts(request);
  const isPlaced = parts.some((part) => part.traceId !== undefined || part.spanId !== undefined);
  if (parts.length === 0 || isPlaced || request.namedBy.size > 0) return undefined;
  return {
    id: request.requestId,
    agent: canonicalAgent(parts.find((part) => part.agent !== undefined)?.agent ?? DEFAULT_AGENT),
    from: firstOf(parts),
    to: parts.reduce((to, { last }) => Math.max(to, last), -Infinity),
    taskId: parts.find((part) => part.taskId !== undefined)?.taskId,
  };
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}
