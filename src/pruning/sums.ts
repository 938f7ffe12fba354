import { joinBorders, NO_BORDER } from './border.ts';
import { branchOf, isEntry, type Branch, type Entry } from './entry.ts';
import { borderOfChunk, totalsOfChunk } from './siblings.ts';
import { Totals } from './totals.ts';

/** Marks the sums of a branch, and of all above it, as out of date. Stops at the first that is marked already. */
export function markDirty(branch: Branch): void {
  let at: Branch | undefined = branch;
  while (at && !at.isDirty) {
    at.isDirty = true;
    if (!isEntry(at)) return;
    if (at.chunk) at.chunk.notes = undefined;
    at = branchOf(at);
  }
}

/** Brings the sums of a branch and of all below it up to date. A changed step costs about as much as its run has siblings. */
export function sumUp(top: Branch): void {
  const dirty = top.isDirty ? [top] : [];
  for (const { kids } of dirty) {
    for (const { items, notes } of kids?.chunks ?? []) {
      if (notes === undefined) for (const kid of items) if (kid.isDirty) dirty.push(kid);
    }
  }
  for (const branch of dirty.toReversed()) sumUpOne(branch);
}

let ticks = 0;

/** Expects that the branches below are up to date. */
function sumUpOne(branch: Branch): void {
  const own = isEntry(branch) ? branch : undefined;
  branch.isDirty = false;
  // One counter for all trees, so that a tree that was dropped and grown again never has an earlier stamp.
  branch.stamp = ++ticks;
  branch.border = own?.ownBorder ?? NO_BORDER;
  branch.totals = own && !own.kids ? undefined : own ? Totals.of(own.node) : new Totals();
  const chunks = branch.kids?.chunks ?? [];
  for (const chunk of chunks) {
    // A single run needs no sum of its own beside that of the branch.
    if (chunks.length === 1) for (const kid of chunk.items) addKid(branch, kid);
    else {
      branch.totals?.add(totalsOfChunk(chunk), 1);
      branch.border = joinBorders(branch.border, borderOfChunk(chunk));
    }
  }
}

function addKid(branch: Branch, kid: Entry): void {
  if (kid.totals) branch.totals?.add(kid.totals, 1);
  else branch.totals?.addNode(kid.node, 1);
  branch.border = joinBorders(branch.border, kid.border);
}
