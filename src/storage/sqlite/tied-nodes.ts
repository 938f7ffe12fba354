import type { Facts } from '../../model/facts.ts';
import { GROUP_SIZE, groupOf, isRootsTie, parentTie, tiesOf, type Tie } from '../../model/ties.ts';
import type { TiedRoom } from '../record-store.ts';
import type { Database } from './database.ts';
import { recordsOf } from './left-node.ts';

/** Nodes that left memory, by the ids of their rows. */
export interface TiedRows {
  /** Of which requests this is all, in order; of the first at least. */
  readonly answered: readonly number[];
  readonly nodes: readonly { readonly id: number; readonly name: string }[];
  readonly tasks: readonly string[];
  /** All that lead to them. */
  readonly ties: readonly Tie[];
}

/** The thread appends in between: then the rest is asked for again. */
const BATCH_MS = 20;
/** Of what is nearest so many nodes come in any case: a chain of parents is shorter than that. */
const MAX_NEAREST = 1000;
/** And not more of them than this once there is one: a thought may have any length. */
const MAX_NEAREST_BYTES = 32 * 1024 * 1024;

interface Found {
  readonly name: string;
  readonly task: number;
  /** The name of the task. */
  readonly of: string;
  /** Of the facts of its records. */
  readonly bytes: number;
}

/**
 * What left memory and is tied to something that came: first the nodes themselves with those above them, then all of their
 * traces and requests, then their tasks, and what is tied to these in turn, where there is room for all of that.
 * @param asked ties of one request after the other. Each gets what it would get alone: where there is no room for it beside
 *   those before, it is left for another time, and who needs less does not wait for it; so are those after `BATCH_MS`
 */
export function tiedNodes(
  database: Database,
  asked: readonly (readonly Tie[])[],
  room: TiedRoom,
  without: readonly string[],
): TiedRows {
  const left = new LeftNodes(database, without);
  const all = new Map<number, Found>();
  const groups = new Set<Tie>();
  const until = performance.now() + BATCH_MS;
  const answered: number[] = [];
  for (const [index, ties] of asked.entries()) {
    if (answered.length > 0 && performance.now() > until) break;
    const nearest = nearestOf(left, ties);
    const own = new Set(ties.map(groupOf));
    const isThere =
      nearest.size > 0 &&
      [...nearest.keys()].every((id) => all.has(id)) &&
      [...own].every((group) => groups.has(group));
    if (!isThere) {
      const wide = new Map(nearest);
      const isWhole = widen(left, wide, own, {
        nodes: room.nodes - all.size,
        bytes: room.bytes - bytesOf(all),
      });
      if (!isWhole && all.size > 0) continue;
      for (const [id, node] of isWhole ? wide : nearest) all.set(id, node);
      for (const group of isWhole ? own : []) groups.add(group);
    }
    answered.push(index);
  }
  return {
    answered,
    nodes: [...all].map(([id, { name }]) => ({ id, name })),
    tasks: [...new Set([...all.values()].map(({ of }) => of))],
    ties: [...all.keys()].flatMap((id) => left.tiesOf(id)),
  };
}

/** Has anything that left memory one of these ties, or one of their groups? */
export function isTied(database: Database, ties: readonly Tie[]): boolean {
  const left = new LeftNodes(database, []);
  return ties.some((tie) => left.between(groupOf(tie), groupOf(tie) + GROUP_SIZE - 1, 1).length > 0);
}

function bytesOf(nodes: ReadonlyMap<number, Found>): number {
  return [...nodes.values()].reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The nodes of records that are named, and those above them. */
function nearestOf(left: LeftNodes, asked: readonly Tie[]): Map<number, Found> {
  const found = new Map<number, Found>();
  const ties = new Set(asked);
  let bytes = 0;
  for (const tie of ties) {
    const ids = left.between(tie, tie, MAX_NEAREST);
    // Of so many roots one says which task it is; else each root that comes would have a thousand others come.
    const some = isRootsTie(tie) && ids.length === MAX_NEAREST ? ids.slice(0, 1) : ids;
    for (const id of some) {
      const node = found.size < MAX_NEAREST && !found.has(id) ? left.node(id) : undefined;
      if (!node || (found.size > 0 && bytes + node.bytes > MAX_NEAREST_BYTES)) continue;
      found.set(id, node);
      bytes += node.bytes;
      for (const above of left.parentsOf(id)) ties.add(above);
    }
  }
  return found;
}

/**
 * Adds to the nodes and to the groups of ties all that is tied to them.
 * @returns false when it would be more than there is room for
 */
function widen(left: LeftNodes, all: Map<number, Found>, groups: Set<Tie>, room: TiedRoom): boolean {
  const max = room.nodes;
  const tasks = new Set<number>();
  let bytes = bytesOf(all);
  const add = (id: number): boolean => {
    const node = all.has(id) ? undefined : left.node(id);
    if (!node) return true;
    all.set(id, node);
    bytes += node.bytes;
    return all.size <= max && bytes <= room.bytes;
  };
  for (const { task } of all.values()) tasks.add(task);
  // Mostly it is a task that is too large, and to see that costs little before its nodes are looked at.
  if ([...tasks].some((task) => left.ofTask(task, max + 1).length > max)) return false;
  const looked = { nodes: new Set<number>(), groups: new Set<Tie>(), tasks: new Set<number>() };
  for (let before = -1; before < looked.nodes.size;) {
    before = looked.nodes.size;
    for (const group of newOf(groups, looked.groups)) {
      const ids = left.between(group, group + GROUP_SIZE - 1, max + 1);
      if (ids.length > max || !ids.every(add)) return false;
    }
    for (const { task } of all.values()) tasks.add(task);
    for (const task of newOf(tasks, looked.tasks)) {
      const ids = left.ofTask(task, max + 1);
      if (ids.length > max || !ids.every(add)) return false;
    }
    for (const id of newOf(all.keys(), looked.nodes))
      for (const tie of left.tiesOf(id)) groups.add(groupOf(tie));
  }
  return true;
}

function* newOf<T>(of: Iterable<T>, looked: Set<T>): Generator<T> {
  for (const one of of) {
    if (looked.has(one)) continue;
    looked.add(one);
    yield one;
  }
}

class LeftNodes {
  private readonly database: Database;
  private readonly without: ReadonlySet<string>;

  constructor(database: Database, without: readonly string[]) {
    this.database = database;
    this.without = new Set(without);
  }

  /** Undefined for one that may not come. */
  node(id: number): Found | undefined {
    const row = this.database
      .sql(
        `SELECT node.name AS name, task, task.name AS of,
           (SELECT sum(octet_length(facts)) FROM record JOIN body ON body.id = record.id
            WHERE holder = node.id AND holder <> 0) AS bytes
         FROM node JOIN task ON task.id = node.task
         WHERE node.id = ? AND node.name IS NOT NULL AND task.name IS NOT NULL`,
      )
      .get(id);
    if (!row || this.without.has(String(row['of']))) return undefined;
    return {
      name: String(row['name']),
      task: Number(row['task']),
      of: String(row['of']),
      bytes: Number(row['bytes']),
    };
  }

  between(from: Tie, to: Tie, max: number): readonly number[] {
    const sql = 'SELECT DISTINCT node FROM tie WHERE tie BETWEEN ? AND ? LIMIT ?';
    return this.database
      .sql(sql)
      .all(from, to, max)
      .map((row) => Number(row['node']));
  }

  ofTask(task: number, max: number): readonly number[] {
    const sql = 'SELECT id FROM node WHERE task = ? LIMIT ?';
    return this.database
      .sql(sql)
      .all(task, max)
      .map((row) => Number(row['id']));
  }

  tiesOf(node: number): readonly Tie[] {
    const sql = 'SELECT tie FROM tie WHERE node = ?';
    return this.database
      .sql(sql)
      .all(node)
      .map((row) => Number(row['tie']));
  }

  parentsOf(node: number): readonly Tie[] {
    return factsOf(this.database, node).flatMap((json) => {
      const facts = parse(json);
      const tie = facts?.kind === 'span' ? parentTie(facts) : undefined;
      return tie === undefined ? [] : [tie];
    });
  }
}

/** Of the records behind a node that left memory, as JSON. */
export function factsOf(database: Database, node: number): readonly string[] {
  return recordsOf(database, node, ['facts']).map(({ facts }) => facts);
}

/** Makes the ties of all nodes that left memory, of a store that has none. */
export function makeTies(database: Database): void {
  const add = database.sql('INSERT OR IGNORE INTO tie VALUES (?, ?)');
  for (const { id } of database.sql('SELECT id FROM node').iterate())
    for (const json of factsOf(database, Number(id))) {
      const facts = parse(json);
      if (facts) for (const tie of tiesOf(facts)) add.run(tie, Number(id));
    }
  // What was made from a node goes and comes with it.
  for (const row of database.sql('SELECT id, json FROM node').iterate()) {
    const made = parse(String(row['json'])) as { readonly node?: MadeNode } | undefined;
    const owner = made?.node?.details?.partOf;
    if (typeof owner !== 'string') continue;
    database
      .sql(
        'INSERT OR IGNORE INTO tie SELECT tie, ? FROM tie JOIN node ON node.id = tie.node WHERE node.name = ?',
      )
      .run(Number(row['id']), owner);
  }
}

interface MadeNode {
  readonly details?: { readonly partOf?: unknown };
}

/** Undefined for what was changed on the disk. */
function parse(json: string): Facts | undefined {
  try {
    return JSON.parse(json) as Facts;
  } catch {
    return undefined;
  }
}
