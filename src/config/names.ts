import { CONFIG_KEYS, type ConfigKey } from './schema.ts';

/** The key of the configuration file under which everything stands; also the prefix of paths in problems. */
export const FILE_KEY = 'explainabilityAgent';
export const ENV_PREFIX = 'EXPLAINABILITY_AGENT_';

/**
 * `otlpGrpcPort` → `OTLP_GRPC_PORT`. A run of capitals is one word (`nodeTTLMinutes` → `NODE_TTL_MINUTES`,
 * `redactPII` → `REDACT_PII`), and so is CoT (`maxCoTDepth` → `MAX_COT_DEPTH`).
 */
function words(key: string): string {
  return key
    .replace('CoT', 'Cot')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toUpperCase();
}

/** The environment variable of a key, such as `EXPLAINABILITY_AGENT_OTLP_GRPC_PORT`. */
export function envName(key: ConfigKey): string {
  return ENV_PREFIX + words(key);
}

/** The flag of a key, such as `--otlp-grpc-port`. */
export function flagName(key: ConfigKey): string {
  return `--${words(key).toLowerCase().replaceAll('_', '-')}`;
}

export const KEY_BY_ENV: ReadonlyMap<string, ConfigKey> = new Map(
  CONFIG_KEYS.map((key) => [envName(key), key]),
);
export const KEY_BY_FLAG: ReadonlyMap<string, ConfigKey> = new Map(
  CONFIG_KEYS.map((key) => [flagName(key), key]),
);

/** A known name that somebody who wrote `written` may have meant: nearest by edits, none when nothing is near. */
export function didYouMean(written: string, known: Iterable<string>): string | undefined {
  const plain = normalise(written);
  let best: string | undefined;
  // A third of the name may be wrong, or two letters swapped: enough for slips of the hand, too little for
  // unrelated names.
  let bestDistance = Math.max(2, Math.floor(plain.length / 3)) + 1;
  for (const name of known) {
    const distance = editDistance(plain, normalise(name));
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** Longer names are compared by their beginning: nobody mistypes a hundred characters. */
const MAX_COMPARED = 100;

function normalise(name: string): string {
  return name
    .toLowerCase()
    .replace(/^explainability_agent_/, '')
    .replaceAll(/[-_\s]/g, '')
    .slice(0, MAX_COMPARED);
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
