import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TlsFilesOfReader } from '../reader-options.ts';

/** Beside `src` in the repository, beside `dist` in the package. */
const STORY = fileURLToPath(new URL('../../../examples/coder-critic/main.js', import.meta.url));
/** Of what it says when it fails, the end is shown. */
const MAX_ERROR_CHARS = 2000;

export interface StoryOptions {
  /** URL of OTLP/gRPC. */
  readonly otlpGrpc: string;
  readonly taskId: string;
  readonly token: string | undefined;
  /** Files for TLS, as the options of readers name them. */
  readonly tls: TlsFilesOfReader;
}

/** The agents of examples/coder-critic as a process of their own, as an agent is. */
export class Story {
  /** Resolves when it is told; rejects with what it said when it failed. */
  readonly told: Promise<void>;
  private readonly child: ChildProcess;

  constructor(options: StoryOptions) {
    this.child = spawn(process.execPath, [STORY], {
      env: environment(options),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    this.child.stderr?.on('data', (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-MAX_ERROR_CHARS);
    });
    this.told = new Promise((resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('close', (code) => {
        if (code === 0) resolve();
        else reject(new Error(errors.trim() || `the agents ended with code ${code}`));
      });
    });
    // Whoever waits for it is told; it may fail before anybody does.
    this.told.catch(() => undefined);
  }

  stop(): void {
    this.child.kill();
  }
}

/** What is set for somebody else's telemetry must not lead the story elsewhere. */
function environment({ otlpGrpc, taskId, token, tls }: StoryOptions): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('OTEL_'));
  return {
    ...Object.fromEntries(inherited),
    OTEL_EXPORTER_OTLP_ENDPOINT: otlpGrpc,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    ...(token !== undefined && {
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(`Bearer ${token}`)}`,
    }),
    ...(tls.ca !== undefined && { OTEL_EXPORTER_OTLP_CERTIFICATE: tls.ca }),
    ...(tls.cert !== undefined && { OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: tls.cert }),
    ...(tls.key !== undefined && { OTEL_EXPORTER_OTLP_CLIENT_KEY: tls.key }),
    CODER_CRITIC_TASK_ID: taskId,
  };
}
