import { setImmediate } from 'node:timers/promises';
import type { Principal } from '../../access/principal.ts';
import type { ManualClock } from '../../base/clock.ts';
import type { AnnotationState } from '../../model/annotation.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import { createRedactor } from '../../redaction/redactor.ts';
import type { ApprovalFrame, ControlFrame } from '../../servers/control-api.ts';
import { detailOf } from '../../subscriptions/task-content.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { makeDoor } from '../../../test/support/make-door.ts';
import { makeEngine } from '../../../test/support/make-engine.ts';
import { batchOf, makeSpan, safe } from '../../../test/support/world.ts';
import type { Engine } from '../engine.ts';
import { ControlPlaces } from '../interrupts/control-places.ts';
import { ControlTarget } from '../interrupts/control-target.ts';
import { Annotations } from './annotations.ts';
import { Approvals } from './approvals.ts';

const redactor = createRedactor({ key: new Uint8Array(32).fill(5), maxCodeSnippetChars: 2000 });

export const OPERATOR: Principal = {
  by: 'key',
  id: 'k-operator',
  name: 'ops',
  roles: ['operator'],
  project: 'default',
};
export const ANALYST: Principal = { ...OPERATOR, id: 'k-ana', name: 'ana', roles: ['analyst'] };
export const AGENT: Principal = { ...OPERATOR, id: 'k-agent', name: 'coder', roles: ['sender'] };

export const TRACE = 'a'.repeat(32);
const START = 1_750_000_000_000;

/** The id of the n-th step. */
export function stepId(n: number): string {
  return `${TRACE}:${String(n).padStart(16, '0')}`;
}

/** One that waits on a control stream. */
export interface Stream {
  readonly end: () => void;
  readonly told: readonly ApprovalFrame[];
}

async function* nodesOf({ graph }: Engine): AsyncGenerator<readonly ExplanationNode[]> {
  for (const taskId of graph.taskIds())
    yield [...graph.nodesOfTask(taskId)].map((id) => graph.node(id)).filter((node) => node !== undefined);
}

/** An engine behind a door, people who say something of its steps, and agents that ask them. */
export class AnnotationsBench {
  readonly engine: Engine;
  readonly clock: ManualClock;
  control = new ControlTarget(new ControlPlaces());
  approvals: Approvals;
  annotations: Annotations;
  /** In front of the door. */
  before: () => Promise<void> = async () => {};

  constructor() {
    const { engine, clock } = makeEngine();
    this.engine = engine;
    this.clock = clock;
    clock.advance(START - clock.now());
    [this.approvals, this.annotations] = this.services();
  }

  /** As if the service had been started anew on what it keeps. */
  async restart(): Promise<void> {
    await this.approvals.stop();
    this.control = new ControlTarget(new ControlPlaces());
    [this.approvals, this.annotations] = this.services();
    await this.approvals.start();
  }

  /** A run of quick steps, each below the one before. */
  async steps(count: number): Promise<void> {
    const spans = Array.from({ length: count }, (_, at) =>
      safe(
        makeSpan({
          traceId: TRACE,
          spanId: String(at + 1).padStart(16, '0'),
          parentSpanId: at === 0 ? undefined : String(at).padStart(16, '0'),
          start: (START + at) as never,
          end: (START + at + 1) as never,
          durationMs: 1,
          name: `step ${at + 1}`,
          attrs: { taskID: 'T1', component: 'coder-agent' },
        }),
      ),
    );
    await this.engine.correlator.consume(batchOf(spans));
  }

  async says(given: object, by = ANALYST, nodeId = stepId(1)): Promise<AnnotationState> {
    return this.annotations.annotate(nodeId, given as never, by);
  }

  async asks(given: object = {}, by = AGENT) {
    return this.approvals.ask({ question: 'May I deploy?', taskId: 'T1', agent: 'CoderAgent', ...given }, by);
  }

  waits(who = AGENT, waiting: object = { agent: 'CoderAgent' }, lastId?: string): Stream {
    const frames: ControlFrame[] = [];
    const stream = { send: (frame: ControlFrame) => void frames.push(frame), end: () => {} };
    const end = this.control.wait(who, waiting as never, stream, lastId);
    return {
      end,
      get told() {
        return frames.filter((frame) => frame.type === 'approval');
      },
    };
  }

  node(id: string): ExplanationNode {
    const node = this.engine.graph.node(id);
    if (!node) throw new Error(`${id} is not there`);
    return node;
  }

  async settled(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await setImmediate();
  }

  private services(): [Approvals, Annotations] {
    const { engine, clock } = this;
    const door = makeDoor(redactor, clock, (records) => engine.correlator.consume(batchOf(records)));
    const consumer: RecordConsumer = {
      consume: async (batch) => {
        await this.before();
        await door.consume(batch);
      },
    };
    const parts = {
      consumer,
      clock,
      nodeWith: async (id: string) => (await detailOf(engine.reader, id))?.node,
      nodeInMemory: (id: string) => engine.graph.node(id),
      isTold: (node: ExplanationNode) => !engine.correlator.sources.isEvent(node),
      assertOpen: () => undefined,
    };
    const { control } = this;
    const approvals = new Approvals({
      ...parts,
      logger: silentLogger,
      ownNodes: () => nodesOf(engine),
      tell: (outcome) => control.tellApproval(outcome),
    });
    const annotations = new Annotations({
      ...parts,
      approvals,
      madeFrom: (id) => engine.correlator.madeFrom(id),
      onAnnotated: () => undefined,
    });
    return [approvals, annotations];
  }
}
