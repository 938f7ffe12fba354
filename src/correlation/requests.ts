import type { IsOver } from '../base/in-turns.ts';
import type { CotText } from '../model/facts.ts';
import { spanKey } from '../model/ids.ts';
import type { RequestEntry, SpanEntry, StepEntry } from './node-entry.ts';
import { preferCot } from './prefer-facts.ts';
import { membersOf } from './request-members.ts';
import { TimeMatch } from './time-match.ts';

export interface RequestsOptions {
  readonly spans: ReadonlyMap<string, SpanEntry>;
  /** Told of a span whose `memberOf` is another now. */
  readonly onMoved: (span: SpanEntry) => void;
  /** Told of a request whose thought or members may be others. */
  readonly onChanged: (request: RequestEntry) => void;
}

/** Requests by their ids: who names them, what was thought, and which spans are folded into their nodes. */
export class Requests {
  private readonly byId = new Map<string, RequestEntry>();
  private readonly timeMatch = new TimeMatch();
  /** From the first thought on: without thoughts there is no need to know which calls ran when. */
  private matchesByTime = false;
  /** Span keys to the requests whose chain of thought points at them. */
  private readonly pointedAt = new Map<string, Set<string>>();
  /** Spans that may be the calls of other thoughts now: matched once for all that changes together, since each looks at all thoughts in it. */
  private readonly callsToMatch = new Set<string>();
  /** Requests whose members may be others: worked out once for all that changes together, since each looks at all spans. */
  private readonly stale = new Set<string>();
  private readonly options: RequestsOptions;

  constructor(options: RequestsOptions) {
    this.options = options;
  }

  all(): Iterable<RequestEntry> {
    return this.byId.values();
  }

  /** What is known of the same part of a chain of thought. */
  partOf({ requestId, part }: CotText): CotText | undefined {
    return this.byId.get(requestId)?.parts.get(part);
  }

  /** A part of a chain of thought. Nothing happens when it says nothing new. */
  addCot(cot: CotText): void {
    const request = this.request(cot.requestId);
    const held = request.parts.get(cot.part);
    if (held && preferCot(held, cot) === held) return;
    request.parts.set(cot.part, cot);
    const pointing = new Set([cot.requestId]);
    if (held) this.stopPointing(request, held, pointing);
    const key = targetOf(cot);
    if (key !== undefined) {
      const others = this.pointedAt.get(key) ?? new Set<string>();
      this.pointedAt.set(key, others.add(cot.requestId));
      // From the second one on none has the span to itself, so a third takes nothing from anybody.
      if (others.size <= 2) for (const other of others) pointing.add(other);
    }
    for (const requestId of pointing) this.stale.add(requestId);
    for (const part of [held, cot]) {
      const target = part && targetOf(part);
      if (target !== undefined) this.callsToMatch.add(target);
    }
    this.matchThought(request);
    this.options.onChanged(request);
  }

  /** A span is new, or says something else. @param before the request that it named until now */
  spanChanged(span: SpanEntry, before: string | undefined): void {
    const now = span.facts.step.requestId;
    if (before !== undefined && before !== now) {
      const other = this.byId.get(before);
      other?.namedBy.delete(span.key);
      if (other) this.matchThought(other);
      this.stale.add(before);
    }
    if (now !== undefined) {
      const request = this.request(now);
      request.namedBy.add(span.key);
      this.matchThought(request);
    }
    if (this.pointedAt.size > 0) this.refreshOnly(span.key);
    if (this.matchesByTime) this.callsToMatch.add(span.key);
  }

  /** Forgets a span that goes; `lookAgain` has to follow when all that goes with it is gone. */
  forgetSpan({ key, facts }: SpanEntry): void {
    const { requestId } = facts.step;
    if (requestId === undefined) return;
    const request = this.byId.get(requestId);
    request?.namedBy.delete(key);
    if (request && request.namedBy.size === 0 && request.parts.size === 0) this.byId.delete(requestId);
  }

  /** Forgets what was thought. @returns the keys of the spans that it pointed at, for `lookAgain` */
  forgetThought(request: RequestEntry): readonly string[] {
    const targets = [...request.parts.values()].map(targetOf).filter((key) => key !== undefined);
    for (const target of targets) {
      const others = this.pointedAt.get(target);
      if (others?.delete(request.requestId) && others.size === 0) this.pointedAt.delete(target);
    }
    request.parts.clear();
    request.members = new Set();
    // Spans that name the request but have nodes of their own may still need it.
    if (request.namedBy.size === 0) this.byId.delete(request.requestId);
    return targets;
  }

  /** Works out anew what spans that went, and thoughts that pointed at spans, leave to others. */
  lookAgain(gone: readonly string[], targets: readonly string[], request: RequestEntry | undefined): void {
    for (const key of gone) this.matchCall(key);
    for (const target of targets) {
      this.refreshOnly(target);
      this.matchCall(target);
    }
    if (request) this.matchThought(request);
  }

  /** Spans and thoughts left memory: no request that stays is looked at again for it. */
  leave(gone: readonly StepEntry[], targets: readonly string[], request: RequestEntry | undefined): void {
    const stale = new Set(this.stale);
    this.lookAgain(
      gone.map(({ key }) => key),
      targets,
      request,
    );
    for (const requestId of this.stale) if (!stale.has(requestId)) this.stale.delete(requestId);
  }

  /**
   * Folds spans into the nodes of requests as everything says that came since the last time.
   * @param isLate asked after each whether to leave the rest for the next call
   * @returns whether nothing is left
   */
  settle(isLate: IsOver): boolean {
    for (const key of this.callsToMatch) {
      this.callsToMatch.delete(key);
      this.matchCall(key);
      if (isLate()) return false;
    }
    for (const requestId of this.stale) {
      this.stale.delete(requestId);
      this.refresh(requestId);
      if (isLate()) return false;
    }
    return true;
  }

  /** The request that has a span to itself, if only one points at it. */
  private refreshOnly(target: string): void {
    const pointing = this.pointedAt.get(target);
    if (pointing?.size === 1) for (const requestId of pointing) this.stale.add(requestId);
  }

  /** A span may now be, or no longer be, the call of a thought that names no span. */
  private matchCall(key: string): void {
    if (!this.matchesByTime) return;
    const known = this.pointedAt.has(key) ? undefined : this.options.spans.get(key)?.facts;
    // Whose thought a retold call was is told.
    const facts = known?.step.retold === undefined ? known : undefined;
    for (const id of this.timeMatch.setCall(key, facts)) this.stale.add(id);
  }

  private matchThought(request: RequestEntry): void {
    if (!this.matchesByTime && request.parts.size > 0) {
      this.matchesByTime = true;
      for (const key of this.options.spans.keys()) this.callsToMatch.add(key);
    }
    for (const id of this.timeMatch.setThought(request)) this.stale.add(id);
  }

  /** A part now says something else: unless another part still points there, the span is free for the others. */
  private stopPointing(request: RequestEntry, before: CotText, pointing: Set<string>): void {
    const key = targetOf(before);
    if (key === undefined || [...request.parts.values()].some((part) => targetOf(part) === key)) return;
    const others = this.pointedAt.get(key);
    others?.delete(request.requestId);
    if (others?.size === 1) for (const other of others) pointing.add(other);
    if (others?.size === 0) this.pointedAt.delete(key);
  }

  /** Works out anew which spans are folded into the request's node, and moves those that changed. */
  private refresh(requestId: string): void {
    const request = this.byId.get(requestId);
    if (!request) return;
    const { spans, onMoved, onChanged } = this.options;
    const named = membersOf(request, spans, this.pointedAt);
    const call = named.size === 0 ? this.timeMatch.callOf(requestId) : undefined;
    const members = call === undefined ? named : new Set([call]);
    request.byTime = call !== undefined;
    const before = request.members;
    request.members = members;
    for (const key of before) {
      const span = spans.get(key);
      // It may have gone to another request already.
      if (!span || members.has(key) || span.memberOf !== requestId) continue;
      span.memberOf = undefined;
      onMoved(span);
    }
    for (const key of members) {
      const span = spans.get(key);
      if (!span || span.memberOf === requestId) continue;
      span.memberOf = requestId;
      onMoved(span);
    }
    if (members.size > 0 || request.parts.size > 0) onChanged(request);
  }

  private request(requestId: string): RequestEntry {
    const held = this.byId.get(requestId);
    if (held) return held;
    const request: RequestEntry = {
      requestId,
      namedBy: new Set(),
      members: new Set(),
      byTime: false,
      parts: new Map(),
    };
    this.byId.set(requestId, request);
    return request;
  }
}

/** The span that a chain of thought points at. */
function targetOf({ traceId, spanId }: CotText): string | undefined {
  return traceId === undefined || spanId === undefined ? undefined : spanKey(traceId, spanId);
}
