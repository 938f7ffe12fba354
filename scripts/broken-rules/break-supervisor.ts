import type { Break } from './breaks.ts';

const SUPERVISOR = ['src/service/supervisor/supervisor.test.ts'];
const E2E = ['test/e2e/cells.long.ts'];

/** Several processes of one command. */
export const SUPERVISOR_BREAKS: readonly Break[] = [
  {
    rule: 'MP1 a token of the gateway alone',
    what: 'cells know the tokens of the settings',
    file: 'src/service/supervisor/cell-config.ts',
    from: '    auth: { token: unusedToken, gatewayToken },\n',
    tests: SUPERVISOR,
  },
  {
    rule: 'MP2 what ends is started again',
    what: 'who was well for long waits as long as who never was',
    file: 'src/service/supervisor/backoff.ts',
    from: 'if (wellMs >= WELL_MS)',
    to: 'if (wellMs > 100 * WELL_MS)',
    tests: SUPERVISOR,
  },
  {
    rule: 'MP2 a gateway has its ports again',
    what: 'it has others',
    file: 'src/service/supervisor/supervisor.ts',
    from: '      this.addresses = addresses;\n',
  },
  {
    rule: 'MP3 another port',
    what: 'the gateway is not told',
    file: 'src/service/supervisor/supervisor.ts',
    from: "    this.gateway?.replace('a cell has another address');\n",
  },
  {
    rule: 'MP4 a stop is one of the whole',
    what: 'a gateway that hangs keeps all cells running',
    file: 'src/service/supervisor/supervisor.ts',
    from: 'await Promise.race([gateway, passedOn.promise]);',
    to: 'await gateway;',
  },
  {
    rule: 'MP4 when the supervisor is killed its processes end',
    what: 'they go on',
    file: 'src/cli/cells/run-process.ts',
    from: "process.on('disconnect', () => end('the service ended'));",
    to: "process.on('disconnect', () => undefined);",
    tests: E2E,
  },
  {
    rule: 'MP5 a cell that cannot start',
    what: 'the same is said each time',
    file: 'src/service/supervisor/kept-process.ts',
    from: 'if (!hasRun && message === this.saidLast) return;',
    tests: SUPERVISOR,
  },
  {
    rule: 'MP6 bounds are of the whole',
    what: 'each cell has all the memory',
    file: 'src/service/supervisor/cell-config.ts',
    from: 'maxMemoryBytes: part(config.maxMemoryBytes),',
    to: 'maxMemoryBytes: config.maxMemoryBytes,',
    tests: SUPERVISOR,
  },
  {
    rule: 'MP7 a folder of cells is none of one service',
    what: 'nothing is found there, and that is said',
    file: 'src/service/supervisor/cell-folders.ts',
    from: 'export async function checkFolderOfOne(dataDir: string): Promise<void> {\n  const numbers = await cellNumbers(dataDir);\n  if (numbers.length === 0) return;',
    to: 'export async function checkFolderOfOne(dataDir: string): Promise<void> {\n  const numbers = await cellNumbers(dataDir);\n  if (numbers.length >= 0) return;',
    tests: SUPERVISOR,
  },
  {
    rule: 'MP7 folders that nobody would see',
    what: 'tasks of a cell are not shown, and nobody is told',
    file: 'src/service/supervisor/cell-folders.ts',
    from: 'numbers.filter((number) => number >= count)',
    to: 'numbers.filter((number) => number > count + 100)',
    tests: SUPERVISOR,
  },
  {
    rule: 'MP8 one key',
    what: 'the key of a former service is not that of the others',
    file: 'src/service/supervisor/cell-folders.ts',
    from: 'if (first !== undefined) await copyIfAbsent(',
    to: 'if (first === undefined) await copyIfAbsent(',
    tests: SUPERVISOR,
  },
  {
    rule: 'MP9 a gateway speaks for senders',
    what: 'they come with their own keys to cells that know none',
    file: 'src/service/gateway/sending-on.ts',
    from: 'if (speaksBy === undefined) return { id, headers, project };',
    to: 'if (speaksBy !== id) return { id, headers, project };',
    tests: E2E,
  },
];
