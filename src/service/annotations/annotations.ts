import type { Principal } from '../../access/principal.ts';
import { allows } from '../../access/roles.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import { SharedLock } from '../../base/shared-lock.ts';
import {
  annotationEventId,
  annotationsOf,
  MAX_ANNOTATIONS,
  type Annotation,
  type AnnotationState,
} from '../../model/annotation.ts';
import { eventNodeId } from '../../model/ids.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import { epochMs, toIso } from '../../model/time.ts';
import type { AnnotationsApi } from '../../servers/annotations-api.ts';
import { askerId, askerName, isOf } from '../asker-id.ts';
import { AskerPace } from '../asker-pace.ts';
import type { Given } from '../given.ts';
import type { Approvals } from './approvals.ts';
import { approvalIn } from './approval-events.ts';
import { annotationEvent } from './annotation-event.ts';
import { givenAnnotation, type GivenAnnotation } from './given-annotation.ts';

export interface AnnotationsOptions {
  readonly consumer: RecordConsumer;
  readonly clock: Clock;
  /** In memory or archived; undefined when nothing with this id is known. */
  readonly nodeWith: (nodeId: string) => Promise<ExplanationNode | undefined>;
  /** From which node one is made that has no records of its own: a thought of a call; undefined for others. */
  readonly madeFrom: (nodeId: string) => string | undefined;
  /** What agents wait for. */
  readonly approvals: Pick<Approvals, 'decide'>;
  /** Told of each that was taken. */
  readonly onAnnotated: (by: Principal, nodeId: string, kind: AnnotationState['kind']) => void;
  /** @throws BoundaryError UNAVAILABLE while nothing is taken in */
  readonly assertOpen: () => void;
}

/** People write a few; more is a program that goes wrong. */
const A_MINUTE = 30;

/** Takes what people say of steps: it is recorded as an event, and the graph makes the rest of it. */
export class Annotations implements AnnotationsApi {
  private readonly options: AnnotationsOptions;
  private readonly pace: AskerPace;
  /** One after the other: each is checked against what stands after the one before. */
  private readonly turns = new SharedLock();

  constructor(options: AnnotationsOptions) {
    this.options = options;
    this.pace = new AskerPace(A_MINUTE, 'annotate', options.clock);
  }

  async annotate(nodeId: string, given: Given, by: Principal): Promise<AnnotationState> {
    this.options.assertOpen();
    const said = givenAnnotation(given);
    if (said.kind === 'approval' && !allows(by.roles, 'interrupt'))
      throw new BoundaryError(
        'PERMISSION_DENIED',
        'kind: an approval needs the right "interrupt", which operators have; write a note or a verdict',
      );
    const { id, isFresh } = askerId(given, by, nodeId);
    return this.turns.alone(async () => {
      const before = isFresh ? undefined : await this.options.nodeWith(eventNodeId(annotationEventId(id)));
      if (before) return stateOf(id, nodeId, before);
      this.pace.admit(by);
      const node = await this.options.nodeWith(nodeId);
      if (!node) throw new BoundaryError('NOT_FOUND', 'nodeId: no node with this id is known');
      return this.take(id, node, said, by);
    });
  }

  private async take(
    id: string,
    node: ExplanationNode,
    said: GivenAnnotation,
    by: Principal,
  ): Promise<AnnotationState> {
    const { clock, consumer, madeFrom, approvals, onAnnotated } = this.options;
    assertTakes(node, said, by);
    const event = annotationEvent(id, said, {
      by,
      at: epochMs(clock.now()),
      taskId: node.taskId,
      nodeId: madeFrom(node.id) ?? node.id,
      partId: madeFrom(node.id) === undefined ? undefined : node.id,
    });
    const record = (): Promise<void> =>
      consumer.consume({ receivedAt: clock.monotonic(), source: 'bus', records: [event] });
    if (said.kind === 'approval') await approvals.decide(node, { ...said, by: askerName(by) }, record);
    else await record();
    onAnnotated(by, node.id, said.kind);
    return {
      id,
      nodeId: eventNodeId(event.eventId),
      stepId: node.id,
      kind: said.kind,
      ...(said.verdict !== undefined && { verdict: said.verdict }),
      ...(said.decision !== undefined && { decision: said.decision }),
      by: askerName(by),
      at: toIso(event.time),
    };
  }
}

/** @throws BoundaryError FAILED_PRECONDITION, NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED */
function assertTakes(node: ExplanationNode, { kind, replaces }: GivenAnnotation, by: Principal): void {
  if (node.type === 'SUMMARY' || node.details?.['notice'] === 'truncated')
    throw new BoundaryError(
      'FAILED_PRECONDITION',
      'this stands for several steps: expand it, and annotate one of them',
    );
  const standing = annotationsOf(node);
  if (replaces !== undefined)
    return assertReplaces(
      standing.find(({ id }) => id === replaces),
      by,
    );
  // An agent that waits gets its answer, whatever stands there.
  const isAnswer = kind === 'approval' && approvalIn(node) !== undefined;
  if (!isAnswer && standing.length >= MAX_ANNOTATIONS)
    throw new BoundaryError(
      'RESOURCE_EXHAUSTED',
      `${MAX_ANNOTATIONS} annotations stand on this node: withdraw or replace one`,
    );
}

function assertReplaces(replaced: Annotation | undefined, by: Principal): void {
  if (!replaced)
    throw new BoundaryError(
      'FAILED_PRECONDITION',
      'replaces: no annotation with this id stands on this node: it may be replaced or withdrawn already',
    );
  if (replaced.kind === 'approval')
    throw new BoundaryError('FAILED_PRECONDITION', 'replaces: an approval stands: add a note that says more');
  if (isOf(replaced.id, by) || allows(by.roles, 'operate')) return;
  throw new BoundaryError(
    'PERMISSION_DENIED',
    'replaces: only who wrote it may replace or withdraw it, and operators: add one of your own',
  );
}

/** As it was taken before. */
function stateOf(
  id: string,
  stepId: string,
  { id: nodeId, timestamp: at, details = {} }: ExplanationNode,
): AnnotationState {
  const { kind, verdict, decision, saidBy } = details as Partial<AnnotationState> & {
    readonly saidBy?: string;
  };
  return {
    id,
    nodeId,
    stepId,
    kind: kind ?? 'note',
    ...(verdict !== undefined && { verdict }),
    ...(decision !== undefined && { decision }),
    by: saidBy ?? '',
    at,
  };
}
