import { completeCells, type CellAddresses, type GivenCell } from './cell-addresses.ts';
import { CellList } from './cell-list.ts';

/** Cells that stand in the settings. */
export class FixedCells extends CellList implements CellAddresses {
  readonly problem = undefined;
  private readonly given: readonly GivenCell[];
  private readonly otlpPort: number;

  constructor(given: readonly GivenCell[], otlpPort: number) {
    super();
    this.given = given;
    this.otlpPort = otlpPort;
  }

  async start(): Promise<void> {
    this.take(completeCells(this.given, this.otlpPort));
  }

  stop(): void {}
}
