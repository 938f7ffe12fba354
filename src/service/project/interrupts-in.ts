import type { ServiceConfig } from '../../config/schema.ts';
import type { Interrupted, InterruptTarget } from '../../model/interrupt.ts';
import type { InterruptsApi } from '../../servers/http/control/interrupts-api.ts';
import type { ContextCanceller } from '../../receivers/mew/stop-requests.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import { detailOf } from '../../subscriptions/task-content.ts';
import type { Intake } from '../intake.ts';
import { ControlTarget } from '../interrupts/control-target.ts';
import { interruptRequests } from '../interrupts/interrupt-requests.ts';
import { interruptEventId } from '../interrupts/interrupt-events.ts';
import { MewTarget } from '../interrupts/mew-target.ts';
import { WebhookTarget } from '../interrupts/webhook-target.ts';
import { Interrupts } from '../interrupts/interrupts.ts';
import { taskNodes } from '../task-nodes.ts';
import type { OperatorRecord } from '../operator-record.ts';
import type { SharedParts } from '../shared-parts.ts';
import { ownEventNodes } from './own-event-nodes.ts';
import type { ProjectParts } from './project-parts.ts';

/** What a project has to ask its agents to stop. */
export interface InterruptsIn {
  readonly interrupts: Interrupts;
  readonly requests: InterruptsApi;
  readonly control: ControlTarget;
  /** Would somebody be told of that at once? */
  readonly isHeard: (about: Interrupted) => boolean;
}

export function interruptsIn(
  { interruptWebhook: webhook, mew }: ServiceConfig,
  { clock, logger, controlPlaces, telemetry }: SharedParts,
  { engine, privacy, persistence }: ProjectParts,
  {
    intake,
    reader,
    record,
    passed,
    canceller,
  }: {
    readonly intake: Intake;
    readonly reader: ReaderApi;
    readonly record: OperatorRecord;
    readonly passed: InterruptTarget;
    readonly canceller: () => ContextCanceller | undefined;
  },
): InterruptsIn {
  const control = new ControlTarget(controlPlaces);
  const inMew = mew ? [new MewTarget(canceller)] : [];
  const interrupts = new Interrupts({
    consumer: intake,
    clock,
    logger,
    targets: [
      control,
      passed,
      ...inMew,
      ...(webhook ? [new WebhookTarget({ ...webhook, clock, logger })] : []),
    ],
    nodeWith: async (nodeId) => (await detailOf(reader, nodeId))?.node,
    taskOf: (nodeId) => engine.graph.node(nodeId)?.taskId,
    ownNodes: () => ownEventNodes({ persistence, engine }, interruptEventId('')),
    onAsked: (by, { about, reason }) =>
      record.interrupted(by, about.nodeId ?? about.taskId ?? about.agent ?? 'own agents', reason),
    onRefused: (why) => telemetry.interruptRefused(why, 1),
    redact: (text) => privacy.plainRedactor.redactText(text),
  });
  const requests = interruptRequests({
    interrupts,
    reader,
    nodeOf: (id) => engine.graph.node(id),
    nodesOf: (taskId) => taskNodes(engine.graph, taskId),
    isWaitedFor: (taskId, traceIds) => control.waitsForTask(taskId, traceIds),
    assertOpen: () => intake.assertOpen(),
  });
  const isHeard = (about: Interrupted): boolean =>
    control.isHeard(about) || [passed, ...inMew].some((target) => target.canReach({ about }));
  return { interrupts, requests, control, isHeard };
}
