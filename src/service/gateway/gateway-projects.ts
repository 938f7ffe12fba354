import { BoundaryError } from '../../base/boundary-error.ts';
import type { ServiceConfig } from '../../config/schema.ts';
import type { GatewaySubscriptions } from '../../gateway/views/gateway-subscriptions.ts';
import { gatewayReader } from '../../gateway/gateway-reader.ts';
import type { CellSet } from '../../gateway/cells/cell-set.ts';
import { ITEM_BYTES } from '../../model/item-size.ts';
import { DEFAULT_PROJECT, isProjectName, PROJECT_NAME_RULE } from '../../model/project-name.ts';
import { dataDirProblem } from '../../storage/data-dir.ts';
import type { Route } from '../../servers/http/route.ts';
import type { AccessRecord } from '../access-record.ts';
import { operatorRecord } from '../operator-record.ts';
import { openPrivacy } from '../privacy.ts';
import { projectConfig } from '../project/project-config.ts';
import type { SharedParts } from '../shared-parts.ts';
import type { SpaceStack, SpaceStacks } from '../spaces.ts';
import type { Stage, Stages } from '../stages.ts';
import { splitFinder } from '../../gateway/answers/find-split.ts';
import type { CellWays } from './cell-ways.ts';
import { gatewaySpace } from './gateway-space.ts';

/** One project, as it is seen over all cells. */
export interface GatewayStack extends SpaceStack {
  readonly accesses: AccessRecord;
  readonly subscriptions: GatewaySubscriptions;
}

export interface GatewayProjectsOptions {
  readonly config: ServiceConfig;
  readonly shared: SharedParts;
  readonly cells: CellSet;
  /** What senders send to. */
  readonly sending: readonly Route[];
  /** How what is asked for is done at the cells. */
  readonly ways: CellWays;
  /** Of the gateway: what is opened is closed with them. */
  readonly stages: Stages;
}

/**
 * The projects of a gateway by name. Of each the cells have the data; here are its readers, and the record of what was done
 * through the gateway.
 */
export class GatewayProjects implements SpaceStacks, Stage {
  private readonly options: GatewayProjectsOptions;
  private readonly open = new Map<string, GatewayStack>();
  private readonly opening = new Map<string, Promise<void>>();
  private readonly named = new Set<string>();

  constructor(options: GatewayProjectsOptions) {
    this.options = options;
  }

  /** At the start these are opened as well. */
  alsoNamed(names: Iterable<string>): void {
    for (const name of names) this.named.add(name);
  }

  get subscriptionCount(): number {
    let count = 0;
    for (const { subscriptions } of this.open.values()) count += subscriptions.count;
    return count;
  }

  get names(): readonly string[] {
    return [...this.open.keys()].sort();
  }

  async start(): Promise<void> {
    for (const name of new Set([...this.named, ...Object.keys(this.options.config.projects)]))
      await this.ensure(name);
  }

  stop(reason: string): void {
    for (const { subscriptions } of this.open.values()) subscriptions.stop(reason);
  }

  /** Sees that there is a project of this name. @throws BoundaryError INVALID_ARGUMENT, RESOURCE_EXHAUSTED, FAILED_PRECONDITION */
  async ensure(name: string): Promise<void> {
    if (this.open.has(name)) return;
    if (!isProjectName(name))
      throw new BoundaryError('INVALID_ARGUMENT', `a project's name has ${PROJECT_NAME_RULE}`);
    const { maxProjects } = this.options.config;
    if (this.open.size >= maxProjects)
      throw new BoundaryError(
        'RESOURCE_EXHAUSTED',
        `there are ${maxProjects} projects already: raise maxProjects`,
      );
    const opening = this.opening.get(name) ?? this.openOne(name).finally(() => this.opening.delete(name));
    this.opening.set(name, opening);
    await opening;
  }

  of(name: string): GatewayStack {
    const stack = this.open.get(name);
    if (stack) return stack;
    throw new BoundaryError(
      'PERMISSION_DENIED',
      'what you belong to is no project of this gateway: ask its administrator',
    );
  }

  /** @throws BoundaryError FAILED_PRECONDITION when the data folder cannot be used */
  async openDefault(): Promise<GatewayStack> {
    await this.ensure(DEFAULT_PROJECT);
    return this.of(DEFAULT_PROJECT);
  }

  private async openOne(name: string): Promise<void> {
    const { shared, cells, sending, ways, stages } = this.options;
    const { clock, logger, pace, telemetry } = shared;
    const config = projectConfig(this.options.config, name);
    const privacy = await openPrivacy({
      config,
      clock,
      logger,
      hasRecords: false,
      taskOf: () => undefined,
    }).catch((error: unknown) => {
      throw dataDirProblem(config.dataDir, error);
    });
    await stages.start({ stop: () => privacy.flush() });
    const redact = (text: string): string => privacy.plainRedactor.redactText(text);
    const { accesses } = privacy;
    const record = operatorRecord(accesses, redact);
    // Ids and counts need no texts, whoever asks.
    const split = splitFinder(() => cells.asked({ project: name, level: 'structure' }), clock);
    const { reader, subscriptions } = gatewayReader({
      config,
      // A view of a gateway has its nodes for itself, where a service has them in its graph.
      maxViewItems: config.maxMemoryBytes / ITEM_BYTES,
      project: name,
      cells,
      clock,
      pace,
      metrics: telemetry,
    });
    cells.follow(subscriptions);
    this.open.set(name, {
      reader,
      subscriptions,
      accesses,
      space: (toldBy, place) =>
        gatewaySpace(
          toldBy,
          { record, accesses, redact, split, sending, cells: ways, clock, pace, logger },
          place,
        ),
    });
  }
}
