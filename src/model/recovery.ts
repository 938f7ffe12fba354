import { isAfter, startOf, timesOf, type Times } from './in-time.ts';
import type { ExplanationNode } from './node.ts';

/** The attempts at one thing that were given the same. */
interface Attempts {
  /** Epoch ms: when the last one began that went well. */
  well: number;
  /** From the start of the last one that failed to the last of their ends. */
  failed: Times | undefined;
}

/** The attempts at one thing, by what they were given. */
type Thing = Map<unknown, Attempts>;

/** Whether what failed went well when it was done again: the one notion of it. Steps come in any order. */
export class Recovery {
  /** By agent, then by the tool or name. */
  private readonly things = new Map<string, Map<string, Thing>>();
  private hasFailedRoot = false;

  /** @param start that of the node, epoch ms */
  add(node: ExplanationNode, start: number, isRoot: boolean): void {
    if (node.status !== 'ERROR') return this.addWell(node, start);
    if (isRoot) this.hasFailedRoot = true;
    const attempts = this.attemptsOf(node);
    attempts.failed = together(attempts.failed, timesOf(node));
  }

  /** What did not end well counts for nothing. */
  addWell(node: ExplanationNode, start = startOf(node)): void {
    if (node.status !== 'OK' || node.state !== 'ENDED') return;
    const attempts = this.attemptsOf(node);
    if (start > attempts.well) attempts.well = start;
  }

  /** Did one go well that began after this one had failed? */
  wentWell(failed: ExplanationNode): boolean {
    const thing = this.things.get(failed.agent)?.get(toolOf(failed));
    return thing !== undefined && wentWell(thing, givenTo(failed), timesOf(failed));
  }

  /** Something failed, no root did, and all that failed went well later. */
  get isComplete(): boolean {
    if (this.hasFailedRoot) return false;
    let hasFailed = false;
    for (const ofAgent of this.things.values()) {
      for (const thing of ofAgent.values()) {
        for (const [given, { failed }] of thing) {
          if (failed === undefined) continue;
          if (!wentWell(thing, given, failed)) return false;
          hasFailed = true;
        }
      }
    }
    return hasFailed;
  }

  private attemptsOf(node: ExplanationNode): Attempts {
    const ofAgent = heldIn(this.things, node.agent, newMap);
    const thing = heldIn(ofAgent, toolOf(node), newMap);
    return heldIn(thing, givenTo(node), newAttempts);
  }
}

/** Did one agent use one tool, else do what has one name, and not with other arguments, as far as these are known? */
export function isSameAttempt(a: ExplanationNode, b: ExplanationNode): boolean {
  const [given, other] = [givenTo(a), givenTo(b)];
  const isSameThing = a.agent === b.agent && toolOf(a) === toolOf(b);
  return isSameThing && (given === undefined || other === undefined || given === other);
}

export function toolOf({ name, details }: ExplanationNode): string {
  const tool = details?.['toolName'];
  return typeof tool === 'string' ? tool : name;
}

/** Undefined where it is not known. */
function givenTo({ details }: ExplanationNode): unknown {
  return details?.['argumentsHash'];
}

function wentWell(thing: Thing, given: unknown, failed: Times): boolean {
  const may = given === undefined ? thing.values() : [thing.get(given), thing.get(undefined)];
  let start = -Infinity;
  for (const attempts of may) start = Math.max(start, attempts?.well ?? start);
  return isAfter({ start }, failed);
}

function together(a: Times | undefined, b: Times): Times {
  if (a === undefined) return b;
  const end = a.end === undefined || b.end === undefined ? undefined : Math.max(a.end, b.end);
  return { start: Math.max(a.start, b.start), end };
}

function heldIn<K, V>(map: Map<K, V>, key: K, make: () => NoInfer<V>): V {
  const held = map.get(key);
  if (held !== undefined) return held;
  const made = make();
  map.set(key, made);
  return made;
}

function newMap<K, V>(): Map<K, V> {
  return new Map();
}

function newAttempts(): Attempts {
  return { well: -Infinity, failed: undefined };
}
