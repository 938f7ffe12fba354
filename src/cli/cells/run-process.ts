import { once } from 'node:events';
import type { FromProcess, ToProcess } from '../../service/supervisor/messages.ts';
import { startFailure } from '../../service/supervisor/start-failure.ts';
import { createPinoLogger } from '../../telemetry/pino-logger.ts';
import { EXIT } from '../exit-codes.ts';
import { PROGRAM } from '../program.ts';
import { startTuned } from '../serve.ts';

/** A process of `serve` with `cells`: one service, until the process that started it says so, or is gone. */
export async function runProcess(): Promise<number> {
  if (process.send === undefined) {
    process.stderr.write(`explainability-agent: this is started by "${PROGRAM} serve --cells N" alone\n`);
    return EXIT.badConfiguration;
  }
  leaveSignalsToSupervisor();
  const over = Promise.withResolvers<string>();
  // A service that is told to end while it starts may as well be killed: nothing was taken yet.
  let end: (reason: string) => void = () => process.exit(EXIT.ok);
  process.on('message', (message: ToProcess) => void (message.kind === 'stop' && end(message.reason)));
  process.on('disconnect', () => end('the service ended'));
  const [{ name, config }] = (await once(process, 'message')) as [Extract<ToProcess, { kind: 'start' }>];
  process.title = `explainability-agent ${name}`;
  const logger = createPinoLogger({ level: config.logLevel, cell: name });
  try {
    const service = await startTuned(config, logger);
    end = over.resolve;
    tell({ kind: 'ready', addresses: service.addresses });
    await service.stop(await over.promise);
    return leave(EXIT.ok);
  } catch (error) {
    tell({ kind: 'failed', failure: startFailure(error) });
    return leave(EXIT.crash);
  }
}

/** A terminal, or an init system, sends them to all processes at once; in which order what ends is not theirs to say. */
function leaveSignalsToSupervisor(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
}

function tell(message: FromProcess): void {
  if (process.connected) process.send?.(message);
}

/** What is written last is written by then. */
const LEAVE_MS = 1_000;

/** The channel would keep the process alive; what was told is through when it is closed. */
function leave(code: number): number {
  process.removeAllListeners('disconnect');
  if (process.connected) process.disconnect();
  // The service has ended what it had, and nothing else is to keep a process that nobody waits for.
  setTimeout(() => process.exit(code), LEAVE_MS).unref();
  return code;
}
