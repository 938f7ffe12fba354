import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AdaptationStore, historyPathOf } from '../../src/adaptations/adaptation-store.ts';
import type { Files } from '../../src/adaptations/files.ts';
import { BoundaryError } from '../../src/base/boundary-error.ts';
import { ManualClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { Situations } from '../support/situations.ts';

const PATH = '/data/adaptations.json';
const HISTORY = historyPathOf(PATH);
const COMMENT = '// written by hand';

/** A disk in memory that can end the process, or be full, at any step of a replacement. */
class Disk implements Files {
  readonly files = new Map<string, { text: string; mark: string }>();
  isDead = false;
  /** Steps until something happens; each replacement has three. */
  stepsLeft = Infinity;
  what: 'crash' | 'full' = 'crash';
  /** Somebody else writes in the middle of the next replacement. */
  meanwhile: (() => void) | undefined;
  private writes = 0;

  write(path: string, text: string): void {
    this.files.set(path, { text, mark: String(++this.writes) });
  }

  async mark(path: string): Promise<string | undefined> {
    this.assertAlive();
    return this.files.get(path)?.mark;
  }

  async read(path: string): Promise<{ text: string; mark: string } | undefined> {
    this.assertAlive();
    return this.files.get(path);
  }

  async replace(path: string, text: string, expected?: string): Promise<string | undefined> {
    this.step();
    this.write(`${path}.tmp`, text);
    this.step();
    if (expected !== undefined) {
      this.meanwhile?.();
      this.meanwhile = undefined;
      if (this.files.get(path)?.mark !== expected) return undefined;
    }
    this.files.delete(`${path}.tmp`);
    this.write(path, text);
    this.step();
    return this.files.get(path)?.mark;
  }

  async putAside(path: string, as: string): Promise<void> {
    this.assertAlive();
    const found = this.files.get(path);
    this.files.delete(path);
    if (found) this.write(as, found.text);
  }

  private step(): void {
    this.assertAlive();
    if (--this.stepsLeft >= 0) return;
    this.stepsLeft = Infinity;
    this.isDead = this.what === 'crash';
    throw Object.assign(new Error(this.what), { code: 'ENOSPC' });
  }

  private assertAlive(): void {
    if (this.isDead) throw new Error('the process is gone');
  }
}

interface Item {
  readonly id: string;
  readonly title: string;
  readonly content: string;
  readonly enabled: boolean;
}

interface ModelVersion extends Item {
  readonly removed: boolean;
}

type Versions = Readonly<Record<string, readonly ModelVersion[]>>;

/** What the store should hold: written the plain way. */
class Model {
  versions: Versions = {};
  items: readonly Item[] = [];
  state: 'none' | 'good' | 'broken' = 'none';

  /** The file was looked at. @param items undefined when it is broken @param isThere false when there is none */
  observe(items: readonly Item[] | undefined, isThere: boolean): void {
    if (!isThere && this.state === 'none') return;
    if (!items) {
      this.state = 'broken';
      return;
    }
    const next: Record<string, readonly ModelVersion[]> = { ...this.versions };
    for (const item of items) {
      const last = next[item.id]?.at(-1);
      const wanted = { ...item, removed: false };
      if (JSON.stringify(last) !== JSON.stringify(wanted)) next[item.id] = [...(next[item.id] ?? []), wanted];
    }
    for (const [id, versions] of Object.entries(next)) {
      const last = versions.at(-1);
      if (last && !last.removed && !items.some((item) => item.id === id))
        next[id] = [...versions, { ...last, enabled: false, removed: true }];
    }
    this.versions = next;
    this.items = items;
    this.state = 'good';
  }
}

function fileOf(items: readonly Item[]): string {
  return `${COMMENT}\n${JSON.stringify({ adaptations: items }, null, 2)}\n`;
}

/** undefined for what is broken. */
function itemsIn(text: string): readonly Item[] | undefined {
  try {
    const { adaptations } = JSON.parse(text.replace(/^\/\/.*\n/, '')) as { adaptations: Item[] };
    const ids = new Set(adaptations.map(({ id }) => id));
    if (ids.size < adaptations.length) return undefined;
    return adaptations.map(({ id, title, content, enabled }) => {
      assert.ok(typeof title === 'string' && typeof content === 'string' && typeof enabled === 'boolean');
      return { id, title, content, enabled };
    });
  } catch {
    return undefined;
  }
}

function versionsOf(store: AdaptationStore): Versions {
  return Object.fromEntries(
    ['a', 'b', 'c'].flatMap((id) => {
      const versions = store.versions(id);
      versions.forEach(({ version }, at) => assert.equal(version, at + 1));
      const times = versions.map(({ updatedAt }) => Date.parse(updatedAt));
      assert.ok(
        times.every((time, at) => at === 0 || time > (times[at - 1] ?? 0)),
        'each is later',
      );
      return versions.length === 0
        ? []
        : [
            [
              id,
              versions.map(({ title, content, enabled, removed }) => ({
                id,
                title,
                content,
                enabled,
                removed: removed ?? false,
              })),
            ],
          ];
    }),
  );
}

const item = fc.record({
  id: fc.constantFrom('a', 'b', 'c'),
  title: fc.constantFrom('T', 'U'),
  content: fc.constantFrom('x', 'y "z"', 'ü\n2'),
  enabled: fc.boolean(),
});
const items = fc.uniqueArray(item, { maxLength: 3, size: 'max', selector: ({ id }) => id });
const edits = fc.record(
  { title: fc.constantFrom('T', 'V'), content: fc.constantFrom('x', 'w'), enabled: fc.boolean() },
  { requiredKeys: ['enabled'] },
);
const broken = fc.oneof(
  items.map((all) => fileOf(all).slice(0, -4)),
  fc.constantFrom(
    '',
    '[]',
    '{"adaptations": [{"id": "a"}]}',
    '{"adaptations": [{"id": "a", "title": "T", "content": 7, "enabled": true}]}',
    fileOf([1, 2].map(() => ({ id: 'a', title: 'T', content: 'x', enabled: true }))),
  ),
);
const command = fc.oneof(
  { weight: 3, arbitrary: items.map((all) => ({ do: 'write' as const, text: fileOf(all) })) },
  broken.map((text) => ({ do: 'write' as const, text })),
  fc.constant({ do: 'delete' as const }),
  { weight: 2, arbitrary: fc.constantFrom({ do: 'look' as const }, { do: 'reload' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
  { weight: 1, arbitrary: fc.integer({ min: -5000, max: 5000 }).map((ms) => ({ do: 'clock' as const, ms })) },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('update' as const),
      id: fc.constantFrom('a', 'b', 'c'),
      edits,
      expects: fc.constantFrom('nothing' as const, 'right' as const, 'wrong' as const),
      /** At which step of the disk something happens. */
      at: fc.option(fc.nat({ max: 6 }), { nil: undefined }),
      what: fc.constantFrom('crash' as const, 'full' as const),
      meanwhile: fc.option(items, { nil: undefined, freq: 4 }),
    }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;
type Update = Extract<Command, { readonly do: 'update' }>;

/** One that jumps as well. */
class MovableClock extends ManualClock {
  private offset = 0;

  shift(ms: number): void {
    this.offset += ms;
  }

  override now(): number {
    return super.now() + this.offset;
  }
}

/** One store after another over one disk, beside the model. */
class Play {
  readonly disk = new Disk();
  readonly model = new Model();
  readonly clock = new MovableClock();
  store = this.open();
  private readonly situations: Situations<Name>;

  constructor(situations: Situations<Name>) {
    this.situations = situations;
  }

  async run(command: Command): Promise<void> {
    this.clock.advance(10);
    switch (command.do) {
      case 'write':
        this.disk.write(PATH, command.text);
        return;
      case 'delete':
        this.disk.files.delete(PATH);
        return;
      case 'clock':
        this.clock.shift(command.ms);
        return;
      case 'look':
        await this.store.look();
        return this.observe();
      case 'reload':
        await this.store.reload().catch(refused);
        return this.observe();
      case 'restart':
        return this.restart();
      case 'update':
        await this.update(command);
        // A history that a full disk kept from being written is written by the next look.
        return this.store.look();
    }
  }

  async restart(): Promise<void> {
    const { model, disk } = this;
    this.store = this.open();
    const isThere = disk.files.has(PATH);
    // Without the file there is nothing, whatever was; with a broken one what was in force is.
    const before = model.versions;
    model.state = 'none';
    await this.store.look();
    if (!isThere) {
      model.versions = {};
      model.items = [];
      assert.deepEqual(this.store.adaptations, []);
      // Of several starts without it, the first knew what was before.
      this.remembered ??= before;
      return;
    }
    this.situations.saw('a restart with a broken file', itemsIn(this.text ?? '') === undefined ? 1 : 0);
    this.observe();
  }

  assertSame(): void {
    const { store, model } = this;
    assert.equal(store.file.state, model.state);
    assert.deepEqual(versionsOf(store), model.state === 'none' ? {} : model.versions);
    const inForce = store.adaptations.map(({ id, version: { title, content, enabled } }) => ({
      id,
      title,
      content,
      enabled,
    }));
    if (this.isOrderKnown) assert.deepEqual(inForce, model.items);
    else assert.deepEqual(sorted(inForce), sorted(model.items));
  }

  /** After a restart with a broken file the order of the file is not known. */
  private isOrderKnown = true;
  /** Of what was before the file was gone at a start. */
  private remembered: Versions | undefined;

  private get text(): string | undefined {
    return this.disk.files.get(PATH)?.text;
  }

  /** The store has looked at the file. @param text of it, when that was */
  private observe(text = this.text): void {
    const { model } = this;
    if (text !== undefined && this.remembered) {
      model.versions = this.remembered;
      this.remembered = undefined;
    }
    const found = text === undefined ? undefined : itemsIn(text);
    const isStart = model.state === 'none' && text !== undefined;
    model.observe(found, text !== undefined);
    if (found) this.isOrderKnown = true;
    else if (isStart) {
      this.isOrderKnown = false;
      model.items = Object.values(model.versions).flatMap((versions) => {
        const last = versions.at(-1);
        return last && !last.removed ? [plainItem(last)] : [];
      });
    }
    if (!found) this.situations.saw('a broken or missing file');
  }

  private async update({ id, edits: wanted, expects, at, what, meanwhile }: Update): Promise<void> {
    const { disk, model, situations } = this;
    const before = this.text;
    // What the store has written of it by now.
    const durable = this.remembered ?? model.versions;
    this.observe();
    const latest = model.state === 'none' ? 0 : (model.versions[id]?.length ?? 0);
    const expected = { nothing: undefined, right: Math.max(latest, 1), wrong: latest + 1 }[expects];
    disk.stepsLeft = at ?? Infinity;
    disk.what = what;
    const quick = fileOf(meanwhile ?? []);
    disk.meanwhile = meanwhile && (() => disk.write(PATH, quick));
    const result = await this.store.update(id, wanted, expected).catch((error: unknown) => {
      // What a dead process throws nobody sees.
      if (disk.isDead) return new BoundaryError('UNAVAILABLE', 'the process is gone');
      return refused(error);
    });
    const wasQuicker = meanwhile !== undefined && disk.meanwhile === undefined;
    const hadTrouble = at !== undefined && disk.stepsLeft === Infinity;
    disk.meanwhile = undefined;
    disk.stepsLeft = Infinity;
    if (disk.isDead) return this.afterCrash(before, durable);
    if (wasQuicker) {
      situations.saw('a hand that was quicker');
      // What the hand wrote was seen, and was not written over unseen; the rest follows from the file.
      this.observe(quick);
    }
    const was = wasQuicker ? quick : before;
    const isThere = model.state === 'good' && model.items.some((one) => one.id === id);
    if (result instanceof BoundaryError) {
      if (hadTrouble && result.code === 'UNAVAILABLE') {
        situations.saw('a full disk');
        // It may have been put in its place all the same; the next look tells.
        await this.store.look();
        return this.observe();
      }
      assert.equal(this.text, was);
      const isOutdated = expected !== undefined && expected !== model.versions[id]?.length;
      assert.ok(!isThere || isOutdated, result.message);
      situations.saw('an outdated edit', isThere ? 1 : 0);
      return;
    }
    assert.ok(isThere && (wasQuicker || expected === undefined || expected === latest));
    assert.ok(this.text?.startsWith(COMMENT), 'comments stay');
    assert.deepEqual(
      itemsIn(this.text ?? ''),
      itemsIn(was ?? '')?.map((one) => (one.id === id ? { ...one, ...wanted } : one)),
    );
    const known = model.versions[id]?.length ?? 0;
    this.observe();
    assert.equal(result.version.version, model.versions[id]?.length);
    assert.equal(result.changed, result.version.version === known + 1);
    situations.saw('an edit', result.changed ? 1 : 0);
  }

  /** What is on the disk is from before or after; a new store goes on from there. */
  private async afterCrash(before: string | undefined, durable: Versions): Promise<void> {
    const { disk, model, situations } = this;
    disk.isDead = false;
    const isAfter = this.text !== before;
    const seen = JSON.parse(disk.files.get(HISTORY)?.text ?? '{"adaptations":{}}') as {
      adaptations: Record<string, (Item & { removed?: true })[]>;
    };
    const onDisk = Object.fromEntries(
      Object.entries(seen.adaptations).map(([id, versions]) => [
        id,
        versions.map(({ title, content, enabled, removed }) => ({
          id,
          title,
          content,
          enabled,
          removed: removed ?? false,
        })),
      ]),
    );
    // All that was acknowledged before is there, and no version is another one.
    for (const [id, versions] of Object.entries(durable))
      assert.deepEqual(onDisk[id]?.slice(0, versions.length), versions);
    const isBehind = isAfter && JSON.stringify(onDisk) === JSON.stringify(durable);
    situations.saw('a crash before the file', isAfter ? 0 : 1);
    situations.saw('a crash between file and history', isBehind ? 1 : 0);
    model.versions = onDisk;
    await this.restart();
  }

  private open(): AdaptationStore {
    return new AdaptationStore({ path: PATH, clock: this.clock, logger: silentLogger, files: this.disk });
  }
}

function plainItem({ id, title, content, enabled }: ModelVersion): Item {
  return { id, title, content, enabled };
}

function sorted(all: readonly Item[]): readonly Item[] {
  return all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function refused(error: unknown): BoundaryError {
  if (error instanceof BoundaryError) return error;
  throw error;
}

const NAMES = [
  'an edit',
  'an outdated edit',
  'a hand that was quicker',
  'a broken or missing file',
  'a restart with a broken file',
  'a full disk',
  'a crash before the file',
  'a crash between file and history',
] as const;
type Name = (typeof NAMES)[number];

test('[AD3] [AD5] whatever hands, edits, full disks and crashes do: what is in force and all its versions are those of the model', async (t) => {
  const situations = new Situations<Name>(...NAMES);
  await fc.assert(
    fc.asyncProperty(items, fc.array(command, { minLength: 1, maxLength: 25 }), async (first, commands) => {
      situations.nextCase();
      const play = new Play(situations);
      if (first.length > 0) play.disk.write(PATH, fileOf(first));
      for (const one of commands) {
        await play.run(one);
        if (one.do !== 'write' && one.do !== 'delete' && one.do !== 'clock') play.assertSame();
      }
    }),
    propertyRuns(),
  );
  situations.tell(t);
});
