import { unknownName } from './file-layer.ts';
import type { ConfigProblem, Layer, LayerEntry } from './layers.ts';
import { mergeLayers, type LoadedConfig, type MergeOptions } from './load-config.ts';
import { CONFIG_KEYS, type ConfigKey } from './schema.ts';

/** The name under which a program gives its configuration; the prefix of paths in problems. */
const GIVEN_AS = 'config';

/**
 * The configuration that a program gives as an object: defaults ← that object, and nothing else. Without a `dataDir`
 * the graph is kept in memory only.
 */
export function configFromObject(given: unknown, options: MergeOptions): LoadedConfig {
  return mergeLayers([objectLayer(given)], options);
}

function objectLayer(given: unknown): Layer {
  const problems: ConfigProblem[] = [];
  const entries = new Map<ConfigKey, LayerEntry>();
  const layer: Layer = { name: 'program', entries, problems, warnings: [] };
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    problems.push({ path: GIVEN_AS, message: 'must be an object with keys of the configuration' });
    return layer;
  }
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    const key = CONFIG_KEYS.find((known) => known === name);
    const path = `${GIVEN_AS}.${name}`;
    if (!key) problems.push({ path, message: unknownName('key', name, CONFIG_KEYS) });
    else if (value !== undefined) entries.set(key, { path, value });
  }
  keepInMemory(entries, problems);
  return layer;
}

/** Nobody's home folder is written to by a program that said nothing of it. */
function keepInMemory(entries: Map<ConfigKey, LayerEntry>, problems: ConfigProblem[]): void {
  if (entries.has('dataDir')) return;
  const durability = entries.get('durability');
  if (durability === undefined) {
    entries.set('durability', { path: `${GIVEN_AS}.durability`, value: 'memory' });
  } else if (durability.value !== 'memory') {
    const message = 'needs "dataDir" beside it: without a folder there is only "memory"';
    problems.push({ path: durability.path, message });
  }
}
