/** Of keys that name a span by its span id, without its trace. */
export const SPAN_ID_PREFIX = 'sid:';

/** Of keys that name a step by the id that its records share. */
export const STEP_ID_PREFIX = 'step-id:';

const NONE: ReadonlySet<string> = new Set();

/** Which nodes refer to a key, so that they are looked at again when it changes. */
export class Dependents {
  private readonly byKey = new Map<string, Set<string>>();
  private spanIdKeys = 0;
  private stepIdKeys = 0;

  /** Does any node refer to a span by its span id alone? Events do, and what says that it depends on another step. */
  get hasSpanIdKeys(): boolean {
    return this.spanIdKeys > 0;
  }

  /** Does any node refer to a step by its step id? Log records do. */
  get hasStepIdKeys(): boolean {
    return this.stepIdKeys > 0;
  }

  of(key: string): ReadonlySet<string> {
    return this.byKey.get(key) ?? NONE;
  }

  /** A node refers to `now` instead of `before`. */
  replace(nodeId: string, before: readonly string[], now: readonly string[]): void {
    for (const key of before) {
      if (now.includes(key)) continue;
      const nodes = this.byKey.get(key);
      if (!nodes?.delete(nodeId) || nodes.size > 0) continue;
      this.byKey.delete(key);
      this.count(key, -1);
    }
    for (const key of now) {
      const nodes = this.byKey.get(key);
      if (nodes) nodes.add(nodeId);
      else {
        this.byKey.set(key, new Set([nodeId]));
        this.count(key, 1);
      }
    }
  }

  private count(key: string, by: 1 | -1): void {
    if (key.startsWith(SPAN_ID_PREFIX)) this.spanIdKeys += by;
    else if (key.startsWith(STEP_ID_PREFIX)) this.stepIdKeys += by;
  }
}
