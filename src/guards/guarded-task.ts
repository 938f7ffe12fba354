import type { GraphReader } from '../graph/graph-reader.ts';
import { fitsAny, type Guard } from './guard.ts';
import type { GuardedStep } from './guarded-step.ts';
import { Scope } from './scope.ts';

/** Guards that count the same steps. */
interface Counting {
  readonly agents: readonly string[] | undefined;
  readonly per: Guard['per'];
  readonly guards: Guard[];
  /** By agent; of a task one, without a name. */
  readonly scopes: Map<string, Scope>;
}

/** A task as its guards see it: a picture of what the graph has of it, which can be made anew from there. */
export class GuardedTask {
  readonly id: string;
  readonly steps = new Map<string, GuardedStep>();
  /** Something of it began or ended of late: what lies there as history is nobody's concern. */
  isLive = false;
  /** Epoch milliseconds at which it has to be judged though nothing comes. */
  dueAt = Infinity;
  private readonly countings: readonly Counting[];

  constructor(id: string, guards: readonly Guard[]) {
    this.id = id;
    const countings = new Map<string, Counting>();
    for (const guard of guards) {
      const { agents, per } = guard;
      const key = JSON.stringify([per, agents]);
      const counting = countings.get(key) ?? { agents, per, guards: [], scopes: new Map<string, Scope>() };
      counting.guards.push(guard);
      countings.set(key, counting);
    }
    this.countings = [...countings.values()];
  }

  /** @param at when it came */
  add(step: GuardedStep, at: number): void {
    this.steps.set(step.node.id, step);
    for (const scope of this.scopesOf(step)) scope.add(step, at);
  }

  delete(step: GuardedStep): void {
    this.steps.delete(step.node.id);
    for (const scope of this.scopesOf(step)) scope.delete(step);
  }

  /** Does any step of it run? */
  get runs(): boolean {
    return this.countings.some(({ scopes }) => [...scopes.values()].some(({ running }) => running > 0));
  }

  /** Each guard with each group of steps that it judges. */
  *judged(): Generator<{ readonly guard: Guard; readonly scope: Scope }> {
    for (const { guards, scopes } of this.countings)
      for (const scope of scopes.values()) for (const guard of guards) yield { guard, scope };
  }

  /** All that came together is in. Agents that have no step any more are forgotten. */
  looked(): void {
    for (const { scopes } of this.countings)
      for (const [name, scope] of scopes)
        if (scope.size === 0) scopes.delete(name);
        else scope.looked();
  }

  /**
   * Brings up to date how deep steps lie, from these on down.
   * @param most deeper ones lie so deep
   */
  place(ids: Set<string>, graph: Pick<GraphReader, 'treeParent' | 'outEdges'>, most: number): void {
    for (const id of ids) {
      // What is found to be wrong again later is looked at again.
      ids.delete(id);
      const step = this.steps.get(id);
      if (!step) continue;
      const parent = this.steps.get(graph.treeParent(id) ?? '');
      const depth = Math.min(most, (parent?.depth ?? 0) + 1);
      const handed = parent !== undefined && parent.node.agent !== step.node.agent ? 1 : 0;
      const handovers = Math.min(most, (parent?.handovers ?? 0) + handed);
      if (depth === step.depth && handovers === step.handovers) continue;
      for (const scope of this.scopesOf(step)) scope.moved(step, { depth, handovers });
      step.depth = depth;
      step.handovers = handovers;
      for (const edge of graph.outEdges(id)) if (edge.evidence === 'parentSpanId') ids.add(edge.to);
    }
  }

  private *scopesOf({ node: { agent } }: GuardedStep): Generator<Scope> {
    for (const { agents, per, scopes } of this.countings) {
      if (!fitsAny(agents, agent)) continue;
      const name = per === 'agent' ? agent : '';
      let scope = scopes.get(name);
      if (!scope) scopes.set(name, (scope = new Scope(per === 'agent' ? agent : undefined)));
      yield scope;
    }
  }
}
