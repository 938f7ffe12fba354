import { once } from 'node:events';
import { WebSocket } from 'ws';

/** What the inspector tells of a profile: calls as a tree, and the call at the top of each sample. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
}

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

/** Microseconds between two samples: what takes a hundredth of a second still has ten. */
const INTERVAL_US = 1000;

/** Takes profiles of the main thread of a process that was started with `--inspect`. */
export class CpuProfiler {
  private readonly socket: WebSocket;
  private lastId = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
  }

  static async connect(inspectorUrl: string): Promise<CpuProfiler> {
    const socket = new WebSocket(inspectorUrl, { perMessageDeflate: false, maxPayload: 2 ** 30 });
    await once(socket, 'open');
    const profiler = new CpuProfiler(socket);
    await profiler.ask('Profiler.enable');
    await profiler.ask('Profiler.setSamplingInterval', { interval: INTERVAL_US });
    return profiler;
  }

  async start(): Promise<void> {
    await this.ask('Profiler.start');
  }

  async stop(): Promise<CpuProfile> {
    return ((await this.ask('Profiler.stop')) as { readonly profile: CpuProfile }).profile;
  }

  close(): void {
    this.socket.terminate();
  }

  private ask(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      const listen = (data: Buffer): void => {
        const answer = JSON.parse(data.toString()) as { id?: number; result?: unknown; error?: object };
        if (answer.id !== id) return;
        this.socket.off('message', listen);
        if (answer.error) reject(new Error(`${method}: ${JSON.stringify(answer.error)}`));
        else resolve(answer.result);
      };
      this.socket.on('message', listen);
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }
}

const IDLE = '(idle)';
const NATIVE = '(program)';
const GARBAGE = '(garbage collector)';

/**
 * Samples of a profile by who was at work: a folder of `src`, for whatever it calls of Node and of libraries; `garbage`;
 * `native` for what no JavaScript called. Idle time is left out.
 */
export function samplesByFolder(profile: CpuProfile): Map<string, number> {
  const ownerOf = owners(profile.nodes);
  const sums = new Map<string, number>();
  for (const id of profile.samples) {
    const owner = ownerOf.get(id);
    if (owner !== undefined && owner !== IDLE) sums.set(owner, (sums.get(owner) ?? 0) + 1);
  }
  return sums;
}

function owners(nodes: readonly ProfileNode[]): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const found = new Map<number, string>();
  const below = nodes.slice(0, 1).map((node) => ({ node, inherited: 'native' }));
  for (let next = below.pop(); next; next = below.pop()) {
    const owner = ownName(next.node) ?? next.inherited;
    found.set(next.node.id, owner);
    for (const id of next.node.children ?? []) {
      const child = byId.get(id);
      if (child) below.push({ node: child, inherited: owner });
    }
  }
  return found;
}

function ownName({ callFrame: { functionName, url } }: ProfileNode): string | undefined {
  if (functionName === GARBAGE) return 'garbage';
  if (functionName === IDLE || functionName === NATIVE) return functionName === IDLE ? IDLE : 'native';
  const folder = /\/src\/([\w-]+)\//.exec(url)?.[1];
  if (folder !== undefined) return folder;
  return /\/node_modules\/(?:@grpc|ws)\//.test(url) || /^node:(?:_?http|net|internal\/stream)/.test(url)
    ? 'sockets'
    : undefined;
}
