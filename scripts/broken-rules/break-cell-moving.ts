import type { Break } from './breaks.ts';

const DRAINED = ['src/gateway/routing/drain.test.ts'];
const MOVED = ['test/e2e/moved-store.long.ts'];

export const CELL_MOVING_BREAKS: readonly Break[] = [
  {
    rule: 'DG1 moved',
    what: 'what left memory stays behind',
    file: 'src/storage/sqlite/read-all.ts',
    from: 'WHERE node.name IS NOT NULL AND task.name IS NOT NULL ORDER BY node.id',
    to: 'WHERE node.name IS NULL ORDER BY node.id',
    tests: MOVED,
  },
  {
    rule: 'DG1 once more',
    what: 'what left memory comes back by a second import',
    file: 'src/storage/sqlite/take-in.ts',
    from: 'if (this.has(left, key, record)) return;',
    to: '',
    tests: MOVED,
  },
  {
    rule: 'DG2 another key',
    what: 'nodes keep the markers of the other key, and their texts do not',
    file: 'src/storage/sqlite/take-in.ts',
    from: 'if (this.keepsMarkers && isNew) {',
    to: 'if (isNew) {',
    tests: MOVED,
  },
  {
    rule: 'DG3 interrupted',
    what: 'half a batch is kept',
    file: 'src/storage/sqlite/take-in.ts',
    from: 'this.records.transaction(() => {',
    to: '[1].forEach(() => {',
    tests: MOVED,
  },
  {
    rule: 'DG4 refused',
    what: 'a file without its last line is taken',
    file: 'src/storage/exported/store-file.ts',
    from: "if (last !== 'end') throw damaged(path);",
    to: '',
    tests: MOVED,
  },
  {
    rule: 'DG4 refused',
    what: 'a newer file is taken',
    file: 'src/storage/exported/store-file.ts',
    from: 'if (version <= FILE_VERSION) return;',
    to: 'if (version > 0) return;',
    tests: MOVED,
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
];
