import { join } from 'node:path';
import type { ServiceConfig } from '../../config/schema.ts';
import { OpenSessions } from '../../receivers/thoughtflow/open-sessions.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import { detailOf } from '../../subscriptions/task-content.ts';
import { AgUiIn } from '../ag-ui/ag-ui-in.ts';
import type { Intake } from '../intake.ts';
import { MewIn } from '../mew/mew-in.ts';
import type { SharedParts } from '../shared-parts.ts';
import { ArtifactFiles } from '../thoughtflow/artifact-files.ts';
import { Artifacts } from '../thoughtflow/artifacts.ts';
import type { ProjectParts } from './project-parts.ts';

/** What a project holds of protocols whose senders tell of one thing in many requests. */
export interface SessionsIn {
  readonly agUi: AgUiIn;
  readonly mew: MewIn;
  /** Sessions of ThoughtFlow whose logs are being sent. */
  readonly openFlows: OpenSessions;
  /** Files of sessions that are over. */
  readonly artifacts: Artifacts;
}

export function sessionsIn(
  config: ServiceConfig,
  { clock, pace, logger, telemetry, ownMessages }: SharedParts,
  { persistence, engine }: ProjectParts,
  { intake, reader }: { readonly intake: Intake; readonly reader: ReaderApi },
): SessionsIn {
  const { store } = persistence;
  const keepsTexts = store !== undefined && !config.zeroDataRetention;
  const artifacts = new Artifacts({
    files: keepsTexts ? new ArtifactFiles(join(config.dataDir, 'thoughtflow')) : undefined,
    reader,
    isKnown: async (taskId) => {
      if (engine.graph.nodesOfTask(taskId).size > 0) return true;
      for await (const page of store?.archivedTask(taskId) ?? []) if (page.length > 0) return true;
      return false;
    },
    tell: async (taskId, event) => {
      await engine.told();
      engine.reader.tell(taskId, event);
    },
    retentionDays: config.persistRetentionDays,
    clock,
    logger,
  });
  const agUi = new AgUiIn({
    consumer: intake,
    clock,
    metrics: telemetry,
    logger,
    pace,
    agents: config.agUiAgents,
    forwardEncrypted: config.forwardEncrypted,
    sourcesOf: async (key) => {
      const node = engine.correlator.nodeOfSource(key);
      if (node) return [...engine.correlator.sources.keysOf(node.id)];
      return (await store?.archivedNode(key))?.sources;
    },
    stepOf: (key) => detailOf(reader, key),
  });
  const mew = new MewIn({
    consumer: intake,
    clock,
    metrics: telemetry,
    pace,
    isOwn: (envelope) => ownMessages.has(envelope),
  });
  return { agUi, mew, openFlows: new OpenSessions(), artifacts };
}
