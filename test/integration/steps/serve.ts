import { Child, type ChildOptions } from './child.ts';

/** A service in a process of its own, and where it listens: `host:port`. */
export interface Served {
  readonly child: Child;
  readonly readers: string;
  readonly otlpGrpc: string;
  readonly otlpHttp: string;
}

export const FREE_PORTS = ['--port', '0', '--otlp-grpc-port', '0', '--otlp-http-port', '0'] as const;

/** Starts a program that serves (`… serve`, `… demo`) and waits until it is ready. It is killed when that fails. */
export async function serve(
  command: string,
  args: readonly string[],
  options: ChildOptions = {},
): Promise<Served> {
  const child = new Child(command, args, options);
  try {
    await child.prints(/^ready$/m);
    return {
      child,
      readers: await child.prints(/^readers\s+http:\/\/(\S+?)\//m),
      otlpGrpc: await child.prints(/^OTLP\/gRPC\s+(\S+)$/m),
      otlpHttp: await child.prints(/^OTLP\/HTTP\s+http:\/\/(\S+?)\//m),
    };
  } catch (error) {
    child.kill();
    throw error;
  }
}
