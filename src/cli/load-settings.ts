import { homedir } from 'node:os';
import type { Environment } from '../config/env-layer.ts';
import { loadConfig, type LoadedConfig } from '../config/load-config.ts';
import { BUILTIN_RULES } from '../redaction/rules/builtin.ts';
import { checkUserPattern } from '../redaction/user-patterns.ts';
import { COMMON_OPTIONS } from './arguments.ts';
import { asTyped } from './help.ts';
import { READER_VARIABLES } from './reader-options.ts';

/**
 * The configuration from all its places; what is wrong has been said on standard error when it is undefined.
 * @param own names of the options that the command has besides
 */
export function loadSettings(
  argv: readonly string[],
  own: readonly string[] = [],
): Extract<LoadedConfig, { ok: true }> | undefined {
  const loaded = loadConfig({
    argv,
    otherFlags: [...own, ...COMMON_OPTIONS].map((name) => `--${name}`),
    env: environmentOfService(process.env),
    homeDir: homedir(),
    checkPattern: checkUserPattern,
    ruleNames: BUILTIN_RULES.map((rule) => rule.id),
  });
  if (loaded.ok) return loaded;
  process.stderr.write('The configuration has problems:\n');
  for (const { path, message } of loaded.problems) process.stderr.write(`  ${path}: ${asTyped(message)}\n`);
  return undefined;
}

/** A shell that is set up for the reader commands has names that are no keys of the configuration. */
function environmentOfService(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !READER_VARIABLES.has(name)));
}
