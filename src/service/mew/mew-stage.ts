import type { ServiceConfig } from '../../config/schema.ts';
import { DEFAULT_PROJECT } from '../../model/project-name.ts';
import { Outbox } from '../../receivers/mew/outbox.ts';
import { MewParticipant, type ParticipantOptions } from '../../receivers/mew/participant.ts';
import type { ContextCanceller } from '../../receivers/mew/stop-requests.ts';
import { isOfTask } from '../../model/replay.ts';
import type { Projects } from '../project/projects.ts';
import type { SharedParts } from '../shared-parts.ts';
import type { Stage } from '../stages.ts';
import { MewOut } from './mew-out.ts';

/** What is still to be said when the service stops may take so long. */
const LAST_WORDS_MS = 1_000;

/** Who observes the space of a gateway of MEW, and says there what the service knows, where the configuration says so. */
export class MewStage implements Stage {
  private readonly participant: MewParticipant | undefined;
  private readonly outbox: Outbox | undefined;
  private readonly out: MewOut | undefined;

  constructor(
    { mew, maxRequestBytes }: ServiceConfig,
    projects: Projects,
    { clock, logger, pace, telemetry, ownMessages }: SharedParts,
  ) {
    if (!mew) return;
    const { project = DEFAULT_PROJECT, emit, ...settings } = mew;
    // A project that takes long to open is asked again.
    const receiver: ParticipantOptions['receiver'] = {
      read: (...asked) => projects.of(project).mew.receiver.read(...asked),
      keep: (records) => projects.of(project).mew.receiver.keep(records),
    };
    if (emit) {
      const outbox = new Outbox({ clock, logger, metrics: telemetry });
      this.outbox = outbox;
      this.out = new MewOut({
        reader: () => projects.of(project).reader,
        filters: {
          ...(emit.tasks && { taskIds: emit.tasks }),
          ...(emit.agents && { agentNames: emit.agents }),
        },
        space: settings.space,
        participant: settings.participant,
        say: (message, taskId) => outbox.add({ ...ownMessages.sealed(message) }, taskId),
        onErased: (listener) =>
          projects.of(project).mew.onErased((tasks) => {
            listener(tasks);
            outbox.forget((taskId) => tasks.some((erased) => isOfTask(taskId, erased)));
          }),
        clock,
        pace: pace.of('readers'),
        logger,
      });
    }
    this.participant = new MewParticipant({
      ...settings,
      clock,
      logger,
      receiver,
      maxMessageBytes: maxRequestBytes,
      outbox: this.outbox,
    });
  }

  /** Through which agents are asked to stop; undefined where no space is joined. */
  get canceller(): ContextCanceller | undefined {
    return this.participant;
  }

  start(): void {
    this.participant?.start();
    this.out?.start();
  }

  async stop(): Promise<void> {
    await this.out?.stop();
    await this.outbox?.drain(LAST_WORDS_MS);
    await this.participant?.stop();
  }

  get problems(): readonly string[] {
    const problem = this.participant?.problem;
    return problem === undefined ? [] : [problem];
  }
}
