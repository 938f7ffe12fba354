import { fileURLToPath } from 'node:url';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { loadSync, type MessageTypeDefinition, type PackageDefinition } from '@grpc/proto-loader';
import { protoPath as healthProtoPath } from 'grpc-health-check';
import { assert } from '../../base/assert.ts';
import { strictDescriptors } from './described-packages.ts';

const EXPLAIN_PROTO = fileURLToPath(new URL('../../../proto/explain/v1/explain.proto', import.meta.url));
export const SERVICE_NAME = 'explain.v1.ExplainService';

/** Absent fields stay absent, so that an unknown number isn't 0; lists are always there. */
const OPTIONS = { longs: Number, enums: String, defaults: false, arrays: true, oneofs: false } as const;

/** Messages as objects in our own camelCase: the shapes of the model need no renaming. */
const codec = loadSync(EXPLAIN_PROTO, { ...OPTIONS, keepCase: false });

/** Reads and writes the messages of explain.proto. */
export const explainService = codec[SERVICE_NAME] as unknown as ServiceDefinition;

/** What reflection describes: the names as the .proto files have them. */
export function describedPackages(): PackageDefinition {
  return strictDescriptors(loadSync([EXPLAIN_PROTO, healthProtoPath], { ...OPTIONS, keepCase: true }));
}

/** @param name of a message in explain.proto, without its package */
export function messageSerializer(name: string): (message: object) => Buffer {
  const definition = codec[`explain.v1.${name}`] as MessageTypeDefinition<object, object> | undefined;
  assert(definition !== undefined, `no message ${name} in explain.proto`);
  return definition.serialize;
}
