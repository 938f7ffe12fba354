/** How many tasks there are, in memory and archived, of all projects: the answer to `GET /api/cell/tasks`. */
export interface TaskCounts {
  readonly tasks: number;
  /** Of these, those with a step that runs. */
  readonly running: number;
}

/** A cell as its gateway knows it. */
export interface ToldCell {
  readonly name: string;
  /** `host:port`, as the gateway reaches it. */
  readonly address: string;
  readonly state: 'unknown' | 'well' | 'away' | 'draining';
  /** It is to be taken out (`drain` in the list): it gets nothing new, and its readers are served. */
  readonly drain?: true;
  /** ISO 8601, since when that is so. */
  readonly since: string;
  /**
   * In which respects it is not as it should be: `not_ready` (as it is while it restores its graph), `other_version`,
   * `other_settings`, `clock_off`, `restarted_empty`.
   */
  readonly oddities: readonly string[];
  /** Of the program; absent as long as it said nothing. */
  readonly version?: string;
  /** Absent where it was away, or did not say. */
  readonly tasks?: TaskCounts;
  /** What people should know of it, a sentence each. */
  readonly notices: readonly string[];
}

/** The answer to `GET /api/cells`. */
export interface ToldCells {
  /** In the order of their names; none where the service is no gateway. */
  readonly cells: readonly ToldCell[];
}

/** What is found when the tasks of all cells are looked through: limits of several cells that are met. */
export const SPLIT_KINDS = ['task', 'session', 'trace', 'thought', 'request', 'twin'] as const;

export interface SplitFinding {
  /**
   * `task`: several cells have parts of it. `session`: its tasks are in several cells. `trace`: several cells have spans of
   * it. `thought`: its request is not known in its cell. `request`: steps in several cells name it. `twin`: one call that
   * is told of in two traces, or in a trace and by log records, in different cells.
   */
  readonly kind: (typeof SPLIT_KINDS)[number];
  readonly count: number;
  /** In the order of their ids, at most 20. */
  readonly examples: readonly SplitExample[];
}

export interface SplitExample {
  /** Of a task, a session, a trace, a request; of a thought and of a twin the id of a node. */
  readonly id: string;
  /** Names of the cells where it was seen, in order. */
  readonly cells: readonly string[];
}

/** The answer to `GET /api/cells/split`. */
export interface SplitReport {
  readonly findings: readonly SplitFinding[];
  /** Tasks that were looked at, those in several cells once for each. */
  readonly tasks: number;
  /** There are more, which were not looked at. */
  readonly truncated: boolean;
  readonly notices?: readonly string[];
}
