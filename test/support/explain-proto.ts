import assert from 'node:assert/strict';
import { loadSync } from '@grpc/proto-loader';
import type { NodeCodec } from '../../src/client/told-nodes.ts';

const messages = loadSync(new URL('../../proto/explain/v1/explain.proto', import.meta.url).pathname, {
  longs: Number,
  enums: String,
  defaults: false,
  arrays: true,
  oneofs: false,
});

/** Reads and writes a message of explain.proto, by the loader and with the options of the client. */
export function codecOf(name: string): NodeCodec {
  const message = messages[`explain.v1.${name}`];
  assert.ok(message && 'serialize' in message);
  return message as unknown as NodeCodec;
}

/** The numbers of the fields of a message, in order. */
export function fieldNumbers(name: string): readonly number[] {
  const { type } = codecOf(name) as unknown as {
    readonly type: { readonly field: readonly { readonly number: number }[] };
  };
  return type.field.map(({ number }) => number).sort((a, b) => a - b);
}
