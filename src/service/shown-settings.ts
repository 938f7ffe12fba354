import { createHash } from 'node:crypto';
import type { ConfigKey, ServiceConfig } from '../config/schema.ts';

/** Of two services that differ in one of these, one shows the same input otherwise. */
const SHOWN: readonly ConfigKey[] = [
  'maxCoTDepth',
  'pruneLatencyThresholdMs',
  'minCostUsdDetail',
  'maxNodesPerTask',
  'abandonAfterMinutes',
  'typeRules',
  'inferEdges',
  'redactPII',
  'redactionPatterns',
  'disabledRules',
  'safeKeys',
  'sensitiveKeys',
  'names',
  'knownNames',
  'visibility',
  'maxCodeSnippetChars',
  'zeroDataRetention',
  'projects',
];

const DIGITS = 16;

/** Equal where all settings are that change what is shown of the same input; nothing can be read from it. */
export function shownSettings(config: ServiceConfig): string {
  const values = SHOWN.map((key) => [key, config[key]]);
  return createHash('sha256').update(JSON.stringify(values, inOrder)).digest('hex').slice(0, DIGITS);
}

/** The order in which somebody wrote the keys of an object is no difference. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
