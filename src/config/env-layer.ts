import { unknownName } from './file-layer.ts';
import type { ConfigProblem, Layer, LayerEntry } from './layers.ts';
import { ENV_PREFIX, KEY_BY_ENV } from './names.ts';
import type { ConfigKey } from './schema.ts';
import { textValue } from './text-value.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Kubernetes and container links put the addresses of every service into the environment of every container.
 * For a service that is called explainability-agent these names begin as ours do:
 * EXPLAINABILITY_AGENT_SERVICE_HOST, …_SERVICE_PORT, …_SERVICE_PORT_OTLP, …_PORT_4317_TCP_ADDR, …_PORT=tcp://….
 */
const SERVICE_LINK_NAME = /^(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?|NAME)$/;
const SERVICE_LINK_VALUE = /^(?:tcp|udp|sctp):\/\//;

/** Reads `EXPLAINABILITY_AGENT_*`. An empty variable counts as not set, as compose files leave them. */
export function envLayer(env: Environment): Layer {
  const problems: ConfigProblem[] = [];
  const warnings: string[] = [];
  const entries = new Map<ConfigKey, LayerEntry>();
  for (const [name, text] of Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!name.startsWith(ENV_PREFIX) || text === undefined || text === '') continue;
    const key = KEY_BY_ENV.get(name);
    if (SERVICE_LINK_NAME.test(name.slice(ENV_PREFIX.length)) && !key) continue;
    if (!key) {
      problems.push({ path: name, message: unknownName('variable', name, KEY_BY_ENV.keys()) });
    } else if (key === 'port' && SERVICE_LINK_VALUE.test(text)) {
      warnings.push(`${name} holds the address of a linked service, not a port: it is not used`);
    } else {
      entries.set(key, { path: name, value: textValue(key, text) });
    }
  }
  return { name: 'environment', entries, problems, warnings };
}
