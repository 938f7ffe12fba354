import type { ExplanationNode, NodeStatus } from '../model/node.ts';

/** Sums are whole numbers, so that they come out the same in any order and can be taken back. */
const PER_MS = 1000;
const PER_USD = 1e12;

/** Sums over a set of nodes that follow a change at once: what a SUMMARY and a task's overview show. */
export class Totals {
  members = 0;
  /** Members that are no REASONING: one LLM call is one step, however much it thought. */
  steps = 0;
  running = 0;
  readonly statuses: Record<NodeStatus, number> = { OK: 0, ERROR: 0, WARNING: 0, SKIPPED: 0 };
  readonly types = new Map<string, number>();
  readonly agents = new Map<string, number>();
  private timed = 0;
  private latency = 0;
  private priced = 0;
  private cost = 0;
  // What a container only repeats stands in its details, so every node's own figures add up.
  private readonly tokens = { in: 0, ofIn: 0, out: 0, ofOut: 0 };

  static of(node: ExplanationNode): Totals {
    return new Totals().addNode(node, 1);
  }

  addNode(node: ExplanationNode, sign: 1 | -1): this {
    this.members += sign;
    if (node.type !== 'REASONING') this.steps += sign;
    if (node.state === 'RUNNING') this.running += sign;
    this.statuses[node.status] += sign;
    count(this.types, node.type, sign);
    count(this.agents, node.agent, sign);
    if (node.latencyMs !== undefined) {
      this.timed += sign;
      this.latency += sign * Math.round(node.latencyMs * PER_MS);
    }
    const picos = node.costUsd === undefined ? 0 : Math.round(node.costUsd * PER_USD);
    if (node.costUsd !== undefined) {
      this.priced += sign;
      this.cost += sign * picos;
    }
    this.addTokens(node, sign);
    return this;
  }

  add(other: Totals, sign: 1 | -1): this {
    this.members += sign * other.members;
    this.steps += sign * other.steps;
    this.running += sign * other.running;
    this.statuses.OK += sign * other.statuses.OK;
    this.statuses.ERROR += sign * other.statuses.ERROR;
    this.statuses.WARNING += sign * other.statuses.WARNING;
    this.statuses.SKIPPED += sign * other.statuses.SKIPPED;
    for (const [type, n] of other.types) count(this.types, type, sign * n);
    for (const [agent, n] of other.agents) count(this.agents, agent, sign * n);
    this.timed += sign * other.timed;
    this.latency += sign * other.latency;
    this.priced += sign * other.priced;
    this.cost += sign * other.cost;
    const [tokens, more] = [this.tokens, other.tokens];
    tokens.in += sign * more.in;
    tokens.ofIn += sign * more.ofIn;
    tokens.out += sign * more.out;
    tokens.ofOut += sign * more.ofOut;
    return this;
  }

  clone(): Totals {
    return new Totals().add(this, 1);
  }

  /** Milliseconds; undefined when no member has a latency. */
  get avgLatencyMs(): number | undefined {
    return this.timed === 0 ? undefined : Math.round(this.latency / this.timed) / PER_MS;
  }

  /** US dollars, of all members. */
  get costUsd(): number | undefined {
    return this.priced === 0 ? undefined : Math.round(this.cost / 1000) / 1e9;
  }

  get tokensIn(): number | undefined {
    return this.tokens.ofIn === 0 ? undefined : this.tokens.in;
  }

  get tokensOut(): number | undefined {
    return this.tokens.ofOut === 0 ? undefined : this.tokens.out;
  }

  private addTokens({ tokensIn, tokensOut }: ExplanationNode, sign: 1 | -1): void {
    const { tokens } = this;
    if (tokensIn !== undefined) {
      tokens.ofIn += sign;
      tokens.in += sign * tokensIn;
    }
    if (tokensOut !== undefined) {
      tokens.ofOut += sign;
      tokens.out += sign * tokensOut;
    }
  }
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const n = (counts.get(key) ?? 0) + by;
  if (n === 0) counts.delete(key);
  else counts.set(key, n);
}
