import type { Clock, Timer } from '../../base/clock.ts';
import type { ServiceConfig } from '../../config/schema.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Addresses } from '../listeners.ts';
import { Backoff } from './backoff.ts';
import type { FromProcess, StartedProcess, StartFailure } from './messages.ts';

/** For the log. */
export const CANNOT_START = 'a process cannot start: it is tried again';

export interface KeptProcessOptions {
  /** In the log, and the name of the cell. */
  readonly name: string;
  /** Asked before each start. */
  readonly config: () => ServiceConfig;
  readonly startProcess: (name: string) => StartedProcess;
  /** Told of each start that failed, before the next one. */
  readonly onFailed?: (failure: StartFailure) => Promise<void> | undefined;
  /** Whether a first start that failed is not the answer yet. */
  readonly retriesFirst?: (failure: StartFailure) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How the first start went. */
export type FirstStart =
  | { readonly addresses: Addresses; readonly failure?: undefined }
  | { readonly addresses?: undefined; readonly failure: StartFailure };

/** One process that is kept running: when it ends, it is started again after a while, until `stop`. */
export class KeptProcess {
  readonly name: string;
  readonly firstStart: Promise<FirstStart>;
  private readonly options: KeptProcessOptions;
  private readonly backoff = new Backoff();
  private readonly first = Promise.withResolvers<FirstStart>();
  private readonly over = Promise.withResolvers<void>();
  private process: StartedProcess | undefined;
  private waiting: Timer | undefined;
  private readyAt: number | undefined;
  private failure: StartFailure | undefined;
  private saidLast: string | undefined;
  private isAnswered = false;
  private isStopping = false;
  private isReplaced = false;

  constructor(options: KeptProcessOptions) {
    this.options = options;
    this.name = options.name;
    this.firstStart = this.first.promise;
  }

  start(): void {
    this.waiting = undefined;
    if (this.isStopping) return;
    const process = this.options.startProcess(this.name);
    this.process = process;
    this.readyAt = undefined;
    this.failure = undefined;
    process.onMessage((message) => this.told(message));
    process.onExit((how) => void this.ended(how));
    process.send({ kind: 'start', name: this.name, config: this.options.config() });
  }

  /** Ends the process and starts another one at once, which asks for the settings anew. */
  replace(reason: string): void {
    if (this.isStopping || !this.process) return;
    this.isReplaced = true;
    this.process.send({ kind: 'stop', reason });
  }

  /** Resolves when the process has ended, and none is started any more. A second call waits for the first. */
  stop(reason: string): Promise<void> {
    if (this.isStopping) return this.over.promise;
    this.isStopping = true;
    this.waiting?.cancel();
    if (this.process) this.process.send({ kind: 'stop', reason });
    else this.end();
    return this.over.promise;
  }

  kill(): void {
    this.process?.kill();
  }

  private told(message: FromProcess): void {
    if (message.kind === 'failed') {
      this.failure = message.failure;
      return;
    }
    this.readyAt = this.options.clock.monotonic();
    this.saidLast = undefined;
    this.answer({ addresses: message.addresses });
    this.options.logger.info({ cell: this.name }, 'a process is ready');
  }

  private async ended(how: string): Promise<void> {
    const { clock, onFailed, retriesFirst } = this.options;
    this.process = undefined;
    if (this.isStopping) return this.end();
    const { isReplaced } = this;
    this.isReplaced = false;
    const failure = this.failure ?? unexplained(how);
    if (!isReplaced) this.say(failure);
    if (this.readyAt === undefined) await onFailed?.(failure);
    if (retriesFirst?.(failure) !== true) this.answer({ failure });
    // It may have been told to stop meanwhile.
    if (this.isStopping) return this.end();
    const wellMs = this.readyAt === undefined ? 0 : clock.monotonic() - this.readyAt;
    this.waiting = clock.after(isReplaced ? 0 : this.backoff.next(wellMs), () => this.start());
  }

  private answer(first: FirstStart): void {
    this.isAnswered = true;
    this.first.resolve(first);
  }

  private end(): void {
    this.answer({ failure: unexplained('it was stopped') });
    this.over.resolve();
  }

  /**
   * The same is said once, until it was ready again: it may be tried every ten seconds for days. Why the first start failed is
   * said by who waits for it.
   */
  private say({ message }: StartFailure): void {
    const hasRun = this.readyAt !== undefined;
    if (!hasRun && message === this.saidLast) return;
    this.saidLast = message;
    if (!this.isAnswered) return;
    this.options.logger.error(
      { cell: this.name, why: message },
      hasRun ? 'a process ended by itself: it is started again' : CANNOT_START,
    );
  }
}

function unexplained(how: string): StartFailure {
  return { message: `its process ended (${how})`, isConfiguration: false, isPortTaken: false };
}
