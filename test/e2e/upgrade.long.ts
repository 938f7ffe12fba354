import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { VERSION } from '../../src/base/version.ts';
import type { LiveGraph } from '../../src/client/live-graph.ts';
import { connect } from '../../src/client/node.ts';
import { completeCells } from '../../src/gateway/cells/cell-addresses.ts';
import { CellRing } from '../../src/gateway/routing/cell-ring.ts';
import { until, untilPasses } from '../support/until.ts';
import { run } from '../cli/run-command.ts';
import { canonical, contentOf } from '../client/canonical.ts';
import { Fleet, programOf } from './fleet.ts';
import { SteadySenders, taskOf, traceId } from './steady-senders.ts';

/** The first two numbers are others, so that gateways tell it apart. */
const NEXT_VERSION = VERSION.replace(/^(\d+)\.(\d+)/, (_, major: string, minor: string) =>
  [major, Number(minor) + 1].join('.'),
);
const NOTHING = { lost: [], more: [] };
const BOUNDED = { timeout: 280_000 };

interface UnderLoad {
  readonly fleet: Fleet;
  readonly senders: SteadySenders;
  readonly readers: readonly LiveGraph[];
}

/** Cells behind a gateway that is sent to and read from by now. */
async function underLoad(t: TestContext, count: number): Promise<UnderLoad> {
  return loaded(t, await Fleet.start(t, count));
}

/** @param lasting traces that go on all the while */
async function loaded(t: TestContext, fleet: Fleet, lasting: readonly string[] = []): Promise<UnderLoad> {
  const { address, otlpHttp } = fleet.gateway;
  const readers = await readersOf(t, fleet);
  const senders = new SteadySenders({ otlpHttp, readers: address, lasting });
  senders.start();
  await senders.more();
  return { fleet, senders, readers };
}

/** Each view as somebody has it who reads all the while. */
async function readersOf(t: TestContext, { url }: Fleet): Promise<readonly LiveGraph[]> {
  const client = connect({ url });
  t.after(() => client.close());
  const readers = [{ collapse: 'none' as const }, {}].map((view) => client.subscribe(view));
  await Promise.all(readers.map((live) => live.ready));
  return readers;
}

/** What is begun is sent; then all that was acknowledged is shown, once and whole, and who read all the while sees what a fresh snapshot shows. */
async function assertShown(t: TestContext, { fleet, senders, readers }: UnderLoad): Promise<void> {
  await senders.stop();
  const client = connect({ url: fleet.url });
  t.after(() => client.close());
  // A thought is the request that it is of, and what was thought.
  const thoughts = [...senders.thoughts.keys()].flatMap((id) => [`req:${id}`, `thought:1:req:${id}`]);
  const sent = new Set([...senders.spans, ...thoughts]);
  await untilPasses(async () => {
    const { nodes, notices = [] } = await client.getGraph({ collapse: 'none' });
    const shown = new Set(nodes.map(({ id }) => id));
    assert.equal(nodes.length, shown.size);
    assert.deepEqual(
      { lost: [...sent.difference(shown)], more: [...shown.difference(sent)] },
      NOTHING,
      notices.join(),
    );
  });
  for (const [requestId, read] of senders.thoughts) {
    const { texts } = await client.getNode(`req:${requestId}`);
    assert.match(texts?.reasoning ?? '', read);
  }
  for (const [index, view] of [{ collapse: 'none' as const }, {}].entries())
    await untilPasses(async () => {
      const { graph, notices } = readers[index]!;
      const fresh = await client.getGraph(view);
      assert.deepEqual(canonical(contentOf(graph)), canonical(fresh));
      assert.deepEqual(notices, fresh.notices ?? []);
    });
}

/** Where the parts of each task are. */
async function placesOf(fleet: Fleet): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const places = new Map<string, Set<string>>();
  for (const name of fleet.cells.keys())
    for (const { taskId } of (await fleet.graphOf(name)).nodes)
      places.set(taskId, (places.get(taskId) ?? new Set()).add(name));
  return places;
}

function splitTasks(places: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  return [...places].flatMap(([task, cells]) => (cells.size > 1 ? [task] : [])).sort();
}

/** No task has parts in two cells, and each cell has some. */
async function assertApart(fleet: Fleet): Promise<void> {
  const places = await placesOf(fleet);
  assert.deepEqual(splitTasks(places), []);
  assert.deepEqual(new Set([...places.values()].flatMap((names) => [...names])), new Set(fleet.cells.keys()));
}

test(
  '[DG6] cells are upgraded one after the other under load, then the gateway: nothing that was acknowledged is lost',
  BOUNDED,
  async (t) => {
    const next = await programOf(t, NEXT_VERSION);
    const load = await underLoad(t, 3);
    const { fleet, senders } = load;
    for (const [name, cell] of fleet.cells) {
      await cell.stop();
      await cell.start(next);
      await fleet.serves(name, NEXT_VERSION);
      await senders.more();
    }
    const upgraded = await fleet.list();
    assert.deepEqual(
      upgraded.map(({ version, oddities }) => [version, oddities]),
      upgraded.map(() => [NEXT_VERSION, ['other_version']]),
    );
    await fleet.gateway.stop();
    await fleet.gateway.start(next);
    await senders.more();
    await fleet.serves();
    const notices = (await fleet.list()).flatMap((cell) => cell.notices);
    assert.deepEqual(notices, []);
    await assertShown(t, load);
    await assertApart(fleet);
  },
);

test(
  '[DG7] a gateway is stopped, and killed, under load, and another one begins at its address: nothing that was acknowledged is lost',
  BOUNDED,
  async (t) => {
    const load = await underLoad(t, 2);
    const { fleet, senders } = load;
    const { gateway } = fleet;
    await gateway.stop();
    await gateway.start();
    await senders.more();
    await gateway.kill();
    await gateway.start();
    await senders.more();
    await assertShown(t, load);
    await assertApart(fleet);
  },
);

/** Traces that the last cell takes over when it is added, and such that stay where they are. */
function tracesAround(fleet: Fleet): {
  readonly moving: readonly string[];
  readonly staying: readonly string[];
} {
  const ringOf = (names: readonly string[]): CellRing =>
    new CellRing(
      completeCells(
        names.map((name) => ({ name, address: fleet.cell(name).address })),
        4317,
      ),
    );
  const names = [...fleet.cells.keys()];
  const [before, after] = [ringOf(names.slice(0, -1)), ringOf(names)];
  const moving: string[] = [];
  const staying: string[] = [];
  while (moving.length < 2 || staying.length < 2) {
    const trace = traceId();
    const key = Buffer.from(trace, 'hex');
    (before.of(key) === after.of(key) ? staying : moving).push(trace);
  }
  return { moving: moving.slice(0, 2), staying: staying.slice(0, 2) };
}

test(
  '[DG8] a cell that is added under load gets its share of what runs, nothing is lost, and a notice names what is in two cells',
  BOUNDED,
  async (t) => {
    const fleet = await Fleet.start(t, 3);
    await fleet.startCell('cell-3');
    const { moving, staying } = tracesAround(fleet);
    const load = await loaded(t, fleet, [...moving, ...staying]);
    await fleet.writeList();
    await fleet.serves();
    await load.senders.more();
    await assertShown(t, load);
    const split = splitTasks(await placesOf(fleet));
    for (const trace of moving) assert.ok(split.includes(taskOf(trace)), `${taskOf(trace)}: ${split.join()}`);
    for (const trace of staying) assert.ok(!split.includes(taskOf(trace)), taskOf(trace));
    for (const { notices } of load.readers) {
      const [notice = '', ...others] = notices;
      assert.deepEqual(others, []);
      const named = [...notice.matchAll(/([\w-]+ [0-9a-f]{8}) \(/g)].map(([, task]) => task);
      assert.deepEqual(named.sort(), split);
    }
  },
);

test(
  '[DG9] a cell that is taken out under load is done when cells says so, and another one shows all that it had',
  BOUNDED,
  async (t) => {
    const load = await underLoad(t, 3);
    const { fleet, senders } = load;
    await fleet.writeList('cell-1');
    await until('none of its tasks is running', async () => {
      const cell = (await fleet.list()).find(({ name }) => name === 'cell-1');
      return cell?.drain === true && cell.tasks?.running === 0;
    });
    const [from, into] = [fleet.cell('cell-1'), fleet.cell('cell-0')];
    fleet.cells.delete('cell-1');
    await fleet.writeList();
    await fleet.serves();
    await Promise.all([from.stop(), into.stop()]);
    const file = join(from.dataDir, 'moved.store.gz');
    for (const args of [
      ['export', '--data-dir', from.dataDir, '--out', file],
      ['import', '--data-dir', into.dataDir, file],
    ]) {
      const { code, stderr } = await run(['store', ...args]);
      assert.equal(code, 0, stderr);
    }
    await into.start();
    await fleet.serves();
    await senders.more();
    await assertShown(t, load);
  },
);
