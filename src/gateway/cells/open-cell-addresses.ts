import { assert } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import { MAX_CELLS } from '../../config/cells-schema.ts';
import type { ServiceConfig } from '../../config/schema.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { completeCells, type CellAddresses, type GivenCell } from './cell-addresses.ts';
import { CellList } from './cell-list.ts';
import { DnsCells } from './dns-cells.ts';
import { FileCells } from './file-cells.ts';

/** Which cells there are, from where the settings say. */
export function openCellAddresses(
  { cells, dns, file, otlpPort }: NonNullable<ServiceConfig['gateway']>,
  parts: { readonly clock: Clock; readonly logger: Logger },
): CellAddresses {
  if (cells) return new FixedCells(cells, otlpPort);
  if (dns) return new DnsCells({ ...parts, dns, otlpPort, maxCells: MAX_CELLS });
  assert(file !== undefined, 'the settings have one of cells, dns and file');
  return new FileCells({ ...parts, path: file, otlpPort });
}

/** Cells that stand in the settings. */
class FixedCells extends CellList implements CellAddresses {
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
