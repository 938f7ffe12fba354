import { canonicalAgent, DEFAULT_AGENT } from '../model/agent.ts';
import type { SpanFacts } from '../model/facts.ts';
import { orderedParts, type RequestEntry } from './node-entry.ts';

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
    if (!thought) return undefined;
    const [call, other] = this.callsAround(thought);
    if (!call || other) return undefined;
    return this.thoughtsWithin(call).length === 1 ? call.id : undefined;
  }

  /** @param facts undefined when the span is gone or cannot be matched. @returns requests to look at again */
  setCall(key: string, facts: SpanFacts | undefined): string[] {
    const before = this.calls.get(key);
    const after = facts && callOf(key, facts);
    if (!before && !after) return [];
    const affected = before ? this.thoughtsWithin(before) : [];
    this.calls.set(key, after);
    if (after) affected.push(...this.thoughtsWithin(after));
    return affected.map((thought) => thought.id);
  }

  /** @returns requests to look at again, itself among them */
  setThought(request: RequestEntry): string[] {
    const { requestId } = request;
    const before = this.thoughts.get(requestId);
    const after = thoughtOf(request);
    const rivals = (thought: Stretch): string[] =>
      this.callsAround(thought).flatMap((call) => this.thoughtsWithin(call).map((other) => other.id));
    const affected = before ? rivals(before) : [];
    this.thoughts.set(requestId, after);
    if (after) affected.push(...rivals(after));
    affected.push(requestId);
    return affected;
  }

  private callsAround(thought: Stretch): Stretch[] {
    return this.calls
      .startingIn(thought.agent, thought.from - MAX_CALL_SECONDS * 1000, thought.from)
      .filter((call) => holds(call, thought));
  }

  private thoughtsWithin(call: Stretch): Stretch[] {
    return this.thoughts.startingIn(call.agent, call.from, call.to).filter((thought) => holds(call, thought));
  }
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
    from: Math.min(...parts.map((part) => part.first)),
    to: Math.max(...parts.map((part) => part.last)),
    taskId: parts.find((part) => part.taskId !== undefined)?.taskId,
  };
}

/** Stretches by agent and by the second in which they begin. */
class Timeline {
  private readonly byId = new Map<string, Stretch>();
  private readonly byAgent = new Map<string, Map<number, Set<Stretch>>>();

  get(id: string): Stretch | undefined {
    return this.byId.get(id);
  }

  set(id: string, stretch: Stretch | undefined): void {
    const held = this.byId.get(id);
    if (held) this.remove(held);
    if (!stretch) return;
    this.byId.set(id, stretch);
    const seconds = this.byAgent.get(stretch.agent) ?? new Map<number, Set<Stretch>>();
    this.byAgent.set(stretch.agent, seconds);
    const second = secondOf(stretch.from);
    const group = seconds.get(second);
    if (group) group.add(stretch);
    else seconds.set(second, new Set([stretch]));
  }

  startingIn(agent: string, from: number, to: number): Stretch[] {
    const seconds = this.byAgent.get(agent);
    const found: Stretch[] = [];
    if (!seconds) return found;
    for (let second = secondOf(from); second <= secondOf(to); second++) {
      for (const stretch of seconds.get(second) ?? []) found.push(stretch);
    }
    return found;
  }

  private remove(stretch: Stretch): void {
    this.byId.delete(stretch.id);
    const seconds = this.byAgent.get(stretch.agent);
    const group = seconds?.get(secondOf(stretch.from));
    if (!group?.delete(stretch) || group.size > 0) return;
    seconds?.delete(secondOf(stretch.from));
    if (seconds?.size === 0) this.byAgent.delete(stretch.agent);
  }
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}
