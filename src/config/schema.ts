import { z } from 'zod';
import type { DeepReadonly } from './deep-readonly.ts';
import { gatewayKeys } from './keys/gateway.ts';
import { graphKeys } from './keys/graph.ts';
import { guardKeys } from './keys/guards.ts';
import { leavingKeys } from './keys/leaving.ts';
import { networkKeys } from './keys/network.ts';
import { peopleKeys } from './keys/people.ts';
import { privacyKeys } from './keys/privacy.ts';
import { projectKeys } from './keys/projects.ts';
import { protocolKeys } from './keys/protocols.ts';
import { storageKeys } from './keys/storage.ts';
import { trafficKeys } from './keys/traffic.ts';

/**
 * Every key of the configuration, once: its type, range, default and description. The types, the defaults, the
 * commented defaults file, the JSON schema, the environment names and the flags are all derived from here.
 */
export const configSchema = z.strictObject({
  ...networkKeys,
  ...gatewayKeys,
  ...graphKeys,
  ...guardKeys,
  ...privacyKeys,
  ...leavingKeys,
  ...projectKeys,
  ...storageKeys,
  ...trafficKeys,
  ...protocolKeys,
  ...peopleKeys,
  logLevel: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least severe level that is logged.'),
});

export type ConfigKey = keyof typeof configSchema.shape;

/** The effective configuration: complete, checked, frozen. `dataDir` is an absolute path. `auth` may be absent. */
export type ServiceConfig = DeepReadonly<z.output<typeof configSchema>>;

export const CONFIG_KEYS = Object.keys(configSchema.shape) as readonly ConfigKey[];

/** Keys whose values are never shown, neither in a problem nor by `describeConfig`. */
export const SECRET_KEYS: ReadonlySet<ConfigKey> = new Set<ConfigKey>([
  'auth',
  'forward',
  'mew',
  'interruptWebhook',
  'vaultKey',
  'summaryApiKey',
  'kafkaPassword',
  'oidcClientSecret',
  'ldapPassword',
]);

/** Keys of which only these fields are secret. Texts of them are not shown in problems either. */
export const SECRET_FIELDS: Readonly<Partial<Record<ConfigKey, readonly string[]>>> = { gateway: ['token'] };
