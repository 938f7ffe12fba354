import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ManualClock } from '../../base/clock.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { startDnsServer, type DnsServer } from '../../../test/support/dns-server.ts';
import { BOUNDED, until } from '../../../test/support/until.ts';
import { completeCells, type CellAddress, type CellAddresses } from './cell-addresses.ts';
import { DnsCells, type DnsCellsOptions } from './dns-cells.ts';
import { FileCells, type FileCellsOptions } from './file-cells.ts';
import { cellReadiness } from './cell-readiness.ts';
import { openCellAddresses } from './open-cell-addresses.ts';

/** Cells of which nothing is to be said. */
const WELL = { of: () => undefined, notices: () => [] };

const OTLP_PORT = 4317;

interface Situation {
  readonly addresses: CellAddresses;
  /** Of cells at these ports. */
  readonly expected: (ports: readonly number[]) => readonly CellAddress[];
  /** There are other cells now; absent where there never are. */
  readonly change?: (ports: readonly number[]) => void;
  /** Makes the source useless. */
  readonly spoil?: () => void;
  /** Lets time pass. */
  readonly pass: () => void;
  readonly lines: readonly string[];
}

function collectLines(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const add = (_: object, line: string): void => void lines.push(line);
  return { lines, logger: { ...silentLogger, info: add, warn: add, error: add } };
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cells-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Time enough for several looks. */
async function passAWhile(pass: () => void): Promise<void> {
  for (let times = 0; times < 30; times++) {
    pass();
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
}

const at = (ports: readonly number[]) => ports.map((port) => ({ address: `cell.example:${port}` }));
const complete = (ports: readonly number[]) => completeCells(at(ports), OTLP_PORT);

async function openDns(
  t: TestContext,
  answer: DnsServer['answer'],
  dns: Partial<DnsCellsOptions['dns']>,
): Promise<{ server: DnsServer; clock: ManualClock; lines: readonly string[]; addresses: DnsCells }> {
  const server = await startDnsServer(answer);
  const clock = new ManualClock();
  const { logger, lines } = collectLines();
  const addresses = new DnsCells({
    dns: { name: 'cells.example', type: 'A', everySeconds: 10, server: server.address, ...dns },
    otlpPort: OTLP_PORT,
    maxCells: 3,
    clock,
    logger,
  });
  t.after(async () => {
    addresses.stop();
    await server.close();
  });
  return { server, clock, lines, addresses };
}

function openFile(t: TestContext, path: string, more: Partial<FileCellsOptions> = {}) {
  const clock = new ManualClock();
  const { logger, lines } = collectLines();
  const addresses = new FileCells({ path, otlpPort: OTLP_PORT, clock, logger, ...more });
  t.after(() => addresses.stop());
  return { addresses, lines, pass: () => clock.advance(100) };
}

const SETTINGS = { routeBy: 'traceID', otlpPort: OTLP_PORT } as const;
const PARTS = { clock: new ManualClock(), logger: silentLogger };

const SITUATIONS: Readonly<Record<string, (t: TestContext, ports: readonly number[]) => Promise<Situation>>> =
  {
    'a fixed list': async (_, ports) => ({
      addresses: openCellAddresses({ ...SETTINGS, cells: at(ports) }, PARTS),
      expected: complete,
      pass: () => {},
      lines: [],
    }),
    DNS: async (t, ports) => {
      const srv = (given: readonly number[]) => ({ SRV: given.map((port) => `cell.example:${port}`) });
      const { server, clock, lines, addresses } = await openDns(t, srv(ports), { type: 'SRV' });
      return {
        addresses,
        expected: complete,
        change: (given) => void (server.answer = srv(given)),
        spoil: () => void (server.answer = 'fail'),
        pass: () => clock.advance(1000),
        lines,
      };
    },
    'a file': async (t, ports) => {
      const path = join(folderOf(t), 'cells.json');
      const write = (text: string): void => {
        writeFileSync(`${path}.new`, text);
        renameSync(`${path}.new`, path);
      };
      const asJson = (given: readonly number[]) =>
        JSON.stringify(given.map((port) => `cell.example:${port}`));
      write(asJson(ports));
      return {
        ...openFile(t, path),
        expected: complete,
        change: (given) => write(asJson(given)),
        spoil: () => write('[{"name":'),
      };
    },
  };

for (const [source, open] of Object.entries(SITUATIONS)) {
  test(`[CE4] cells from ${source}: none before the start, then all, in the order of their names`, async (t) => {
    const { addresses, expected } = await open(t, [9002, 9001]);
    const told: (readonly CellAddress[])[] = [];
    addresses.onChange((cells) => told.push(cells));
    assert.deepEqual(addresses.current(), []);
    await addresses.start();
    assert.deepEqual(addresses.current(), expected([9002, 9001]));
    assert.deepEqual(
      addresses.current().map(({ name }) => name),
      ['cell.example:9001', 'cell.example:9002'],
    );
    assert.deepEqual(told, [addresses.current()]);
    assert.equal(addresses.problem, undefined);
    addresses.stop();
    addresses.stop();
  });

  test(
    `[CE4] cells from ${source}: who wants to know is told of other cells once, and after its stop no more`,
    BOUNDED,
    async (t) => {
      const { addresses, expected, change, pass } = await open(t, [9001]);
      if (!change) return;
      await addresses.start();
      const told: (readonly CellAddress[])[] = [];
      const toldShortly: (readonly CellAddress[])[] = [];
      addresses.onChange((cells) => told.push(cells));
      const stop = addresses.onChange((cells) => toldShortly.push(cells));
      // The same cells in another order are the same list.
      for (const ports of [[9002, 9001], [9001, 9002], [9003]]) {
        change(ports);
        await until('the new list is there', () => {
          pass();
          return addresses.current().length === ports.length;
        });
        stop();
      }
      assert.deepEqual(told, [expected([9001, 9002]), expected([9003])]);
      assert.deepEqual(toldShortly, [expected([9001, 9002])]);
      await passAWhile(pass);
      assert.equal(told.length, 2);
      change([9004]);
      addresses.stop();
      await passAWhile(pass);
      assert.equal(told.length, 2);
    },
  );

  test(
    `[CE5] [CE10] cells from ${source}: what cannot be used keeps the last list, and is said once`,
    BOUNDED,
    async (t) => {
      const { addresses, expected, change, spoil, pass, lines } = await open(t, [9001]);
      if (!change || !spoil) return;
      await addresses.start();
      spoil();
      await until('it is said', () => {
        pass();
        return addresses.problem !== undefined;
      });
      await passAWhile(pass);
      assert.equal(lines.length, 1);
      assert.match(lines[0] ?? '', /: the cells that were known last stay$/);
      assert.deepEqual(cellReadiness(addresses, WELL), { problems: [], warnings: [addresses.problem] });
      assert.deepEqual(addresses.current(), expected([9001]));
      change([9002]);
      await until('it is well again', () => {
        pass();
        return addresses.problem === undefined;
      });
      assert.deepEqual(addresses.current(), expected([9002]));
      assert.equal(lines.length, 2);
    },
  );
}

test('[CE4] an endpoint that is not given is the host with the port of OTLP, or the address where several would have it', () => {
  const cells = completeCells(
    [
      { address: 'b:9000', name: 'second' },
      { address: '[::1]:9000' },
      { address: 'a:9001' },
      { address: 'a:9002', endpoint: 'elsewhere:1' },
      { address: 'a:9003' },
    ],
    14_317,
  );
  assert.deepEqual(cells, [
    { name: '[::1]:9000', address: '[::1]:9000', endpoint: '[::1]:14317' },
    { name: 'a:9001', address: 'a:9001', endpoint: 'a:9001' },
    { name: 'a:9002', address: 'a:9002', endpoint: 'elsewhere:1' },
    { name: 'a:9003', address: 'a:9003', endpoint: 'a:9003' },
    { name: 'second', address: 'b:9000', endpoint: 'b:14317' },
  ]);
});

test(
  '[CE4] A and AAAA records give addresses with the port for readers, asked for as often as the settings say',
  BOUNDED,
  async (t) => {
    const { server, clock, addresses } = await openDns(t, { A: ['127.0.0.2', '127.0.0.1'] }, { port: 9100 });
    await addresses.start();
    assert.deepEqual(addresses.current(), [
      { name: '127.0.0.1:9100', address: '127.0.0.1:9100', endpoint: '127.0.0.1:4317' },
      { name: '127.0.0.2:9100', address: '127.0.0.2:9100', endpoint: '127.0.0.2:4317' },
    ]);
    clock.advance(9_999);
    assert.equal(server.asked, 1);
    clock.advance(1);
    await until('it is asked again', () => server.asked === 2);

    const v6 = await openDns(t, { AAAA: [`${'0'.repeat(31)}1`] }, { type: 'AAAA' });
    await v6.addresses.start();
    assert.deepEqual(v6.addresses.current(), [
      { name: '[::1]:9000', address: '[::1]:9000', endpoint: '[::1]:4317' },
    ]);
  },
);

test(
  '[CE5] a DNS that knows nothing at the start is asked again soon; every answer that is no list says why',
  BOUNDED,
  async (t) => {
    const { server, clock, addresses } = await openDns(t, 'unknown', {});
    await addresses.start();
    assert.match(
      addresses.problem ?? '',
      /asked for A records of cells\.example, gives no answer \(ENOTFOUND\)/,
    );
    const next = async (answer: DnsServer['answer'], problem: RegExp): Promise<void> => {
      server.answer = answer;
      await until(`it is said: ${problem.source}`, () => {
        clock.advance(1000);
        return problem.test(addresses.problem ?? '');
      });
    };
    await next('fail', /no answer \(ESERVFAIL\)/);
    await next({}, /no answer \(ENODATA\)/);
    await next('silent', /no answer \(ETIMEOUT\)/);
    const tooMany = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'];
    await next({ A: tooMany }, /names 4 cells, and there may be 3/);
    assert.deepEqual(addresses.current(), []);
    server.answer = { A: tooMany.slice(1) };
    await until('there are cells', () => {
      clock.advance(1000);
      return addresses.current().length === 3;
    });
  },
);

test('[CE5] names in the DNS that are no host names are no cells', async (t) => {
  const { addresses } = await openDns(
    t,
    { SRV: ['a"b{c:9000', 'cell.example:9000', 'cell.example:0'] },
    { type: 'SRV' },
  );
  await addresses.start();
  assert.deepEqual(
    addresses.current().map(({ name }) => name),
    ['cell.example:9000'],
  );
});

test(
  '[CE4] a file behind links that are turned, as Kubernetes does, is read again, by an event or without one',
  BOUNDED,
  async (t) => {
    for (const watch of [
      undefined,
      (() => {
        throw new Error('no more watches');
      }) as never,
    ]) {
      const folder = folderOf(t);
      const version = (name: string, ports: readonly number[]): void => {
        mkdirSync(join(folder, name));
        writeFileSync(join(folder, name, 'cells.json'), JSON.stringify(at(ports)));
        symlinkSync(name, join(folder, '..data_tmp'));
        renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
      };
      version('..1', [9001]);
      symlinkSync(join('..data', 'cells.json'), join(folder, 'cells.json'));
      const { addresses, pass } = openFile(t, join(folder, 'cells.json'), watch ? { watch } : {});
      await addresses.start();
      assert.deepEqual(addresses.current(), complete([9001]));
      version('..2', [9002]);
      rmSync(join(folder, '..1'), { recursive: true });
      await until('the new file is read', () => {
        pass();
        return addresses.current()[0]?.name === 'cell.example:9002';
      });
      assert.equal(addresses.problem, undefined);
    }
  },
);

test('[CE5] [CE10] a file that is no list of cells says what is wrong and where', async (t) => {
  const path = join(folderOf(t), 'cells.json');
  const wrong: readonly (readonly [text: string | undefined, problem: RegExp])[] = [
    [undefined, /cells\.json does not exist: /],
    ['', /is not valid JSON \(line 1, column 1: ValueExpected\)/],
    ['["a:1",\n  "b:2"', /is not valid JSON \(line 2, column 8: CloseBracketExpected\)/],
    ['{"cells": []}', /is no list of cells \(must be a list of 1 to 100 cells/],
    ['["a:1", "a"]', /is no list of cells \(\[1\] must be an address with its port/],
    ['["a:1", {"address": "a:1"}]', /\(\[1\] is the address of another cell: each needs its own\)/],
    [`[${'"a:1",'.repeat(50_000)}]`, /is no file of at most 262144 bytes/],
    ['['.repeat(200_000), /cells\.json is no/],
  ];
  for (const [text, problem] of wrong) {
    if (text !== undefined) writeFileSync(path, text);
    const { addresses } = openFile(t, path);
    await addresses.start();
    assert.match(addresses.problem ?? 'none', problem);
    assert.match(addresses.problem ?? '', /: no cell is known until it is well$/);
    assert.deepEqual(addresses.current(), []);
    assert.deepEqual(cellReadiness(addresses, WELL), { problems: [addresses.problem], warnings: [] });
  }
  const { addresses } = openFile(t, folderOf(t));
  await addresses.start();
  assert.match(addresses.problem ?? '', /is no file of at most/);
});

test('[CE1] the settings say which of the three it is', async (t) => {
  const path = join(folderOf(t), 'cells.json');
  writeFileSync(path, '["cell.example:9001"]');
  const server = await startDnsServer({ SRV: ['cell.example:9001'] });
  const dns = { name: 'cells.example', type: 'SRV', everySeconds: 10, server: server.address } as const;
  t.after(() => server.close());
  for (const source of [{ dns }, { file: path }]) {
    const addresses = openCellAddresses({ ...SETTINGS, ...source }, PARTS);
    await addresses.start();
    assert.deepEqual(addresses.current(), complete([9001]));
    addresses.stop();
  }
});
