import { inTests } from './in-tests.ts';

const DRAINED = ['src/gateway/routing/drain.test.ts'];
const MOVED = ['test/e2e/moved-store.long.ts'];
const UPGRADED = ['test/e2e/upgrade.long.ts'];

export const CELL_MOVING_BREAKS = inTests(MOVED, [
  {
    rule: 'DG1 moved',
    what: 'what left memory stays behind',
    file: 'src/storage/sqlite/read-all.ts',
    from: 'WHERE node.name IS NOT NULL AND task.name IS NOT NULL ORDER BY node.id',
    to: 'WHERE node.name IS NULL ORDER BY node.id',
  },
  {
    rule: 'DG1 once more',
    what: 'what left memory comes back by a second import',
    file: 'src/storage/sqlite/take-in.ts',
    from: 'if (this.has(left, key, record)) return;',
  },
  {
    rule: 'DG2 another key',
    what: 'nodes keep the markers of the other key, and their texts do not',
    file: 'src/storage/sqlite/take-in.ts',
    from: 'if (this.keepsMarkers && isNew) {',
    to: 'if (isNew) {',
  },
  {
    rule: 'DG3 interrupted',
    what: 'half a batch is kept',
    file: 'src/storage/sqlite/take-in.ts',
    from: 'this.records.transaction(() => {',
    to: '[1].forEach(() => {',
  },
  {
    rule: 'DG4 refused',
    what: 'a file without its last line is taken',
    file: 'src/storage/exported/store-file.ts',
    from: "if (last !== 'end') throw damaged(path);",
  },
  {
    rule: 'DG4 refused',
    what: 'a newer file is taken',
    file: 'src/storage/exported/store-file.ts',
    from: 'if (version <= FILE_VERSION) return;',
    to: 'if (version > 0) return;',
  },
  {
    rule: 'DG5 drain',
    what: 'a cell that is drained gets new traces',
    file: 'src/gateway/routing/cell-ring.ts',
    from: 'drain !== true',
    to: 'drain !== undefined || true',
    tests: DRAINED,
  },
  {
    rule: 'DG5 drain',
    what: 'thoughts leave a cell that is drained',
    file: 'src/gateway/routing/cell-ring.ts',
    from: 'this.names = cells.map(',
    to: 'this.names = cells.filter(({ drain }) => drain !== true).map(',
    tests: DRAINED,
  },
  {
    rule: 'DG5 drain',
    what: 'all cells may be drained',
    file: 'src/config/cells-schema.ts',
    from: "'drain' in cell && cell.drain === true",
    to: "'drain' in cell && cell.drain !== true",
    tests: DRAINED,
  },
  {
    rule: 'DG6 upgraded',
    what: 'what a cell that is away was to get is acknowledged',
    file: 'src/gateway/routing/forwarding.ts',
    from: 'return BoundaryError.from(error);',
    to: "return { status: 200, retryAfter: undefined, body: Buffer.from('{}') };",
    tests: UPGRADED,
  },
  {
    rule: 'DG7 another gateway',
    what: 'another gateway sends a thought on to another cell',
    file: 'src/gateway/routing/choose.ts',
    from: 'homes.cellOf(stream, found?.get(id) ?? byKey(), final, ring)',
    to: 'homes.cellOf(stream, ring.of(`${requestId} ${process.pid}`), final, ring)',
    tests: UPGRADED,
  },
  {
    rule: 'DG8 named',
    what: 'no notice names what is in two cells',
    file: 'src/gateway/views/merged-view.ts',
    from: '...sharedNotices(this.graph.splitTasks())',
    to: '...sharedNotices([])',
    tests: UPGRADED,
  },
  {
    rule: 'DG9 taken out',
    what: 'cells does not say that one is to be taken out',
    file: 'src/gateway/cells/all-cells.ts',
    from: 'drained.has(cell.name) ? { ...cell, drain: true } : cell',
    to: 'cell',
    tests: UPGRADED,
  },
]);
