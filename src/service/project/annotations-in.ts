import { approvalEventId } from '../../model/approval.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import { detailOf } from '../../subscriptions/task-content.ts';
import { Annotations } from '../annotations/annotations.ts';
import { Approvals } from '../annotations/approvals.ts';
import type { Intake } from '../intake.ts';
import type { ControlTarget } from '../interrupts/control-target.ts';
import type { OperatorRecord } from '../operator-record.ts';
import type { SharedParts } from '../shared-parts.ts';
import { ownEventNodes } from './own-event-nodes.ts';
import type { ProjectParts } from './project-parts.ts';

/** What a project has so that people say something of steps, and agents ask them. */
export interface AnnotationsIn {
  readonly annotations: Annotations;
  readonly approvals: Approvals;
}

export function annotationsIn(
  { clock, logger }: SharedParts,
  { engine, persistence }: ProjectParts,
  {
    intake: consumer,
    reader,
    record,
    control,
  }: {
    readonly intake: Intake;
    readonly reader: ReaderApi;
    readonly record: OperatorRecord;
    readonly control: ControlTarget;
  },
): AnnotationsIn {
  const parts = {
    consumer,
    clock,
    nodeWith: async (id: string) => engine.graph.node(id) ?? (await detailOf(reader, id))?.node,
    nodeInMemory: (id: string) => engine.graph.node(id),
    isTold: (node: ExplanationNode) =>
      engine.graph.node(node.id) !== undefined && !engine.correlator.sources.isEvent(node),
    assertOpen: () => consumer.assertOpen(),
  };
  const approvals = new Approvals({
    ...parts,
    logger,
    ownNodes: () => ownEventNodes({ persistence, engine }, approvalEventId('')),
    tell: (outcome) => control.tellApproval(outcome),
  });
  const annotations = new Annotations({
    ...parts,
    approvals,
    madeFrom: (id) => engine.correlator.madeFrom(id),
    onAnnotated: record.annotated,
  });
  return { annotations, approvals };
}
