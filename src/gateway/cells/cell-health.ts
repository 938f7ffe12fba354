import type { Clock, Timer } from '../../base/clock.ts';
import type { CellIdentity } from '../../model/cell-identity.ts';
import { compareText } from '../../model/compare-text.ts';
import type { ToldCells } from '../../model/told-cells.ts';
import type { CellCounts } from '../../telemetry/instruments.ts';
import { askWithin, type AskCell } from './ask-cell.ts';
import type { CellAddress, CellAddresses } from './cell-addresses.ts';
import { readCellAnswer, type ReadAnswer } from './cell-answer.ts';
import { cellNotices, countCells, type CellOddity, type CellVerdict } from './cell-verdict.ts';

/** A cell that takes longer is away. */
const ASK_MS = 2000;
/** Between an answer and the next question. */
const EVERY_MS = 2000;
/** Of that, more or less, so that many gateways do not ask in one moment. */
const JITTER = 0.2;
/** Clocks that differ by more put steps of one task in another order than they happened in. */
const MAX_CLOCK_OFF_MS = 5000;
/** So long it is said that a cell began anew with nothing: its readers have noticed by then. */
const RESTART_SHOWN_MS = 10 * 60_000;

interface CellHealthOptions {
  readonly addresses: Pick<CellAddresses, 'current' | 'onChange'>;
  readonly ask: AskCell;
  /** Of the gateway: a cell whose first two numbers differ is of another one. */
  readonly version: string;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random?: () => number;
}

/** What is known of one cell. */
interface Known {
  readonly name: string;
  address: string;
  state: CellVerdict['state'];
  since: number;
  reason: string | undefined;
  isRefusal: boolean;
  identity: CellIdentity | undefined;
  isClockOff: boolean;
  /** Until when it is said that it began anew; monotonic. */
  restartShownUntil: number;
  verdict: CellVerdict;
  timer: Timer | undefined;
  /** Ends the question that is under way. */
  asking: AbortController | undefined;
}

/** Polls `GET /api/cell` of every cell, one request at a time for each, and judges what it answers. */
export class CellHealth {
  private readonly options: CellHealthOptions;
  private readonly random: () => number;
  private readonly cells = new Map<string, Known>();
  private readonly listeners = new Set<() => void>();
  private stopFollowing: (() => void) | undefined;
  private isStopped = false;

  constructor(options: CellHealthOptions) {
    this.options = options;
    this.random = options.random ?? Math.random;
  }

  /** Resolves when every cell that is known then was asked once: after 2 s at most. */
  async start(): Promise<void> {
    const { addresses } = this.options;
    this.stopFollowing = addresses.onChange((cells) => void this.follow(cells));
    await this.follow(addresses.current());
  }

  stop(): void {
    this.isStopped = true;
    this.stopFollowing?.();
    for (const cell of this.cells.values()) this.leave(cell);
  }

  /** Undefined for what is no cell now. */
  of(name: string): CellVerdict | undefined {
    return this.cells.get(name)?.verdict;
  }

  /** Told whenever a verdict is another, or there are other cells. @returns stops that */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** For the gauge `explain.cells`. */
  counts(): CellCounts {
    return countCells(Array.from(this.cells.values(), ({ verdict }) => verdict));
  }

  /** What people should know, in the order of the names of cells; empty while all are well. */
  notices(): readonly string[] {
    const names = [...this.cells.keys()].sort();
    return names.flatMap((name) => {
      const verdict = this.of(name);
      return verdict ? cellNotices(name, verdict) : [];
    });
  }

  /** All that is known of each, in the order of their names. */
  told(): ToldCells {
    const cells = [...this.cells.values()].sort((a, b) => compareText(a.name, b.name));
    return {
      cells: cells.map(({ name, address, verdict }) => ({
        name,
        address,
        state: verdict.state,
        since: new Date(verdict.since).toISOString(),
        oddities: verdict.oddities,
        ...(verdict.identity && { version: verdict.identity.version }),
        notices: cellNotices(name, verdict),
      })),
    };
  }

  private async follow(addresses: readonly CellAddress[]): Promise<void> {
    const names = new Set(addresses.map(({ name }) => name));
    for (const [name, cell] of this.cells) {
      if (names.has(name)) continue;
      this.leave(cell);
      this.cells.delete(name);
    }
    const asked: Promise<void>[] = [];
    for (const { name, address } of addresses) {
      const known = this.cells.get(name);
      if (known?.address === address) continue;
      // One that comes back elsewhere is the same cell: what it said of its data is compared.
      if (known) this.leave(known);
      const cell = known ?? newCell(name, address, this.options.clock.now());
      cell.address = address;
      this.cells.set(name, cell);
      asked.push(this.look(cell));
    }
    this.judge();
    await Promise.all(asked);
  }

  private leave(cell: Known): void {
    cell.timer?.cancel();
    cell.asking?.abort();
    cell.asking = undefined;
  }

  /** Asks once, and schedules the next question. Never rejects. */
  private async look(cell: Known): Promise<void> {
    const { clock, ask } = this.options;
    const asking = new AbortController();
    cell.asking = asking;
    const sentAt = clock.now();
    const said = await askWithin(ASK_MS, ask, cell.address, clock, asking);
    // Somebody else asks by now, or nobody: the cell has gone, or is elsewhere.
    if (this.isStopped || cell.asking !== asking) return;
    cell.asking = undefined;
    const read: ReadAnswer = typeof said === 'string' ? { problem: said } : readCellAnswer(said);
    if (read.problem === undefined) this.answered(cell, read.identity, sentAt);
    else this.away(cell, read.problem, read.isRefusal);
    this.judge();
    const delayMs = EVERY_MS * (1 + JITTER * (2 * this.random() - 1));
    cell.timer = clock.after(delayMs, () => void this.look(cell));
  }

  private away(cell: Known, reason: string, isRefusal = false): void {
    this.enter(cell, 'away');
    cell.reason = reason;
    cell.isRefusal = isRefusal;
  }

  private answered(cell: Known, identity: CellIdentity, sentAt: number): void {
    const { clock } = this.options;
    if (cell.identity !== undefined && cell.identity.data !== identity.data)
      cell.restartShownUntil = clock.monotonic() + RESTART_SHOWN_MS;
    // It looked at its clock somewhere between.
    cell.isClockOff =
      identity.now < sentAt - MAX_CLOCK_OFF_MS || identity.now > clock.now() + MAX_CLOCK_OFF_MS;
    cell.identity = identity;
    cell.reason = undefined;
    cell.isRefusal = false;
    if (identity.state === 'starting') this.away(cell, 'is starting');
    else this.enter(cell, identity.state === 'draining' ? 'draining' : 'well');
  }

  private enter(cell: Known, state: CellVerdict['state']): void {
    if (cell.state === state) return;
    cell.state = state;
    cell.since = this.options.clock.now();
  }

  /** Recomputes all verdicts: which settings are usual depends on every cell. */
  private judge(): void {
    const usual = mostCommon(this.cells.values());
    let isOther = false;
    for (const cell of this.cells.values()) {
      const { state, since, reason, isRefusal, identity } = cell;
      const next = { state, since, reason, isRefusal, oddities: this.oddities(cell, usual), identity };
      isOther ||= asText(next) !== asText(cell.verdict);
      cell.verdict = next;
    }
    if (isOther) for (const listener of this.listeners) listener();
  }

  private oddities(cell: Known, usualSettings: string | undefined): readonly CellOddity[] {
    const { identity } = cell;
    if (!identity) return [];
    const oddities: CellOddity[] = [];
    if (cell.isClockOff) oddities.push('clock_off');
    if (cell.state === 'well' && identity.reasons.length > 0) oddities.push('not_ready');
    if (identity.settings !== usualSettings) oddities.push('other_settings');
    if (minorOf(identity.version) !== minorOf(this.options.version)) oddities.push('other_version');
    if (this.options.clock.monotonic() < cell.restartShownUntil) oddities.push('restarted_empty');
    return oddities;
  }
}

function newCell(name: string, address: string, now: number): Known {
  const verdict = {
    state: 'unknown',
    since: now,
    reason: undefined,
    isRefusal: false,
    oddities: [],
    identity: undefined,
  } as const;
  return {
    ...verdict,
    name,
    address,
    isClockOff: false,
    restartShownUntil: -Infinity,
    verdict,
    timer: undefined,
    asking: undefined,
  };
}

/** The settings of most cells that said theirs; of as many, those of the first by name. */
function mostCommon(cells: Iterable<Known>): string | undefined {
  const counts = new Map<string, number>();
  for (const { identity } of [...cells].sort((a, b) => (a.name < b.name ? -1 : 1)))
    if (identity) counts.set(identity.settings, (counts.get(identity.settings) ?? 0) + 1);
  let best: string | undefined;
  for (const [settings, count] of counts) if (count > (counts.get(best ?? '') ?? 0)) best = settings;
  return best;
}

/** What of a verdict is news: its clock goes on all the time. */
function asText({ identity, ...verdict }: CellVerdict): string {
  return JSON.stringify([verdict, identity && { ...identity, now: 0 }]);
}

/** `1.4` of `1.4.2`. */
function minorOf(version: string): string {
  return version.split('.', 2).join('.');
}
