import type { Logger } from '../../telemetry/logger.ts';

/** Something that goes wrong again and again is logged when it begins, when it is another, and when it is over. */
export class SaidOnce {
  private readonly logger: Logger;
  private readonly over: string;
  private current: string | undefined;

  /** @param over what is logged when all is well again */
  constructor(logger: Logger, over: string) {
    this.logger = logger;
    this.over = over;
  }

  get problem(): string | undefined {
    return this.current;
  }

  /** @param problem undefined while all is well */
  now(problem: string | undefined): void {
    if (problem === this.current) return;
    if (problem === undefined) this.logger.info({}, this.over);
    else this.logger.warn({}, problem);
    this.current = problem;
  }
}
