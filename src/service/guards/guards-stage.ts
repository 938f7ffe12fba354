import { randomUUID } from 'node:crypto';
import type { Principal } from '../../access/principal.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Turns } from '../../base/pace.ts';
import type { Guard } from '../../guards/guard.ts';
import { Guards, isInterrupting, type Firing } from '../../guards/guards.ts';
import { eventNodeId } from '../../model/ids.ts';
import type { Interrupted } from '../../model/interrupt.ts';
import { DEFAULT_PROJECT } from '../../model/project-name.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import type { GuardAction } from '../../telemetry/instruments.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Engine } from '../engine.ts';
import type { Interrupts } from '../interrupts/interrupts.ts';
import type { OperatorRecord } from '../operator-record.ts';
import { OwnEvents } from '../own-events.ts';
import type { Stage } from '../stages.ts';
import { firingIn, guardEvent, guardEventId, wordsOf } from './guard-event.ts';

export interface GuardMetrics {
  guardFired(guard: string, action: GuardAction, count: number): void;
}

export interface GuardsStageOptions {
  readonly guards: readonly Guard[];
  readonly abandonAfterMinutes: number;
  readonly engine: Pick<Engine, 'graph' | 'correlator' | 'onChanged'>;
  readonly consumer: RecordConsumer;
  readonly interrupts: Pick<Interrupts, 'ask'>;
  /** Whom to ask to stop; undefined where nothing runs and nobody waits. */
  readonly whom: (firing: Firing) => Interrupted | undefined;
  readonly record: Pick<OperatorRecord, 'guardFired'>;
  readonly metrics: GuardMetrics;
  readonly clock: Clock;
  readonly turns: Turns;
  readonly logger: Logger;
}

export interface GuardsStage extends Stage {
  /** These tasks were erased: nothing of them is remembered, or recorded any more. */
  forget(tasks: readonly string[]): void;
}

const MINUTE_MS = 60_000;

/** Has the guards of a project follow its graph, and does what they say. Where none are set there is nothing. */
export function guardsStage(options: GuardsStageOptions): GuardsStage {
  const { guards, abandonAfterMinutes, engine, metrics, clock, logger } = options;
  if (guards.length === 0) return { forget: () => undefined };
  const events = new OwnEvents({ ...options, lost: 'that a guard fired is not on the graph' });
  const { graph, correlator } = engine;
  const all = new Guards({
    guards,
    graph,
    clock,
    turns: options.turns,
    stepOf: (node) => correlator.sources.countedAs(node),
    firingIn: (node) => (correlator.sources.isEvent(node) ? firingIn(node) : undefined),
    // What is silent for longer counts as abandoned where it runs: it is nobody's to stop.
    freshMs: abandonAfterMinutes * MINUTE_MS,
    onFired: (firing) => act(firing, options, events),
  });
  // Counted from 0, so that the first firing is an increase.
  for (const guard of guards) metrics.guardFired(guard.name, actionOf(guard), 0);
  return {
    start() {
      engine.onChanged((_, log) => all.follow(log));
      all.start();
      logger.info({ guards: guards.length }, 'guards watch what agents do');
    },
    stop() {
      all.stop();
      return events.stop();
    },
    forget: (tasks) => all.forget(tasks),
  };
}

/** To stop somebody matters more than that it is recorded. */
function act(firing: Firing, options: GuardsStageOptions, events: OwnEvents): void {
  const { engine, metrics, record, logger, whom } = options;
  const { by, guard, taskId, limit } = firing;
  const about = isInterrupting(by) ? whom(firing) : undefined;
  const principal = guardPrincipal(by);
  if (about) void ask(firing, about, principal, options);
  events.record(guardEvent(firing, about !== undefined), () => engine.graph.nodesOfTask(taskId).size > 0);
  record.guardFired(principal, taskId, `${actionOf(by)}: ${wordsOf(firing)}`);
  metrics.guardFired(guard, actionOf(by), 1);
  logger.warn({ guard, limit, action: actionOf(by) }, 'a guard fired');
}

async function ask(
  firing: Firing,
  about: Interrupted,
  principal: Principal,
  { interrupts, logger }: GuardsStageOptions,
): Promise<void> {
  const { limit } = firing;
  const isOfTime = limit === 'runningSeconds' || limit === 'nothingNewSeconds';
  const why = {
    id: randomUUID().replaceAll('-', ''),
    isFresh: true,
    reason: isOfTime ? 'timeout' : 'resource_limit',
    message: wordsOf(firing),
    after: eventNodeId(guardEventId(firing)),
  } as const;
  try {
    await interrupts.ask(why, principal, () => Promise.resolve(about));
  } catch (error) {
    logger.error(
      { guard: firing.guard, code: BoundaryError.from(error).code },
      'a guard could not interrupt',
    );
  }
}

function actionOf(guard: Guard): GuardAction {
  return isInterrupting(guard) ? 'interrupt' : guard.dryRun ? 'dry_run' : 'warn';
}

/** It asks in its own name, and not at the expense of people. */
function guardPrincipal({ name, project = DEFAULT_PROJECT }: Guard): Principal {
  return { by: 'guard', id: `guard:${name}`, name: `guard:${name}`, roles: [], project };
}
