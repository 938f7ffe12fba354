import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Child, within } from '../steps/child.ts';

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

export interface Rule {
  readonly name: string;
  readonly query: string;
  readonly health: string;
  readonly lastError?: string;
}

interface ActiveTarget {
  readonly health: string;
  readonly lastError: string;
}

const ANSWER_TIMEOUT_MS = 10_000;
const START_TIMEOUT_MS = 30_000;

/** Prometheus in a process of its own, on a free port of this machine, and its HTTP API. */
export class Prometheus {
  readonly child: Child;
  private readonly address: string;

  private constructor(child: Child, address: string) {
    this.child = child;
    this.address = address;
  }

  static async start(program: string, configFile: string, dataDir: string): Promise<Prometheus> {
    const address = `127.0.0.1:${await freePort()}`;
    const child = new Child(program, [
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${dataDir}`,
      `--web.listen-address=${address}`,
    ]);
    const prometheus = new Prometheus(child, address);
    try {
      await within(START_TIMEOUT_MS, `Prometheus is ready: ${child.stderr}`, async () => {
        const answer = await fetch(`http://${address}/-/ready`).catch(() => undefined);
        return answer?.ok === true ? true : undefined;
      });
    } catch (error) {
      child.kill();
      throw error;
    }
    return prometheus;
  }

  /** The samples of an instant query. @throws when the expression is refused */
  async query(expr: string): Promise<readonly Sample[]> {
    const data = await this.get<{ result: readonly Sample[] | Sample['value'] }>(
      `query?query=${encodeURIComponent(expr)}`,
    );
    return data.result as readonly Sample[];
  }

  async metricNames(): Promise<ReadonlySet<string>> {
    return new Set(await this.get<readonly string[]>('label/__name__/values'));
  }

  async targets(): Promise<readonly ActiveTarget[]> {
    return (await this.get<{ activeTargets: readonly ActiveTarget[] }>('targets')).activeTargets;
  }

  async rules(): Promise<readonly Rule[]> {
    const { groups } = await this.get<{ groups: readonly { rules: readonly Rule[] }[] }>('rules');
    return groups.flatMap((group) => group.rules);
  }

  private async get<T>(path: string): Promise<T> {
    const response = await fetch(`http://${this.address}/api/v1/${path}`, {
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const answer = (await response.json()) as { status: string; error?: string; data: T };
    assert.equal(answer.status, 'success', `${path}: ${answer.error}`);
    return answer.data;
  }
}

/** A port that was free a moment ago: Prometheus does not tell which it took when it is given 0. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
