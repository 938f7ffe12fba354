import { isEntry, type Branch } from './entry.ts';
import type { Reason } from './summary-node.ts';
import { Totals } from './totals.ts';

/** In the order of the names by which they are known. */
export function inOrder(branches: ReadonlySet<Branch>): Branch[] {
  return [...branches].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** Smaller than any node id, so that what hangs on no step gives the name to all that it is joined with. */
export function nameOf(branch: Branch): string {
  return isEntry(branch) ? branch.node.id : '';
}

export function anchorName(taskId: string, branches: ReadonlySet<Branch>): string {
  const [first] = inOrder(branches).map(nameOf);
  return first === undefined || first === '' ? `task:${taskId}` : first;
}

/** Of steps below which nothing is kept. */
export function totalsBelow(branches: ReadonlySet<Branch>): Totals {
  const totals = new Totals();
  for (const branch of branches) {
    if (branch.totals) totals.add(branch.totals, 1);
    if (branch.totals && isEntry(branch)) totals.addNode(branch.node, -1);
  }
  return totals;
}

/** How many siblings are looked at for the order of the steps of a loop. */
const LOOP_LOOK = 64;

export function whyFolded(branches: ReadonlySet<Branch>, reason: Reason['reason']): Reason {
  if (reason === 'limit') return { reason };
  const names = new Set<string>();
  let times = 0;
  for (const branch of inOrder(branches)) {
    const folded = [...(branch.repetitions?.values() ?? [])].filter((one) => one.folded > 0);
    for (const one of folded) times = Math.max(times, one.folded);
    let looks = LOOP_LOOK;
    if (folded.length > 0)
      for (const { repetition } of branch.kids ?? []) {
        if (repetition && repetition.folded > 0) names.add(repetition.name);
        if (--looks === 0) break;
      }
    for (const name of folded.map((one) => one.name).sort()) names.add(name);
  }
  return names.size === 0
    ? { reason: 'routine' }
    : { reason: 'repeated', loop: { names: [...names], times } };
}
