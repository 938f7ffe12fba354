import type { Clock } from '../../base/clock.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { AskedCell } from '../answers/asked-cell.ts';
import { hasThought } from '../owner.ts';

/** One that takes longer is taken for away; it is some milliseconds otherwise. Senders wait 5 s (the Collector) to 10 s (SDKs). */
const ASK_MS = 2_000;
/**
 * A cell that answered nothing in that time is not asked for so long: it holds up what is sent at one time, and not all that
 * comes after it, and is known to be away by then. One that answered some of it only had much to answer.
 */
const LEFT_OUT_MS = 5_000;
/** Nodes that are asked for at the same time, whoever sends: some megabytes of questions. More are taken as unknown. */
const MOST_ASKED = 2_000;
/** Of these so many for one sender: who names many that nobody knows leaves others theirs. */
const MOST_OF_ONE = 1_000;

/** The cells that have nodes, by their ids; those that no cell knows, or none in time, are left out. */
export type FindNodes = (
  nodeIds: ReadonlySet<string>,
  by: { readonly id: string; readonly project: string },
) => Promise<ReadonlyMap<string, string>>;

export interface NodeFinderOptions {
  /** To be asked for this project, in the order of names. */
  readonly cells: (project: string) => readonly AskedCell[];
  readonly clock: Clock;
}

/** Asks all cells which of them has a node, side by side. Nobody waits for one that is away. */
export class NodeFinder {
  private readonly options: NodeFinderOptions;
  /** By cell; monotonic. No more than cells were ever named. */
  private readonly leftOutUntil = new Map<string, number>();
  private asked = 0;
  /** The same by sender, while something is asked for it. */
  private readonly askedFor = new Map<string, number>();

  constructor(options: NodeFinderOptions) {
    this.options = options;
  }

  /** Takes as long as the slowest cell, and two seconds at most. Never rejects. */
  readonly find: FindNodes = async (nodeIds, { id: sender, project }) => {
    const { cells, clock } = this.options;
    const room = Math.min(MOST_ASKED - this.asked, MOST_OF_ONE - (this.askedFor.get(sender) ?? 0));
    const ids = [...nodeIds].slice(0, room);
    const now = clock.monotonic();
    const asked = cells(project).filter(
      ({ name, isAway }) => isAway !== true && now >= (this.leftOutUntil.get(name) ?? -Infinity),
    );
    this.count(sender, ids.length);
    const told = await Promise.all(asked.map((cell) => this.ask(cell, ids)));
    this.count(sender, -ids.length);
    const found = new Map<string, string>();
    // All of a thought is in one cell, so the one that has some of it goes first, whichever has the span.
    for (const isWanted of [hasThought, () => true])
      for (const [i, known] of told.entries())
        for (const [id, node] of known)
          if (!found.has(id) && isWanted(node)) found.set(id, asked[i]?.name ?? '');
    return found;
  };

  private count(sender: string, nodes: number): void {
    this.asked += nodes;
    const now = (this.askedFor.get(sender) ?? 0) + nodes;
    if (now > 0) this.askedFor.set(sender, now);
    else this.askedFor.delete(sender);
  }

  /** What the cell says of these nodes in time. */
  private async ask(
    { name, answers }: AskedCell,
    nodeIds: readonly string[],
  ): Promise<ReadonlyMap<string, ExplanationNode>> {
    const { clock } = this.options;
    const known = new Map<string, ExplanationNode>();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    let isHeard = false;
    const timer = clock.after(ASK_MS, () => {
      if (!isHeard) this.leftOutUntil.set(name, clock.monotonic() + LEFT_OUT_MS);
      resolve();
    });
    const all = nodeIds.map(async (id) => {
      // Whatever it fails with: the cell does not say that it has it.
      const detail = await answers.getNode(id, { limit: 1 }).catch(() => undefined);
      isHeard = true;
      if (detail) known.set(id, detail.node);
    });
    await Promise.race([Promise.all(all), late]);
    timer.cancel();
    return known;
  }
}
