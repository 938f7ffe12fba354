import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { flowD2 } from '../../exporters/thoughtflow/flow-d2.ts';
import { flowId } from '../../exporters/thoughtflow/flow-plan.ts';
import { flowJson } from '../../exporters/thoughtflow/flow-json.ts';
import type { ArtifactsEvent } from '../../model/reader-messages.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import { detailOf, taskContent } from '../../subscriptions/task-content.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { ArtifactFiles } from './artifact-files.ts';

/** Tasks whose files are yet to be written: more ends than a disk takes in a minute. */
const MAX_WAITING = 1_000;
/** At a stop. A process that is told to end has half a minute on many systems, and the graph is yet to be written. */
const STOP_MS = 5_000;
const SWEEP_EVERY_MS = 60 * 60 * 1000;
const MS_PER_DAY = 86_400_000;

export interface ArtifactsOptions {
  /** Absent where nothing of a text is kept on the disk: then who follows is told where it can be read, and no more. */
  readonly files: ArtifactFiles | undefined;
  readonly reader: ReaderApi;
  readonly isKnown: (taskId: string) => Promise<boolean>;
  /** Tells subscribers whose view shows the task. */
  readonly tell: (taskId: string, event: ArtifactsEvent) => Promise<void>;
  readonly retentionDays: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Writes a session that is over as files, and tells who follows it where they are. */
export class Artifacts {
  private readonly options: ArtifactsOptions;
  /** Where the service is reached, by the node of the session. */
  private readonly waiting = new Map<string, string>();
  private working: Promise<void> | undefined;
  private timer: Timer | undefined;

  constructor(options: ArtifactsOptions) {
    this.options = options;
  }

  start(): void {
    this.schedule();
    this.begin();
  }

  /** Writes what waits, but not for ever: what is left can be read over HTTP after the next start. */
  async stop(): Promise<void> {
    const { clock, logger } = this.options;
    this.timer?.cancel();
    this.timer = undefined;
    const late = new Promise<void>((resolve) => {
      clock.after(STOP_MS, resolve);
    });
    await Promise.race([this.idle(), late]);
    const sessions = this.waiting.size;
    this.waiting.clear();
    if (sessions > 0) logger.warn({ sessions }, 'ThoughtFlow sessions that ended last have no files');
  }

  /**
   * Sessions are over, and all of them was taken.
   * @param sessions their nodes
   * @param base where the service is reached: `http://host:port`
   */
  ended(sessions: readonly string[], base: string): void {
    for (const nodeId of sessions) {
      if (this.waiting.size < MAX_WAITING) this.waiting.set(nodeId, base);
      else this.options.logger.warn({}, 'too many sessions ended at once: of one no files are written');
    }
    this.begin();
  }

  /** These tasks are gone for good. What is being written of them is gone, too, when this resolves. */
  async erased(taskIds: readonly string[]): Promise<void> {
    await this.working;
    await this.options.files?.remove(taskIds);
  }

  /** Resolves when nothing waits. */
  private async idle(): Promise<void> {
    while (this.working) await this.working;
  }

  private schedule(): void {
    this.timer = this.options.clock.after(SWEEP_EVERY_MS, () => {
      this.schedule();
      this.begin();
    });
  }

  private begin(): void {
    this.working ??= this.work().finally(() => {
      this.working = undefined;
      if (this.waiting.size > 0) this.begin();
    });
  }

  private async work(): Promise<void> {
    const { files, isKnown, retentionDays, clock, logger } = this.options;
    try {
      for (const [nodeId, base] of this.waiting) {
        this.waiting.delete(nodeId);
        await this.write(nodeId, base);
      }
      await files?.sweep(clock.now() - retentionDays * MS_PER_DAY, isKnown);
    } catch (error) {
      logger.warn({ err: error }, 'files of ThoughtFlow sessions are not written');
    }
  }

  private async write(nodeId: string, base: string): Promise<void> {
    const { files, reader, tell, logger } = this.options;
    try {
      // Its task may be called otherwise than it was sent: long ids are cut, and private ones hidden.
      const { node: session } = await reader.getNode(nodeId);
      const { taskId } = session;
      const { graph } = await taskContent(reader, taskId);
      const json = flowJson({ taskId, graph, detail: (id) => detailOf(reader, id) });
      const isWhole = await files?.write(taskId, 'json', json);
      const isDrawn = await files?.write(taskId, 'd2', flowD2(graph, { taskId, base }));
      if (isWhole === false || isDrawn === false)
        logger.warn({}, 'a ThoughtFlow session is too large for a file: read it over HTTP');
      const url = `${base}/thoughtflow/${encodeURIComponent(taskId)}`;
      await tell(taskId, {
        name: 'thoughtflow.artifacts',
        session_id: flowId(session),
        url_json: `${url}.json`,
        url_d2: `${url}.d2`,
      });
    } catch (error) {
      // It was erased meanwhile.
      if (!(error instanceof BoundaryError) || error.code !== 'NOT_FOUND') throw error;
    }
  }
}
