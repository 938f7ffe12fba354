import { z } from 'zod';
import { configSchema, type ConfigKey } from './schema.ts';

/** The part of JSON Schema that the keys of the configuration use. */
export interface KeySchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly enum?: readonly string[];
  readonly items?: KeySchema;
  readonly [more: string]: unknown;
}

/** JSON schema of what stands under `explainabilityAgent`. */
export const agentJsonSchema = z.toJSONSchema(configSchema, { io: 'input' }) as unknown as KeySchema & {
  readonly properties: Readonly<Record<ConfigKey, KeySchema>>;
};

export type ValueKind = 'number' | 'boolean' | 'string' | 'list' | 'json';

/** How the text of a flag or an environment variable becomes a value of this key. */
export function valueKind(key: ConfigKey): ValueKind {
  switch (agentJsonSchema.properties[key].type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'string':
      return 'string';
    case 'array':
      return agentJsonSchema.properties[key].items?.type === 'object' ? 'json' : 'list';
    case undefined:
    default:
      return 'json';
  }
}

/** What would be right for a key, as the end of "must be …". */
export function expectation(key: ConfigKey): string {
  const schema = agentJsonSchema.properties[key];
  switch (schema.type) {
    case 'integer':
      return `a whole number ${range(schema)}`;
    case 'number':
      return `a number ${range(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'string':
      return schema.enum ? `one of ${schema.enum.join(', ')}` : (EXPECTED_STRINGS[key] ?? 'a string');
    case 'array':
      if (schema.items?.type === 'object') return TYPE_RULES_EXPECTATION;
      if (key === 'agUiAgents') return AGENTS_EXPECTATION;
      return `a list of at most ${String(schema['maxItems'])} strings of 1 to ${String(schema.items?.['maxLength'])} characters`;
    case 'object':
      return EXPECTED_OBJECTS[key] ?? 'an object';
    case undefined:
    default:
      return AUTH_EXPECTATION;
  }
}

const EXPECTED_STRINGS: { readonly [key in ConfigKey]?: string } = {
  host: 'a host name or IP address without a port, such as 127.0.0.1',
  dataDir: 'the path of a folder',
  summaryUrl: 'an address with http or https and without a query, such as "http://127.0.0.1:11434/v1"',
  summaryApiKey: 'a token without blanks',
  vaultKey: '32 bytes as 64 hex digits or in base64 (openssl rand -hex 32 makes them)',
  adaptationsFile: 'the path of a file of adaptations',
  vaultKeyFile: 'the path of a file that holds the key',
  kafkaPassword: 'a text of 1 to 4096 characters',
  oidcClientSecret: 'a text of 1 to 4096 characters',
  ldapPassword: 'a text of 1 to 4096 characters',
};

const EXPECTED_OBJECTS: { readonly [key in ConfigKey]?: string } = {
  forward:
    '{"endpoint": "http://…", "https://…", "grpc://…" or "grpcs://…", "headers": {…}, "project": …} (headers and project may be left out, names and values of visible ASCII characters)',
  mew: '{"url": "ws://…" or "wss://…", "space": …, "token": …, "participant": …, "interrupts": "cancel" or "interrupt", "emit": {"tasks": […], "agents": […]}, "project": …} (all but url and space may be left out; names of 1 to 256 characters without blanks and "/")',
  interruptWebhook:
    '{"url": "https://…" or "http://…", "secret": …, "project": …} (project may be left out, the secret has 16 to 4096 visible ASCII characters)',
  visibility:
    'at most 1000 names of agents, each with "full", "summary" or "hidden", such as {"PlannerAgent": "summary", "*": "hidden"}',
};

const AGENTS_EXPECTATION =
  'a list of at most 100 addresses with http or https, such as "http://127.0.0.1:8000/agent"';

const AUTH_EXPECTATION =
  '"none", "keys" or {"token": …, "adminToken": …, "gatewayToken": …} (the latter two may be left out), tokens of 8 to 4096 visible ASCII characters';

const TYPE_RULES_EXPECTATION =
  'a list of at most 64 rules such as {"type": "TEST_RUN", "command": "^make check"}: a node type and one of toolName, command, spanName, agent with a regular expression';

function range(schema: KeySchema): string {
  return schema.exclusiveMinimum === undefined
    ? `from ${String(schema.minimum)} to ${String(schema.maximum)}`
    : `above ${schema.exclusiveMinimum} and at most ${String(schema.maximum)}`;
}
