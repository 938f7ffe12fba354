import { assert } from '../base/assert.ts';
import { BoundaryError, invalid } from '../base/boundary-error.ts';
import type { Clock, Timer } from '../base/clock.ts';
import type { AdaptationsFile, AdaptationVersion } from '../model/adaptations.ts';
import { epochMs, toIso } from '../model/time.ts';
import type { Logger } from '../telemetry/logger.ts';
import { edited, readAdaptations } from './adaptation-file.ts';
import { editsSchema, problemOf, type AdaptationEdits, type FileItem } from './fields.ts';
import { systemFiles, type Files } from './files.ts';
import { History } from './history.ts';

/** How long a change of the file by hand may go unnoticed. */
export const LOOK_MS = 1_000;

export interface AdaptationStoreOptions {
  /** JSON with comments; its history lies beside it. */
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly files?: Files;
}

/** An adaptation as it is in force. */
export interface HeldAdaptation {
  readonly id: string;
  readonly version: AdaptationVersion;
}

/** How often an edit begins anew because the file was changed by hand in the same moment. */
const MAX_ATTEMPTS = 3;

/**
 * The adaptations of a file that people edit by hand, and the service for those who may. The file says what is in force,
 * the history beside it what was. What the file says is written before the history, so a crash between both is like an edit
 * by hand: the next look gives it its version.
 */
export class AdaptationStore {
  private readonly path: string;
  private readonly historyPath: string;
  private readonly files: Files;
  private readonly clock: Clock;
  private readonly logger: Logger;
  private history: History | undefined;
  /** In the order of the file. */
  private ids: readonly string[] = [];
  private state: AdaptationsFile = { state: 'none' };
  /** Of the file when it was read last. */
  private mark: string | undefined;
  private isHistoryWritten = true;
  private lastWork: Promise<unknown> = Promise.resolve();
  private timer: Timer | undefined;

  constructor({ path, clock, logger, files = systemFiles }: AdaptationStoreOptions) {
    this.path = path;
    this.historyPath = historyPathOf(path);
    this.files = files;
    this.clock = clock;
    this.logger = logger;
  }

  /** Reads the file, if there is one, and looks after it from now on. */
  async start(): Promise<void> {
    await this.look();
    this.lookLater();
  }

  async stop(): Promise<void> {
    this.timer?.cancel();
    this.timer = undefined;
    await this.lastWork;
  }

  get file(): AdaptationsFile {
    return this.state;
  }

  /** For operators; undefined when all is well. */
  get problem(): string | undefined {
    const { state, problem, historyProblem } = this.state;
    if (state === 'broken') return `adaptations: the last good ones stay in force: ${problem ?? ''}`;
    return historyProblem === undefined ? undefined : `adaptations: ${historyProblem}`;
  }

  /** What is in force, in the order of the file. */
  get adaptations(): readonly HeldAdaptation[] {
    return this.ids.map((id) => {
      const version = this.history?.latest(id);
      assert(version, 'what is in force has a version');
      return { id, version };
    });
  }

  /** All that are known of one, also of one that was taken out of the file, the oldest first; none for an unknown id. */
  versions(id: string): readonly AdaptationVersion[] {
    return this.history?.versions(id) ?? [];
  }

  /** Reads the file again if it was changed. */
  async look(): Promise<void> {
    await this.alone(() => this.read(false));
  }

  /** @throws BoundaryError FAILED_PRECONDITION when there is none, or it is broken */
  async reload(): Promise<void> {
    await this.alone(() => this.read(true));
    if (this.state.state === 'none') throw noFile();
    this.assertGood();
  }

  /**
   * Changes the file and gives the change a version. What else stands in the file stays, comments as well.
   * @param input unchecked
   * @param expected the version that the edits are made of; any if absent
   * @param check of what it is now; throws to refuse the edits
   * @returns the version from now on, and whether it is a new one
   * @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION, UNAVAILABLE
   */
  async update(
    id: string,
    input: unknown,
    expected: number | undefined,
    check: (now: AdaptationVersion, edits: AdaptationEdits) => void = () => {},
  ): Promise<{ readonly version: AdaptationVersion; readonly changed: boolean }> {
    const edits = parseEdits(input);
    return this.alone(async () => {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        // What was changed by hand a moment ago is not written over.
        await this.read(true);
        this.assertGood();
        const now = this.current(id);
        if (expected !== undefined && expected !== now.version)
          throw new BoundaryError(
            'FAILED_PRECONDITION',
            `version: it is at version ${now.version} by now: read it again, and make the edits of that`,
          );
        check(now, edits);
        if (await this.write(id, edits)) {
          const version = this.current(id);
          return { version, changed: version !== now };
        }
      }
      throw new BoundaryError('UNAVAILABLE', 'the file is being edited by hand: send the edits again', {
        retryAfterMs: LOOK_MS,
      });
    });
  }

  private current(id: string): AdaptationVersion {
    if (this.state.state === 'none') throw noFile();
    const version = this.ids.includes(id) ? this.history?.latest(id) : undefined;
    if (version) return version;
    throw new BoundaryError(
      'NOT_FOUND',
      'id: no adaptation has this id; new ones are written into the file, which is read by itself',
    );
  }

  private assertGood(): void {
    if (this.state.state !== 'broken') return;
    throw new BoundaryError(
      'FAILED_PRECONDITION',
      `the adaptations file is broken, and the last good one stays in force: ${this.state.problem ?? ''}`,
    );
  }

  /** @returns false when the file was changed by hand meanwhile */
  private async write(id: string, edits: AdaptationEdits): Promise<boolean> {
    const found = await onDisk('read', () => this.files.read(this.path));
    const at = this.ids.indexOf(id);
    const item = found && readAdaptations(found.text).items?.[at];
    if (!item || found.mark !== this.mark) return false;
    const changes = changesOf(item, edits);
    if (Object.keys(changes).length === 0) return true;
    const text = edited(found.text, at, changes);
    const { items, problem } = readAdaptations(text);
    if (!items) throw invalid(`with these edits the file would be wrong: ${problem}`);
    const mark = await onDisk('written', () => this.files.replace(this.path, text, found.mark));
    if (mark === undefined) return false;
    this.mark = mark;
    await this.take(items, 'edit');
    return true;
  }

  /** @param always also when it looks unchanged */
  private async read(always: boolean): Promise<void> {
    try {
      if (!always && (await this.files.mark(this.path)) === this.mark && this.isHistoryWritten) return;
      const found = await this.files.read(this.path);
      this.mark = found?.mark;
      if (found) await this.takeText(found.text);
      else if (this.state.state !== 'none')
        this.isBroken('it is gone; put it back, or one without adaptations');
    } catch (error) {
      this.mark = undefined;
      this.isBroken(`it cannot be read (${codeOf(error)})`);
    }
  }

  private async takeText(text: string): Promise<void> {
    const { items, problem } = readAdaptations(text);
    if (!this.history) await this.restore();
    if (items) await this.take(items, 'file');
    else this.isBroken(problem);
  }

  private async take(items: readonly FileItem[], by: AdaptationVersion['by']): Promise<void> {
    const now = this.clock.now();
    const before = this.history ?? new History();
    this.history = before.with(items, now, by);
    this.ids = items.map(({ id }) => id);
    const isNew = this.history !== before;
    if (isNew || !this.isHistoryWritten) await this.writeHistory(this.history);
    const { loadedAt, historyProblem } = this.state;
    const wasGood = this.state.state === 'good';
    this.state = {
      state: 'good',
      loadedAt: wasGood && !isNew && loadedAt !== undefined ? loadedAt : toIso(epochMs(now)),
      ...(historyProblem !== undefined && { historyProblem }),
    };
    if (isNew || !wasGood) this.logger.info({ adaptations: items.length }, 'adaptations are read');
  }

  /** What was in force when the service stopped is, until the file says otherwise. */
  private async restore(): Promise<void> {
    const found = await this.files.read(this.historyPath);
    const history = found && History.parse(found.text);
    if (found && !history) {
      const as = `${this.historyPath}.damaged-${new Date(this.clock.now()).toISOString().replaceAll(':', '-')}`;
      await this.files.putAside(this.historyPath, as);
      this.logger.warn(
        { putAside: as },
        'the history of the adaptations cannot be read: it is put aside, and versions begin anew',
      );
    }
    this.history = history ?? new History();
    this.ids = this.history.ids.filter((id) => this.history?.latest(id)?.removed !== true);
  }

  private async writeHistory(history: History): Promise<void> {
    try {
      await this.files.replace(this.historyPath, history.toText());
      this.isHistoryWritten = true;
      const { historyProblem: _, ...rest } = this.state;
      this.state = rest;
    } catch (error) {
      const historyProblem = `versions cannot be written beside the file (${codeOf(error)}), and last until the service stops`;
      if (this.state.historyProblem !== historyProblem)
        this.logger.warn({ path: this.historyPath }, historyProblem);
      this.isHistoryWritten = false;
      this.state = { ...this.state, historyProblem };
    }
  }

  private isBroken(problem: string): void {
    const isSaid = this.state.state === 'broken' && this.state.problem === problem;
    this.state = { ...this.state, state: 'broken', problem };
    if (isSaid) return;
    this.logger.warn(
      { path: this.path, problem },
      'the adaptations file is broken: the last good one stays in force',
    );
  }

  private lookLater(): void {
    this.timer = this.clock.after(LOOK_MS, () => {
      void this.look().finally(() => {
        if (this.timer) this.lookLater();
      });
    });
  }

  /** One after the other: all of it is about one file. */
  private alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.lastWork.then(work);
    this.lastWork = done.catch(() => {});
    return done;
  }
}

/** `adaptations.jsonc` has `adaptations.history.json`. */
export function historyPathOf(path: string): string {
  return `${path.replace(/\.jsonc?$/, '')}.history.json`;
}

function parseEdits(input: unknown): AdaptationEdits {
  const { data, error } = editsSchema.safeParse(input);
  if (error) throw invalid(problemOf(error));
  if (Object.keys(data).length > 0) return data;
  throw invalid('the edits name nothing: give title, description, scope, tags, enabled or content');
}

/** The edits that change something. */
function changesOf(item: FileItem, edits: AdaptationEdits): AdaptationEdits {
  const now: Readonly<Record<string, unknown>> = { description: '', ...item };
  return Object.fromEntries(
    Object.entries(edits).filter(([field, value]) => JSON.stringify(now[field]) !== JSON.stringify(value)),
  );
}

/** @throws BoundaryError UNAVAILABLE where the disk refuses */
async function onDisk<T>(verb: 'read' | 'written', work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new BoundaryError('UNAVAILABLE', `the adaptations file cannot be ${verb} (${codeOf(error)})`, {
      cause: error,
    });
  }
}

function noFile(): BoundaryError {
  return new BoundaryError(
    'NOT_FOUND',
    'there is no adaptations file: write one where the setting `adaptationsFile` says, as docs/how-to/adaptations.md shows',
  );
}

function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code ?? 'no reason given';
}
