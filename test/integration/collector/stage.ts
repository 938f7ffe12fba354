import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CollectorProcess, toService, type Protocol } from './collector-process.ts';
import { ServiceProcess } from './service-process.ts';

export interface StageOptions {
  readonly binary: string;
  readonly config: string;
  readonly protocol: Protocol;
  /** Flags of the service. */
  readonly flags?: readonly string[];
  /** auth.token of the service. */
  readonly token?: string;
  /** What the Collector sends as the token. */
  readonly sentToken?: string;
}

/** A service with a Collector in front of it, in folders of their own. */
export interface Stage {
  readonly service: ServiceProcess;
  readonly collector: CollectorProcess;
}

/** Sets the stage, plays, and clears away what was started, however the play ended. */
export async function onStage(options: StageOptions, play: (stage: Stage) => Promise<void>): Promise<void> {
  const { binary, config, protocol, flags = [], token, sentToken } = options;
  const folder = await mkdtemp(join(tmpdir(), 'test-collector-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  let service: ServiceProcess | undefined;
  let collector: CollectorProcess | undefined;
  try {
    const collectorFolder = join(folder, 'collector');
    await mkdir(collectorFolder);
    service = await ServiceProcess.start(join(folder, 'service'), flags, token);
    const { otlpGrpc, otlpHttp } = service;
    collector = await CollectorProcess.start({
      binary,
      configs: [config],
      folder: collectorFolder,
      env: toService({ protocol, otlpGrpc, otlpHttp, ...(sentToken !== undefined && { token: sentToken }) }),
    });
    await play({ service, collector });
  } finally {
    await Promise.all([service?.kill(), collector?.kill()]);
    process.off('exit', removeFolder);
    removeFolder();
  }
}
