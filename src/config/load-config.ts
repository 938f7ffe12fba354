import { join, resolve } from 'node:path';
import { checkLayer, type ForeignChecks } from './check.ts';
import { crossCheck, crossWarnings } from './cross-check.ts';
import { envLayer, type Environment } from './env-layer.ts';
import { fileLayer } from './file-layer.ts';
import { flagLayer } from './flag-layer.ts';
import type { ConfigProblem, Layer, LayerName } from './layers.ts';
import { FILE_KEY } from './names.ts';
import { withPaths } from './tls.ts';
import { configSchema, CONFIG_KEYS, type ConfigKey, type ServiceConfig } from './schema.ts';

export interface MergeOptions extends ForeignChecks {
  /** What `~` stands for. */
  readonly homeDir: string;
  /** What relative paths start from; the working folder of the process when absent. */
  readonly cwd?: string;
}

export interface LoadConfigOptions extends MergeOptions {
  /** Flags: what follows the command. */
  readonly argv: readonly string[];
  readonly env: Environment;
  /** Flags that are no settings, such as `--help`: somebody may have misspelt one. */
  readonly otherFlags?: readonly string[];
}

/** Where a value came from, and the name under which it was given there. */
interface ConfigSource {
  readonly layer: LayerName;
  readonly path: string;
}

export type ConfigSources = Readonly<Record<ConfigKey, ConfigSource>>;

export type LoadedConfig =
  | {
      readonly ok: true;
      readonly config: ServiceConfig;
      readonly sources: ConfigSources;
      /** For the log: allowed, but worth saying. */
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** Defaults ← file ← environment ← flags. */
export function loadConfig(options: LoadConfigOptions): LoadedConfig {
  const cwd = options.cwd ?? process.cwd();
  const flags = flagLayer(options.argv, options.otherFlags);
  const file =
    flags.configPath === undefined
      ? fileLayer(join(options.homeDir, '.nootropic', 'config.json'), false)
      : fileLayer(resolve(cwd, expandHome(flags.configPath, options.homeDir)), true);
  return mergeLayers([file, envLayer(options.env), flags], options);
}

/** Later layers win, key by key. Every layer is checked whole, so that all that is wrong is said at once. */
export function mergeLayers(layers: readonly Layer[], options: MergeOptions): LoadedConfig {
  const cwd = options.cwd ?? process.cwd();
  const problems = layers.flatMap((layer) => [...layer.problems, ...checkLayer(layer, options)]);
  const wrong = new Set(layers.flatMap((layer) => wrongPaths(layer, problems)));
  const merged = merge(layers, wrong);
  problems.push(...crossProblems(merged, wrongKeys(layers, wrong)));
  if (problems.length > 0) return { ok: false, problems };

  const toPath = (written: string): string => resolve(cwd, expandHome(written, options.homeDir));
  const { vaultKeyFile, adaptationsFile, tls, gateway } = merged.config;
  const config = deepFreeze({
    ...merged.config,
    dataDir: toPath(merged.config.dataDir),
    ...(vaultKeyFile !== undefined && { vaultKeyFile: toPath(vaultKeyFile) }),
    ...(tls !== undefined && { tls: withPaths(tls, toPath) }),
    ...(gateway !== undefined && { gateway: gatewayWithPaths(gateway, toPath) }),
    ...(adaptationsFile !== undefined && { adaptationsFile: toPath(adaptationsFile) }),
  });
  const warnings = [...layers.flatMap((layer) => layer.warnings), ...crossWarnings(config)];
  return { ok: true, config, sources: merged.sources, warnings };
}

function gatewayWithPaths(
  gateway: NonNullable<ServiceConfig['gateway']>,
  toPath: (written: string) => string,
): NonNullable<ServiceConfig['gateway']> {
  const { file, tls } = gateway;
  return {
    ...gateway,
    ...(file !== undefined && { file: toPath(file) }),
    ...(tls !== undefined && { tls: mapValues(tls, toPath) }),
  };
}

function mapValues<T extends object>(files: T, toPath: (written: string) => string): T {
  const all = Object.entries(files) as [string, string][];
  return Object.fromEntries(all.map(([name, path]) => [name, toPath(path)])) as T;
}

/** Of the values that a problem is about, or about something in them. */
function wrongPaths({ entries }: Layer, problems: readonly ConfigProblem[]): string[] {
  const isAbout = (problem: string, path: string): boolean =>
    problem.startsWith(path) && /^(?:$|[.[])/.test(problem.slice(path.length));
  return Array.from(entries.values(), ({ path }) => path).filter((path) =>
    problems.some((problem) => isAbout(problem.path, path)),
  );
}

interface Merged {
  readonly config: ServiceConfig;
  readonly sources: ConfigSources;
}

/** @param ignoredPaths values that are wrong by themselves */
function merge(layers: readonly Layer[], ignoredPaths: ReadonlySet<string>): Merged {
  const values: Record<string, unknown> = {};
  const sources = Object.fromEntries(
    CONFIG_KEYS.map((key) => [key, { layer: 'default', path: `${FILE_KEY}.${key}` }]),
  ) as Record<ConfigKey, ConfigSource>;
  for (const layer of layers) {
    for (const [key, { value, path }] of layer.entries) {
      if (ignoredPaths.has(path)) continue;
      values[key] = value;
      sources[key] = { layer: layer.name, path };
    }
  }
  return { config: configSchema.parse(values), sources };
}

function wrongKeys(layers: readonly Layer[], wrongPaths: ReadonlySet<string>): ReadonlySet<ConfigKey> {
  const keys = new Set<ConfigKey>();
  for (const layer of layers) {
    for (const [key, { path }] of layer.entries) if (wrongPaths.has(path)) keys.add(key);
  }
  return keys;
}

/** Each problem under the name by which the user gave the key; none where a key is already known to be wrong. */
function crossProblems({ config, sources }: Merged, wrong: ReadonlySet<ConfigKey>): ConfigProblem[] {
  return crossCheck(config)
    .filter(({ involves }) => !involves.some((key) => wrong.has(key)))
    .map(({ key, message }) => ({ path: sources[key].path, message }));
}

function expandHome(path: string, homeDir: string): string {
  return path === '~' || path.startsWith('~/') ? join(homeDir, path.slice(1)) : path;
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner as object);
  }
  return Object.freeze(value);
}
