import type { ServiceConfig } from '../../config/schema.ts';
import { DEFAULT_PROJECT } from '../../model/project-name.ts';
import { MewParticipant, type ParticipantOptions } from '../../receivers/mew/participant.ts';
import type { ContextCanceller } from '../../receivers/mew/stop-requests.ts';
import type { Projects } from '../project/projects.ts';
import type { Stage } from '../stages.ts';

/** Who observes the space of a gateway of MEW, where the configuration says so. */
export class MewStage implements Stage {
  private readonly participant: MewParticipant | undefined;

  constructor(
    { mew, maxRequestBytes }: ServiceConfig,
    projects: Projects,
    options: Pick<ParticipantOptions, 'clock' | 'logger'>,
  ) {
    if (!mew) return;
    const { project = DEFAULT_PROJECT, ...settings } = mew;
    // A project that takes long to open is asked again.
    const receiver: ParticipantOptions['receiver'] = {
      read: (...asked) => projects.of(project).mew.receiver.read(...asked),
      keep: (records) => projects.of(project).mew.receiver.keep(records),
    };
    this.participant = new MewParticipant({
      ...settings,
      ...options,
      receiver,
      maxMessageBytes: maxRequestBytes,
    });
  }

  /** Through which agents are asked to stop; undefined where no space is joined. */
  get canceller(): ContextCanceller | undefined {
    return this.participant;
  }

  start(): void {
    this.participant?.start();
  }

  async stop(): Promise<void> {
    await this.participant?.stop();
  }

  get problems(): readonly string[] {
    const problem = this.participant?.problem;
    return problem === undefined ? [] : [problem];
  }
}
