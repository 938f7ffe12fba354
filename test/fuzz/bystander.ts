import { Worker } from 'node:worker_threads';
import type { BystanderData, Report, Served } from './bystander-worker.ts';
import type { Addresses } from './talk.ts';

/** A well-behaved client in a thread of its own, so that it measures the service and not the sender of hostile input. */
export class Bystander {
  private readonly worker: Worker;
  private readonly served: Served[] = [];
  private readonly problems: string[] = [];

  constructor(addresses: Addresses, pid: number) {
    const workerData: BystanderData = { addresses, pid };
    this.worker = new Worker(new URL('bystander-worker.ts', import.meta.url), { workerData });
    this.worker.on('message', (report: Report) => {
      if ('problem' in report) this.problems.push(report.problem);
      else this.served.push(report);
    });
    this.worker.on('error', (error) => this.problems.push(String(error)));
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }

  /** What went wrong: requests that failed or were served too late. */
  get failures(): readonly string[] {
    return this.problems;
  }

  get count(): number {
    return this.served.length;
  }

  /** Milliseconds within which a share of the requests was served, by way in. */
  figures(): string {
    const ways = Map.groupBy(this.served, ({ way }) => way);
    return [...ways]
      .map(([way, of]) => {
        const sorted = of.map(({ ms }) => ms).toSorted((a, b) => a - b);
        const at = (share: number): string =>
          (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0);
        return `${way}: ${sorted.length}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`;
      })
      .join('\n  ');
  }
}
