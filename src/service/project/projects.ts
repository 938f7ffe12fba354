import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BoundaryError, invalid } from '../../base/boundary-error.ts';
import type { Timer } from '../../base/clock.ts';
import { FairShares } from '../../base/fair-shares.ts';
import { hasCode } from '../../base/file-system.ts';
import { projectsNamed } from '../../config/projects.ts';
import type { ServiceConfig } from '../../config/schema.ts';
import type { RecordBatch, RecordConsumer } from '../../model/pipeline.ts';
import { DEFAULT_PROJECT, isProjectName, PROJECT_NAME_RULE } from '../../model/project-name.ts';
import type { TaskCounts } from '../../model/told-cells.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { SharedParts } from '../shared-parts.ts';
import { Stages, whenAll, type Stage } from '../stages.ts';
import { projectConfig, PROJECTS_FOLDER } from './project-config.ts';
import { openProject, type ProjectGauges, type ProjectOptions, type ProjectStack } from './project-stack.ts';
import type { ProjectBounds } from './project-parts.ts';

export interface ProjectsOptions extends Pick<ProjectOptions, 'ownListeners' | 'canceller' | 'hasPorts'> {
  readonly config: ServiceConfig;
  readonly shared: SharedParts;
}

interface OpenProject {
  readonly stack: ProjectStack;
  /** What was opened of it, for its end. */
  readonly stages: Stages;
}

/** The start waits so long for projects other than the default one; those that take longer come while others serve. */
const START_WAIT_MS = 5000;
/** A project whose folder could not be used is tried again so often; and what each may have of the disk is looked at. */
const LOOK_AGAIN_MS = 15_000;
/** How long a sender should wait for a project that is being opened. */
const OPENING_MS = 2000;
/**
 * What a project other than the default one may have of what that has in memory beside the graph, texts of nodes that are
 * looked at and views: sixteen projects must not have sixteen times as much, and a quarter is more than a few readers
 * look at.
 */
const PART = 1 / 4;

/**
 * The projects of a process by name, each a stack of its own: nothing crosses, because nothing is shared but what has no
 * data. The default one begins with the service, which does not start without it; of the others each begins, fails and
 * comes back by itself.
 */
export class Projects implements Stage {
  private readonly options: ProjectsOptions;
  private readonly memory: FairShares;
  private readonly store: FairShares;
  private readonly open = new Map<string, ProjectStack>();
  /** All but the default one. */
  private readonly others = new Map<string, OpenProject>();
  private readonly opening = new Map<string, { readonly stages: Stages; readonly done: Promise<void> }>();
  /** Those that are to be there, and are not yet: they are being opened, or it failed. */
  private readonly waiting = new Set<string>();
  private readonly named = new Set<string>();
  private timer: Timer | undefined;
  private isStopping = false;

  constructor(options: ProjectsOptions) {
    this.options = options;
    this.memory = new FairShares(options.config.maxMemoryBytes);
    this.store = new FairShares(options.config.maxStoreBytes);
  }

  /**
   * Opens the default project; its stages are the service's.
   * @throws BoundaryError FAILED_PRECONDITION when the data folder cannot be used
   */
  async openDefault(stages: Stages): Promise<ProjectStack> {
    const stack = await openProject(this.stackOptions(DEFAULT_PROJECT), stages);
    this.open.set(DEFAULT_PROJECT, stack);
    return stack;
  }

  /** At the start these are opened as well. */
  alsoNamed(names: Iterable<string>): void {
    for (const name of names) this.named.add(name);
  }

  /** Opens those that the configuration or a key names, or that have a folder; who takes long to restore goes on by itself. */
  async start(): Promise<void> {
    const names = await this.namesAtStart();
    for (const name of names) this.waiting.add(name);
    const begun = names.map((name) => this.ensure(name).catch(() => undefined));
    this.lookAgain();
    if (begun.length === 0) return;
    const patience = Promise.withResolvers<void>();
    const timer = this.options.shared.clock.after(START_WAIT_MS, () => patience.resolve());
    await Promise.race([Promise.all(begun), patience.promise]);
    timer.cancel();
  }

  /** The service begins to stop: what is under way in any of them ends soon. */
  hurry(): void {
    for (const stack of this.open.values()) stack.hurry();
  }

  /** What was taken is in the graphs and stores; readers are answered until `close`. */
  async stop(reason: string): Promise<void> {
    this.isStopping = true;
    this.timer?.cancel();
    // Who is restored yet reads its store no further.
    await whenAll(this.opening.values(), ({ stages, done }) =>
      Promise.allSettled([stages.stop(reason), done]),
    );
    await whenAll(this.others.values(), ({ stack }) => stack.work.stop?.(reason));
  }

  /** Closes what is open. */
  async close(reason: string): Promise<void> {
    await whenAll(this.others.values(), ({ stages }) => stages.stop(reason));
  }

  /**
   * Sees that there is a project of this name; at once where it is there.
   * @throws BoundaryError INVALID_ARGUMENT, RESOURCE_EXHAUSTED; what keeps its folder from being used
   */
  async ensure(name: string): Promise<void> {
    if (this.open.has(name)) return;
    if (!isProjectName(name)) throw invalid(`a project's name has ${PROJECT_NAME_RULE}`);
    if (this.isStopping) throw new BoundaryError('UNAVAILABLE', 'the service is shutting down');
    const { maxProjects } = this.options.config;
    const isNew = !this.waiting.has(name);
    if (isNew && this.open.size + this.waiting.size >= maxProjects)
      throw new BoundaryError(
        'RESOURCE_EXHAUSTED',
        `there are ${maxProjects} projects already: raise maxProjects, or remove the folder of one while the service is stopped`,
      );
    this.waiting.add(name);
    try {
      await this.openOnce(name);
    } catch (error) {
      if (isNew) this.waiting.delete(name);
      throw error;
    }
  }

  /**
   * What those have to do with who are of this project.
   * @throws BoundaryError UNAVAILABLE while it is opened or cannot be, PERMISSION_DENIED where there is none
   */
  of(name: string): ProjectStack {
    const stack = this.open.get(name);
    if (stack) return stack;
    if (this.waiting.has(name))
      throw new BoundaryError('UNAVAILABLE', 'your project is not open yet: try again later', {
        retryAfterMs: OPENING_MS,
      });
    throw new BoundaryError(
      'PERMISSION_DENIED',
      'what you belong to is no project of this service: ask its administrator',
    );
  }

  /** Takes what comes for a project from elsewhere than its senders. */
  consumerOf(name: string): RecordConsumer {
    return { consume: (batch: RecordBatch) => this.of(name).consumer.consume(batch) };
  }

  /** Their names, in order. */
  get names(): readonly string[] {
    return [...this.open.keys()].sort();
  }

  /** What is wrong and keeps the default project from nothing. Whoever asks need not know which projects there are. */
  warnings(): readonly string[] {
    const others = [...this.others.values()];
    const isWrong = this.waiting.size > 0 || others.some(({ stack }) => stack.problems().length > 0);
    const warned = [...this.open.values()].flatMap((stack) => stack.warnings());
    return isWrong
      ? [...new Set(warned), 'a project is not open, or has a problem: see the log']
      : [...new Set(warned)];
  }

  /** What all have together. */
  get gauges(): ProjectGauges {
    const sum = (of: (gauges: ProjectGauges) => number) => (): number => {
      let total = 0;
      for (const { gauges } of this.open.values()) total += of(gauges);
      return total;
    };
    return {
      nodesInMemory: sum((gauges) => gauges.nodesInMemory()),
      subscriptions: sum((gauges) => gauges.subscriptions()),
      memoryBytes: sum((gauges) => gauges.memoryBytes()),
      storeBytes: sum((gauges) => gauges.storeBytes()),
      storeRefusing: () => Math.min(1, sum((gauges) => gauges.storeRefusing())()),
      openCotStreams: sum((gauges) => gauges.openCotStreams()),
    };
  }

  /** Of what all have together. */
  async taskCounts(): Promise<TaskCounts> {
    const counts = await Promise.all(Array.from(this.open.values(), (stack) => stack.taskCounts()));
    return counts.reduce((all, { tasks, running }) => ({
      tasks: all.tasks + tasks,
      running: all.running + running,
    }));
  }

  private openOnce(name: string): Promise<void> {
    const running = this.opening.get(name);
    if (running) return running.done;
    const stages = new Stages();
    const done = this.openOther(name, stages).finally(() => this.opening.delete(name));
    this.opening.set(name, { stages, done });
    return done;
  }

  private async openOther(name: string, stages: Stages): Promise<void> {
    const options = this.stackOptions(name);
    try {
      const stack = await openProject(options, stages);
      await stages.start(stack.files, stack.work);
      if (this.isStopping) throw new BoundaryError('UNAVAILABLE', 'the service is shutting down');
      this.others.set(name, { stack, stages });
      this.open.set(name, stack);
      this.waiting.delete(name);
    } catch (error) {
      if (!this.isStopping)
        options.shared.logger.error(
          { err: error },
          'a project cannot be opened: it is tried again until it can, and others go on',
        );
      await stages.stop('not opened').catch(() => undefined);
      throw error;
    }
  }

  private lookAgain(): void {
    this.timer = this.options.shared.clock.after(LOOK_AGAIN_MS, () => {
      for (const stack of this.open.values()) stack.followShares();
      for (const name of this.waiting) void this.ensure(name).catch(() => undefined);
      this.lookAgain();
    });
  }

  /** As many as there may be; those that are named go before those that only have a folder. */
  private async namesAtStart(): Promise<readonly string[]> {
    const { dataDir, durability, maxProjects } = this.options.config;
    const folders = durability === 'memory' ? [] : await projectsIn(dataDir);
    const all = new Set([...this.named, ...projectsNamed(this.options.config), ...folders]);
    all.delete(DEFAULT_PROJECT);
    const names = [...all].slice(0, maxProjects - 1);
    if (names.length < all.size)
      this.options.shared.logger.warn(
        { projects: all.size, maxProjects },
        'there are more projects than maxProjects: some are not opened, and what they keep does not expire',
      );
    return names;
  }

  private stackOptions(name: string): ProjectOptions {
    const { config, shared, ...rest } = this.options;
    const isDefault = name === DEFAULT_PROJECT;
    const bounds: ProjectBounds = { memory: this.memory, store: this.store, part: isDefault ? 1 : PART };
    const logger = isDefault ? shared.logger : loggerOf(shared.logger, name);
    return { ...rest, bounds, config: projectConfig(config, name), shared: { ...shared, logger } };
  }
}

/** Those that have a folder. Other names, and links, are nobody's project. */
async function projectsIn(dataDir: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(join(dataDir, PROJECTS_FOLDER), { withFileTypes: true });
    const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    return names.filter((name) => isProjectName(name) && name !== DEFAULT_PROJECT).sort();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** So that the log says of which project it speaks. */
function loggerOf(logger: Logger, project: string): Logger {
  return {
    debug: (fields, message) => logger.debug({ project, ...fields }, message),
    info: (fields, message) => logger.info({ project, ...fields }, message),
    warn: (fields, message) => logger.warn({ project, ...fields }, message),
    error: (fields, message) => logger.error({ project, ...fields }, message),
  };
}
