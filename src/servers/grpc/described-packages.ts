import { loadSync, type MessageTypeDefinition, type PackageDefinition } from '@grpc/proto-loader';
import { assert } from '../../base/assert.ts';

/** The parts of google/protobuf/descriptor.proto that are read here; the rest passes through as it is. */
interface FileDescriptor {
  name?: string;
  package?: string;
  dependency?: string[];
  messageType?: MessageDescriptor[];
}

interface MessageDescriptor {
  name?: string;
  field?: { name: string; typeName?: string }[];
  nestedType?: MessageDescriptor[];
  options?: { mapEntry?: boolean };
}

const FILE_DESCRIPTOR = 'google.protobuf.FileDescriptorProto';

/**
 * Package descriptions that strict readers take: Go's protobuf, and grpcurl with it, refuses a whole file for
 * either of two things that proto-loader leaves out. Entries of a map field `my_map` must be named `MyMapEntry`,
 * and a file must name the files whose types it uses.
 */
export function strictDescriptors(packages: PackageDefinition): PackageDefinition {
  const codec = loadSync('google/protobuf/descriptor.proto', { longs: Number })[FILE_DESCRIPTOR] as
    MessageTypeDefinition<FileDescriptor, FileDescriptor> | undefined;
  assert(codec !== undefined, 'proto-loader brings descriptor.proto along');

  const sources = new Set(Object.values(packages).flatMap(descriptorsOf));
  const files = new Map([...sources].map((bytes) => [bytes, codec.deserialize(bytes)]));
  const fileOfPackage = new Map([...files.values()].map((file) => [file.package ?? '', file.name ?? '']));
  for (const file of files.values()) {
    for (const message of file.messageType ?? []) renameMapEntries(message);
    file.dependency = dependenciesOf(file, fileOfPackage);
  }
  // Reflection decodes each file again for each definition that brings it along: one that does is enough.
  return Object.fromEntries(
    [...files.values()].map((file) => [file.name, { fileDescriptorProtos: [codec.serialize(file)] }]),
  );
}

/** A service has none of its own: its messages bring the file. */
function descriptorsOf(definition: PackageDefinition[string]): readonly Buffer[] {
  const { fileDescriptorProtos } = definition as { readonly fileDescriptorProtos?: unknown };
  return Array.isArray(fileDescriptorProtos) ? (fileDescriptorProtos as readonly Buffer[]) : [];
}

function renameMapEntries(message: MessageDescriptor): void {
  for (const nested of message.nestedType ?? []) {
    renameMapEntries(nested);
    if (nested.options?.mapEntry !== true) continue;
    const field = message.field?.find(({ typeName }) => typeName === nested.name);
    assert(field !== undefined, 'a map entry has its field');
    nested.name = `${upperCamelCase(field.name)}Entry`;
    field.typeName = nested.name;
  }
}

function upperCamelCase(name: string): string {
  return name.replace(/(?:^|_)([a-z\d])/g, (_match, letter: string) => letter.toUpperCase());
}

function dependenciesOf(file: FileDescriptor, fileOfPackage: ReadonlyMap<string, string>): string[] {
  const types = (file.messageType ?? []).flatMap(typeNamesIn);
  const used = [...fileOfPackage].filter(
    ([name]) =>
      name !== (file.package ?? '') && types.some((type) => type.replace(/^\./, '').startsWith(`${name}.`)),
  );
  return used.map(([, fileName]) => fileName);
}

function typeNamesIn(message: MessageDescriptor): string[] {
  const own = (message.field ?? []).map(({ typeName }) => typeName ?? '');
  return [...own, ...(message.nestedType ?? []).flatMap(typeNamesIn)];
}
