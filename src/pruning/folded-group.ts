import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import { summaryId } from '../model/ids.ts';
import { anchorName, inOrder, nameOf, totalsBelow, whyFolded } from './branch-set.ts';
import { climber } from './climber.ts';
import { edgesOfPiece } from './edges-below.ts';
import { branchOf, byStart, isEntry, type Branch, type Entry } from './entry.ts';
import type { Contents, Group } from './fold.ts';
import { contentsOfRuns, isTooSmall, type GroupContext } from './group-context.ts';
import type { NodeCounter } from './match-counter.ts';
import {
  collect,
  firstStart,
  joined,
  membersOfPiece,
  stateOfPiece,
  totalsOfPiece,
  type Piece,
} from './siblings.ts';
import { summaryNode, type Reason } from './summary-node.ts';
import { Totals } from './totals.ts';
import type { Chunk } from './sorted-chunks.ts';

/** The steps below one shown step (or several that belong together), or neighbours among them. */
abstract class FoldedGroup implements Group {
  readonly id: string;
  readonly totals: Totals;
  protected readonly context: GroupContext;
  protected readonly branches: ReadonlySet<Branch>;
  protected readonly why: Reason;
  private readonly topOf = climber((entry) => this.branches.has(branchOf(entry)));
  private madeSummary: ExplanationNode | undefined;
  private madeContents: Contents | undefined;
  private madeState: { readonly state: string | undefined } | undefined;

  constructor(id: string, context: GroupContext, branches: ReadonlySet<Branch>, totals: Totals, why: Reason) {
    this.id = id;
    this.context = context;
    this.branches = branches;
    this.totals = totals;
    this.why = why;
  }

  get state(): string | undefined {
    this.madeState ??= { state: this.makeState() };
    return this.madeState.state;
  }

  get memberCount(): number {
    return this.totals.members;
  }

  get summary(): ExplanationNode {
    const { context, id, totals, why } = this;
    this.madeSummary ??= context.asBefore(
      summaryNode(id, context.taskId, firstStart(this.firstKids()), totals, why),
    );
    return this.madeSummary;
  }

  abstract pieces(): readonly Piece[];
  /** The first member below each of the branches. */
  protected abstract firstKids(): Iterable<Entry>;
  protected abstract extraInlets(): Iterable<ExplanationEdge>;
  protected abstract makeState(): string | undefined;
  protected abstract open(): Contents;
  protected abstract hasCounted(counter: NodeCounter): boolean;

  matches(counter: NodeCounter): boolean {
    const { entries, isFollowed } = this.context;
    if (isFollowed) return this.hasCounted(counter);
    return this.members(0, Infinity).some((id) => counter.passes(entries.get(id)));
  }

  contents(): Contents {
    this.madeContents ??= this.memberCount <= this.context.openAtOnce ? this.everyNode() : this.open();
    return this.madeContents;
  }

  has(id: string): boolean {
    const kid = this.kidAbove(id);
    return kid !== undefined && this.hasKid(kid);
  }

  inlets(): readonly ExplanationEdge[] {
    const inlets = [...this.extraInlets()];
    for (const { treeEdge } of this.firstKids()) if (treeEdge) inlets.push(treeEdge);
    return inlets;
  }

  members(offset: number, limit: number): string[] {
    const found: string[] = [];
    let skip = offset;
    for (const piece of this.pieces()) {
      if (found.length >= limit) break;
      const count = membersOfPiece(piece);
      if (skip >= count) skip -= count;
      else skip = collect(piece.kids, skip, limit, found);
    }
    return found;
  }

  /** Do edges beside the tree lead in from elsewhere? */
  protected hasExtraInlets(): boolean {
    for (const { from, to } of this.extraInlets()) if (this.has(to) && !this.has(from)) return true;
    return false;
  }

  protected abstract hasKid(kid: Entry): boolean;

  /** The member on the first level that a node is, or is below. */
  protected kidAbove(id: string): Entry | undefined {
    const entry = this.context.entries.get(id);
    const top = entry && this.topOf(entry);
    return top && this.branches.has(branchOf(top)) && !this.context.kept.has(top) ? top : undefined;
  }

  /** First-level members as nodes, and summaries of what is below each. */
  protected kidsAndBelow(): Contents {
    const { context, why } = this;
    const nodes = new Set<string>();
    const parts = new Map<string, Group>();
    for (const { kids } of this.pieces()) {
      for (const kid of kids) {
        nodes.add(kid.node.id);
        if (!kid.kids) continue;
        const below = new GroupBelow(context, new Set([kid]), why.reason);
        if (isTooSmall(below.totals, why.reason)) for (const id of below.members(0, Infinity)) nodes.add(id);
        else parts.set(below.id, below);
      }
    }
    const partWith = (id: string): Group | undefined => {
      const kid = nodes.has(id) ? undefined : this.kidAbove(id);
      return kid && parts.get(summaryId(kid.node.id));
    };
    return { nodes, parts, partWith };
  }

  /**
   * Runs of these pieces, none of them longer than what is opened at once.
   *
   * @param topLevel of how many levels; 0 for as many as it takes until there are no more than are opened at once
   */
  protected runsOf(pieces: readonly Piece[], topLevel: number): Contents {
    const { openAtOnce } = this.context;
    let runs = pieces.map((piece) => [piece]);
    let level = 1;
    const goesOn = (): boolean => (topLevel === 0 ? runs.length > openAtOnce : level < topLevel);
    while (goesOn()) runs = joined(runs, ++level, openAtOnce);
    const parts = runs.map((run) => new Run(this.context, this.branches, run, level, this.why));
    return contentsOfRuns(parts, this.why.reason, (id) => this.kidAbove(id));
  }

  private everyNode(): Contents {
    return { nodes: new Set(this.members(0, Infinity)), parts: new Map(), partWith: () => undefined };
  }
}

/** Everything folded below some branches. */
export class GroupBelow extends FoldedGroup {
  private madePieces: readonly Piece[] | undefined;
  private kidCount = 0;

  constructor(
    context: GroupContext,
    branches: ReadonlySet<Branch>,
    reason: Reason['reason'],
    totals = totalsBelow(branches),
  ) {
    const id = summaryId(anchorName(context.taskId, branches));
    super(id, context, branches, totals, whyFolded(branches, reason));
  }

  protected makeState(): string | undefined {
    const { context, branches, why } = this;
    const isOutside = (id: string): boolean => context.entries.get(id)?.node.taskId !== context.taskId;
    const [branch] = branches;
    // Below a folded step: others of its summary may be hidden, or shown, that lead here.
    const isInner = branch !== undefined && isEntry(branch) && !context.kept.has(branch);
    if (isInner && this.hasExtraInlets()) return undefined;
    if (context.inletsBelow(branches).some(({ from, to }) => isOutside(from) || isOutside(to)))
      return undefined;
    const of = (one: Branch): unknown => [
      nameOf(one),
      one.stamp,
      context.keptBelow(one).map(({ node }) => node.id),
    ];
    return JSON.stringify([why.reason, inOrder(branches).map(of)]);
  }

  pieces(): readonly Piece[] {
    if (this.madePieces) return this.madePieces;
    const { kept, openAtOnce } = this.context;
    const keptIn = new Set<Chunk<Entry>>();
    for (const { chunk } of kept) if (chunk) keptIn.add(chunk);
    const pieces: Piece[] = [];
    for (const branch of inOrder(this.branches)) {
      for (const chunk of branch.kids?.chunks ?? []) {
        const kids = keptIn.has(chunk) ? chunk.items.filter((kid) => !kept.has(kid)) : chunk.items;
        this.kidCount += kids.length;
        if (kids.length > 0 && kids.length <= openAtOnce) pieces.push({ chunk, kids });
        else
          for (let at = 0; at < kids.length; at += openAtOnce)
            pieces.push({ chunk, kids: kids.slice(at, at + openAtOnce) });
      }
    }
    this.madePieces = pieces;
    return pieces;
  }

  protected hasCounted(counter: NodeCounter): boolean {
    let count = 0;
    for (const branch of this.branches) {
      count += counter.countBelow(branch);
      for (const kid of this.context.keptBelow(branch)) count -= counter.countFrom(kid);
    }
    return count > 0;
  }

  protected *firstKids(): Generator<Entry> {
    for (const branch of this.branches) {
      for (const kid of branch.kids ?? []) {
        if (this.context.kept.has(kid)) continue;
        yield kid;
        break;
      }
    }
  }

  protected extraInlets(): Iterable<ExplanationEdge> {
    return this.context.inletsBelow(this.branches);
  }

  protected open(): Contents {
    const pieces = this.pieces();
    return this.kidCount <= this.context.openAtOnce ? this.kidsAndBelow() : this.runsOf(pieces, 0);
  }

  protected hasKid(): boolean {
    return true;
  }
}

/** Neighbours among what is folded below some branches. */
class Run extends FoldedGroup {
  private readonly list: readonly Piece[];
  private readonly level: number;

  constructor(
    context: GroupContext,
    branches: ReadonlySet<Branch>,
    pieces: readonly Piece[],
    level: number,
    why: Reason,
  ) {
    const totals = new Totals();
    for (const piece of pieces) totals.add(totalsOfPiece(piece), 1);
    super(summaryId(`part:${level}:${pieces[0]?.kids[0]?.node.id ?? ''}`), context, branches, totals, why);
    this.list = pieces;
    this.level = level;
  }

  protected makeState(): string | undefined {
    if (this.hasExtraInlets()) return undefined;
    return JSON.stringify([this.why.reason, this.list.map(stateOfPiece)]);
  }

  pieces(): readonly Piece[] {
    return this.list;
  }

  protected hasCounted(counter: NodeCounter): boolean {
    return this.list.some(({ kids }) => kids.some((kid) => counter.countFrom(kid) > 0));
  }

  protected *firstKids(): Generator<Entry> {
    const seen = new Set<Branch>();
    for (const { kids } of this.list) {
      const [kid] = kids;
      if (!kid || seen.has(branchOf(kid))) continue;
      seen.add(branchOf(kid));
      yield kid;
    }
  }

  protected *extraInlets(): Generator<ExplanationEdge> {
    for (const piece of this.list) yield* edgesOfPiece(piece);
  }

  protected open(): Contents {
    return this.level === 1 ? this.kidsAndBelow() : this.runsOf(this.list, this.level - 1);
  }

  protected hasKid(kid: Entry): boolean {
    return this.list.some(
      ({ chunk, kids }) =>
        chunk === kid.chunk && byStart(kids[0] ?? kid, kid) <= 0 && byStart(kid, kids.at(-1) ?? kid) <= 0,
    );
  }
}
