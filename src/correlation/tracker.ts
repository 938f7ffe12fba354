import { assert } from '../base/assert.ts';
import { countOf, listOf, minus, plus, type Few } from '../base/multimap.ts';
import type { Cell, NodeEntry } from './node-entry.ts';

/**
 * Who has to be looked at again when something changes. While a node is made, whatever it reads goes through a cell and
 * makes it a dependent of it; whoever changes what is in a cell says so, and its dependents are made anew: once, however
 * often it changes until then.
 */
export class Tracker {
  private node: NodeEntry | undefined;
  /** Cells that it has read now and had not read before. */
  private readonly found: Cell[] = [];
  private readonly changedCells = new Set<Cell>();

  /** Nobody is told of changes now. */
  isSilent = false;

  get hasChanges(): boolean {
    return this.changedCells.size > 0;
  }

  get isReading(): boolean {
    return this.node !== undefined;
  }

  /** Until `stop` the node reads what is read. */
  start(node: NodeEntry): void {
    this.node = node;
  }

  stop(): void {
    const { node, found } = this;
    this.node = undefined;
    if (node === undefined || found.length === 0) return;
    // Copied, since an array that was pushed to keeps unused capacity.
    node.reads = node.reads.length > 0 ? node.reads.concat(found) : found.slice();
    found.length = 0;
  }

  read(cell: Cell): void {
    const { node } = this;
    const { dependents } = cell;
    if (node === undefined || dependents === node) return;
    const before = countOf(dependents);
    cell.dependents = plus(dependents, node);
    if (countOf(cell.dependents) > before) this.found.push(cell);
  }

  /** The content of the cell changed. */
  changed(cell: Cell): void {
    if (cell.dependents !== undefined && !this.isSilent) this.changedCells.add(cell);
  }

  /** Of what changes meanwhile nobody is told. */
  silently(work: () => void): void {
    this.isSilent = true;
    try {
      work();
    } finally {
      this.isSilent = false;
    }
  }

  /** Who has read one cell has read the other in its place, and is not told. */
  move(from: Cell, to: Cell): void {
    const readers = listOf(from.dependents);
    from.dependents = undefined;
    this.changedCells.delete(from);
    for (const node of readers) {
      const at = node.reads.indexOf(from);
      assert(at >= 0, 'who depends on a cell has read it');
      node.reads[at] = to;
      to.dependents = plus(to.dependents, node);
    }
  }

  /** The nodes that read a cell that changed since the last call. */
  *takeDirty(): Generator<NodeEntry> {
    for (const cell of this.changedCells) {
      this.changedCells.delete(cell);
      yield* listOf(cell.dependents);
    }
  }

  /** Removes the node from the dependents of all it read: before it is made anew, or when it goes. */
  forget(node: NodeEntry): void {
    for (const cell of node.reads) {
      cell.dependents = minus(cell.dependents, node);
      if (cell.dependents === undefined && cell instanceof Slot && cell.values === undefined)
        cell.home.delete(cell.key);
    }
    node.reads = [];
  }
}

/** The cell of one key of an index; kept while the key has values or dependents. */
class Slot<V extends object> implements Cell {
  dependents: Cell['dependents'] = undefined;
  values: Few<V> = undefined;
  readonly key: string;
  readonly home: Map<string, Slot<V>>;

  constructor(key: string, home: Map<string, Slot<V>>) {
    this.key = key;
    this.home = home;
  }
}

/**
 * An index that is read while nodes are made, with several values to a key. Where the values are held elsewhere it has the
 * keys alone, and `changed` says when one has other values. A key with more than `max` values looks empty in `few`.
 */
export class TrackedMultimap<V extends object> {
  private readonly slots = new Map<string, Slot<V>>();
  private readonly tracker: Tracker;
  private readonly max: number;

  constructor(tracker: Tracker, max = Infinity) {
    this.tracker = tracker;
    this.max = max;
  }

  add(key: string, value: V): void {
    const slot = this.slot(key);
    slot.values = plus(slot.values, value);
    // Beyond `max + 1` the key looked empty before and does so now.
    if (countOf(slot.values) <= this.max + 1) this.tracker.changed(slot);
  }

  delete(key: string, value: V): void {
    const slot = this.slots.get(key);
    if (!slot) return;
    slot.values = minus(slot.values, value);
    if (countOf(slot.values) <= this.max) this.tracker.changed(slot);
    if (slot.values === undefined && slot.dependents === undefined) this.slots.delete(key);
  }

  few(key: string): readonly V[] {
    const values = this.read(key);
    return countOf(values) > this.max ? [] : listOf(values);
  }

  /** Makes the node that is being made a dependent of this key. @returns its values, however many */
  read(key: string): Few<V> {
    const slot = this.tracker.isReading ? this.slot(key) : this.slots.get(key);
    if (slot) this.tracker.read(slot);
    return slot?.values;
  }

  /** Who has read this reads the key from now on. */
  takeOver(key: string, from: Cell): void {
    if (from.dependents !== undefined) this.tracker.move(from, this.slot(key));
  }

  /** The values that are held elsewhere for this key changed. */
  changed(key: string): void {
    const slot = this.slots.size > 0 ? this.slots.get(key) : undefined;
    if (slot) this.tracker.changed(slot);
  }

  private slot(key: string): Slot<V> {
    let slot = this.slots.get(key);
    if (!slot) this.slots.set(key, (slot = new Slot(key, this.slots)));
    return slot;
  }
}
