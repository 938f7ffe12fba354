import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { networkOf } from '../network-of.ts';
import { LoginRefused } from './person.ts';

/** People mistype; from here on each wrong log-in doubles the wait before the next is looked at. */
const FREE = { source: 10, name: 5 } as const;
const FIRST_WAIT_MS = 250;
/**
 * A name waits briefly only: whoever knows it could else lock its owner out. A source waits longer; all who share one (a
 * proxy, an office) wait with it.
 */
const MAX_WAIT_MS = { source: 30_000, name: 4_000 } as const;
/** One wrong log-in is forgiven in each such time. */
const FORGIVEN_MS = 10_000;
/** More than forty make the longest wait no longer, and would be forgiven later only. */
const MAX_WRONG = 40;
/** Log-ins of one source that wait; what comes then is sent away at once. */
const MAX_WAITING = 8;
/** All together, each a request that is held open. */
const MAX_WAITING_IN_ALL = 500;
/** Sources and names that are remembered, about 200 bytes each; the one that was wrong longest ago is forgotten. */
const MAX_REMEMBERED = 20_000;
/** Every refusal takes a multiple of this, so that its time says nothing of what was wrong. */
const REFUSAL_STEP_MS = 500;

interface Wrong {
  count: number;
  at: number;
}

/** Slows wrong log-ins down, by where they come from and by the name that they try. Nobody is locked out. */
export class LoginPace {
  private readonly clock: Clock;
  private readonly wrong = new Map<string, Wrong>();
  private readonly waiting = new Map<string, number>();
  private waitingInAll = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /**
   * Looks at a log-in when its turn is.
   * @param source the address that it comes from
   * @param name which is tried, where one is
   * @param check says who it is, or throws LoginRefused
   * @throws LoginRefused
   */
  async attempt<T>(source: string, name: string | undefined, check: () => Promise<T>): Promise<T> {
    const keys = keysOf(source, name);
    const all = Object.values(keys);
    const waitMs = Math.max(...all.map((key) => this.waitOf(key)));
    if (waitMs > 0) this.askForRoom(keys.source);
    // Counts as wrong until it is known to be right: else a thousand at once would all be looked at.
    for (const key of all) this.count(key);
    if (waitMs > 0) await this.waitFor(keys.source, waitMs);
    const began = this.clock.monotonic();
    try {
      const found = await check();
      // Of the source no other is forgiven: who has one account would try others between log-ins of his own.
      this.uncount(keys.source);
      if (keys.name !== undefined) this.wrong.delete(keys.name);
      return found;
    } catch (error) {
      if (!(error instanceof LoginRefused) || error.reason === 'unreachable')
        for (const key of all) this.uncount(key);
      const took = this.clock.monotonic() - began;
      await this.pause(REFUSAL_STEP_MS - (took % REFUSAL_STEP_MS));
      throw error;
    }
  }

  private askForRoom(source: string): void {
    const isFull = (this.waiting.get(source) ?? 0) >= MAX_WAITING || this.waitingInAll >= MAX_WAITING_IN_ALL;
    if (isFull) throw new LoginRefused('pace');
  }

  private async waitFor(source: string, ms: number): Promise<void> {
    this.waiting.set(source, (this.waiting.get(source) ?? 0) + 1);
    this.waitingInAll++;
    await this.pause(ms);
    this.waitingInAll--;
    const left = (this.waiting.get(source) ?? 1) - 1;
    if (left === 0) this.waiting.delete(source);
    else this.waiting.set(source, left);
  }

  private waitOf(key: string): number {
    const kind = key.startsWith('name') ? 'name' : 'source';
    const over = this.countOf(key) - FREE[kind];
    return over <= 0 ? 0 : Math.min(MAX_WAIT_MS[kind], FIRST_WAIT_MS * 2 ** (over - 1));
  }

  private countOf(key: string): number {
    const wrong = this.wrong.get(key);
    if (!wrong) return 0;
    const forgiven = Math.floor((this.clock.monotonic() - wrong.at) / FORGIVEN_MS);
    return Math.max(0, wrong.count - forgiven);
  }

  private count(key: string): void {
    const count = Math.min(MAX_WRONG, this.countOf(key) + 1);
    this.wrong.delete(key);
    this.wrong.set(key, { count, at: this.clock.monotonic() });
    const [oldest] = this.wrong.keys();
    if (this.wrong.size > MAX_REMEMBERED && oldest !== undefined) this.wrong.delete(oldest);
  }

  private uncount(key: string): void {
    const wrong = this.wrong.get(key);
    if (wrong) wrong.count = Math.max(0, wrong.count - 1);
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.clock.after(ms, resolve));
  }
}

function keysOf(source: string, name: string | undefined): { source: string; name?: string } {
  const keys = { source: `source ${networkOf(source)}` };
  if (name === undefined) return keys;
  return { ...keys, name: `name ${createHash('sha256').update(compared(name)).digest('base64')}` };
}

/** Directories take many spellings for one name: blanks, case, accents, widths, and what is not seen do not count. */
function compared(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}\s]/gu, '')
    .toLowerCase();
}
