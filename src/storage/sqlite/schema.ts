/** Raised with every change of the tables. */
export const SCHEMA_VERSION = 2;

/** Whom a record belongs to, where it is no node that left memory. */
export const HOLDER = {
  /** Nodes in memory. */
  memory: 0,
  /** Nobody: it is deleted as soon as there is time, and no longer seen. */
  nobody: -1,
  /** Nobody yet: it will take the place of all others. */
  staged: -2,
} as const;

/**
 * By which ties (`model/ties.ts`) a node that left memory is found. Ties of one trace stand together, so a trace writes to few
 * pages.
 */
export const TIES = `
  CREATE TABLE tie (tie INTEGER NOT NULL, node INTEGER NOT NULL, PRIMARY KEY (tie, node)) WITHOUT ROWID;
  CREATE INDEX tie_node ON tie (node);
`;

/**
 * `record` is small, and `body` has the same ids: who holds a record changes without its texts being written again.
 * Ids rise in the order of arrival, and `time` (milliseconds since 1970) with them.
 *
 * A task without a name is deleted as soon as there is time; until then what belongs to it is no longer seen.
 */
export const SCHEMA = `
  CREATE TABLE record (
    id INTEGER PRIMARY KEY, source TEXT NOT NULL, part REAL NOT NULL, rank REAL NOT NULL, holder INTEGER NOT NULL,
    time INTEGER NOT NULL
  );
  -- Only used where a query says the same.
  CREATE INDEX record_holder ON record (holder) WHERE holder <> 0;
  CREATE TABLE body (id INTEGER PRIMARY KEY, facts TEXT NOT NULL, texts TEXT NOT NULL);
  CREATE TABLE task (id INTEGER PRIMARY KEY, name TEXT UNIQUE, time INTEGER NOT NULL);
  CREATE TABLE node (id INTEGER PRIMARY KEY, name TEXT UNIQUE, task INTEGER NOT NULL, json TEXT NOT NULL);
  CREATE INDEX node_task ON node (task);
  -- Of one row: whether a record may hold a text, and which log of an earlier version it was made of.
  CREATE TABLE content (has_texts INTEGER NOT NULL, old_log TEXT);
  INSERT INTO content VALUES (0, NULL);
  -- Written and deleted to find out whether there is room.
  CREATE TABLE probe (bytes BLOB NOT NULL);
  ${TIES}
  PRAGMA user_version = ${SCHEMA_VERSION};
`;
