import { Resolver } from 'node:dns/promises';
import type { Clock, Timer } from '../../base/clock.ts';
import { isAddress } from '../../config/cells-schema.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { completeCells, type CellAddresses } from './cell-addresses.ts';
import { CellList } from './cell-list.ts';
import { SaidOnce } from './said-once.ts';

export interface DnsCellsOptions {
  readonly dns: {
    /** The whole name: no domain is tried behind it. */
    readonly name: string;
    readonly type: 'A' | 'AAAA' | 'SRV';
    /** The readers' port of what A and AAAA give; 9000 if it is left out. */
    readonly port?: number | undefined;
    readonly everySeconds: number;
    /** The server that is asked, `address:port`; those of the system if it is left out. */
    readonly server?: string | undefined;
  };
  readonly otlpPort: number;
  /** What is more is not taken. */
  readonly maxCells: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const READERS_PORT = 9000;
/** One question takes three of these at most: a server that is away keeps a start waiting no longer. */
const TIMEOUT_MS = 1000;
const TRIES = 2;
/** While no cell is known they are asked for so often, or more often if the settings say so. */
const FIRST_RETRY_MS = 1000;

/** Cells that the DNS names, asked for again and again. Their names are their addresses. */
export class DnsCells extends CellList implements CellAddresses {
  private readonly options: DnsCellsOptions;
  private readonly resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  private readonly said: SaidOnce;
  private timer: Timer | undefined;
  private isStopped = false;

  constructor(options: DnsCellsOptions) {
    super();
    this.options = options;
    const { name, server } = options.dns;
    if (server !== undefined) this.resolver.setServers([server]);
    this.said = new SaidOnce(options.logger, `the DNS gives the cells of ${name} again`);
  }

  get problem(): string | undefined {
    return this.said.problem;
  }

  async start(): Promise<void> {
    await this.ask();
  }

  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
    this.resolver.cancel();
  }

  private async ask(): Promise<void> {
    const found = await this.addresses().catch((error: unknown) => codeOf(error));
    if (this.isStopped) return;
    this.said.now(this.problemOf(found));
    if (this.said.problem === undefined && typeof found !== 'string')
      this.take(
        completeCells(
          found.map((address) => ({ address })),
          this.options.otlpPort,
        ),
      );
    const everyMs = this.options.dns.everySeconds * 1000;
    const delayMs = this.current().length > 0 ? everyMs : Math.min(everyMs, FIRST_RETRY_MS);
    this.timer = this.options.clock.after(delayMs, () => void this.ask());
  }

  /** @param found addresses, or the code of what went wrong */
  private problemOf(found: readonly string[] | string): string | undefined {
    const { dns, maxCells } = this.options;
    const question = `the DNS, asked for ${dns.type} records of ${dns.name},`;
    if (typeof found === 'string') return `${question} gives no answer (${found}): ${this.whatStays}`;
    if (found.length === 0) return `${question} names no cell: ${this.whatStays}`;
    if (found.length > maxCells)
      return `${question} names ${found.length} cells, and there may be ${maxCells}: ${this.whatStays}`;
    return undefined;
  }

  private async addresses(): Promise<readonly string[]> {
    const { name, type, port = READERS_PORT } = this.options.dns;
    const found = new Set<string>();
    if (type === 'SRV') {
      for (const record of await this.resolver.resolveSrv(name))
        found.add(`${record.name.replace(/\.$/, '').toLowerCase()}:${record.port}`);
    } else if (type === 'AAAA') {
      for (const address of await this.resolver.resolve6(name)) found.add(`[${address}]:${port}`);
    } else {
      for (const address of await this.resolver.resolve4(name)) found.add(`${address}:${port}`);
    }
    // A server may say anything, and these are names of cells.
    return [...found].filter(isAddress);
  }
}

/** `ENODATA`, `ENOTFOUND`, `ESERVFAIL`, `ETIMEOUT` … */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no reason given';
}
