import type { ConfigKey } from './schema.ts';

/** Something that is wrong with the configuration. `path` is what the user wrote: file path, env name, flag, or place in the program's object. */
export interface ConfigProblem {
  readonly path: string;
  /** What is wrong and what would be right; never the value of a secret. */
  readonly message: string;
}

export type LayerName = 'default' | 'file' | 'environment' | 'flag' | 'program';

/** One value as one layer gives it, not yet checked. */
export interface LayerEntry {
  readonly value: unknown;
  /** As the user wrote it: `explainabilityAgent.port`, `EXPLAINABILITY_AGENT_PORT`, `--port`. */
  readonly path: string;
  /** Where in the file what stands below the key at such a place as `[1].limits` is, such as ` (line 3)`; the end of a message. */
  readonly where?: (below: string) => string;
}

/** What one source of configuration says. Problems are of its form; values are checked by `checkLayer`. */
export interface Layer {
  readonly name: LayerName;
  readonly entries: ReadonlyMap<ConfigKey, LayerEntry>;
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly string[];
}
