import type { Clock } from '../../base/clock.ts';
import type { Transport } from '../../client/transport.ts';
import type { AskedCell } from '../answers/asked-cell.ts';
import type { AskedAs } from './asked-as.ts';
import type { CellAddress, CellAddresses } from './cell-addresses.ts';
import { ReadCell } from './read-cell.ts';

/** Who is told of the cells. */
export interface CellFollower {
  cellAdded(cell: ReadCell): void;
  cellRemoved(name: string): void;
  /** It went away, or came back. */
  cellChanged(): void;
}

export interface CellSetOptions {
  readonly addresses: CellAddresses;
  readonly clock: Clock;
  /** Opens a connection to the address on behalf of somebody. */
  readonly connect: (at: CellAddress, as: AskedAs) => Transport;
  /** Is it known not to answer? */
  readonly isAway: (name: string) => boolean;
}

interface HeldCell {
  readonly cell: ReadCell;
  at: CellAddress;
}

/** The current cells, each with its connections. A cell is known by its name: at another address it is the same one. */
export class CellSet {
  private readonly options: CellSetOptions;
  private readonly held = new Map<string, HeldCell>();
  private readonly followers = new Set<CellFollower>();
  private stopFollowing: (() => void) | undefined;

  constructor(options: CellSetOptions) {
    this.options = options;
  }

  /** In the order of their names. */
  all(): readonly ReadCell[] {
    return [...this.held.values()].map(({ cell }) => cell).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** For single questions on behalf of `as`; in the order of their names. */
  asked(as: AskedAs): readonly AskedCell[] {
    const { isAway } = this.options;
    return this.all().map((cell) => ({
      name: cell.name,
      answers: cell.as(as),
      isAway: isAway(cell.name),
    }));
  }

  follow(follower: CellFollower): void {
    this.followers.add(follower);
  }

  async start(): Promise<void> {
    const { addresses } = this.options;
    this.stopFollowing = addresses.onChange((cells) => this.take(cells));
    await addresses.start();
    this.take(addresses.current());
  }

  async stop(): Promise<void> {
    this.stopFollowing?.();
    this.options.addresses.stop();
    await Promise.all(this.all().map((cell) => cell.close()));
  }

  private take(cells: readonly CellAddress[]): void {
    const names = new Set(cells.map(({ name }) => name));
    for (const [name, { cell }] of this.held) {
      if (names.has(name)) continue;
      this.held.delete(name);
      for (const follower of this.followers) follower.cellRemoved(name);
      void cell.close();
    }
    for (const at of cells) {
      const held = this.held.get(at.name);
      if (!held) this.add(at);
      else if (held.at.address !== at.address) {
        held.at = at;
        void held.cell.moved();
      }
    }
  }

  private add(at: CellAddress): void {
    const { clock, connect } = this.options;
    const held: HeldCell = {
      at,
      cell: new ReadCell({
        name: at.name,
        clock,
        connect: (as) => connect(held.at, as),
        onChange: () => {
          for (const follower of this.followers) follower.cellChanged();
        },
      }),
    };
    this.held.set(at.name, held);
    for (const follower of this.followers) follower.cellAdded(held.cell);
  }
}
