import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSync, type MessageTypeDefinition } from '@grpc/proto-loader';
import { describedPackages } from './load-proto.ts';

interface Message {
  readonly name: string;
  readonly field?: readonly { readonly name: string; readonly typeName?: string }[];
  readonly nestedType?: readonly (Message & { readonly options?: { readonly mapEntry?: boolean } })[];
}

interface File {
  readonly name: string;
  readonly package: string;
  readonly dependency?: readonly string[];
  readonly messageType?: readonly Message[];
}

function files(): File[] {
  const codec = loadSync('google/protobuf/descriptor.proto')['google.protobuf.FileDescriptorProto'] as
    MessageTypeDefinition<File, File> | undefined;
  assert(codec !== undefined);
  const bytes = new Set(
    Object.values(describedPackages()).flatMap((definition) => {
      const { fileDescriptorProtos } = definition as { readonly fileDescriptorProtos?: readonly Buffer[] };
      return fileDescriptorProtos ?? [];
    }),
  );
  return [...bytes].map((file) => codec.deserialize(file));
}

test('[SV74] reflection names map entries after their field, as descriptor.proto demands', () => {
  const entries = files()
    .flatMap((file) => file.messageType ?? [])
    .flatMap(({ field = [], nestedType = [] }) =>
      nestedType
        .filter(({ options }) => options?.mapEntry === true)
        .map(({ name }) => [name, field.find(({ typeName }) => typeName === name)?.name]),
    );
  const expected = [
    ['AttributesEntry', 'attributes'],
    ['TypesEntry', 'types'],
    ['TypesEntry', 'types'],
    ['FieldsEntry', 'fields'],
    ['StatusesEntry', 'statuses'],
  ];
  assert.deepEqual(entries.sort(), expected.sort());
});

test('[SV74] reflection says which files a file needs', () => {
  const all = files();
  const struct = all.find((file) => file.package === 'google.protobuf');
  const explain = all.find((file) => file.package === 'explain.v1');
  assert(struct !== undefined && explain !== undefined);
  assert.deepEqual(explain.dependency, [struct.name]);
});
