import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { FILTER_PARAMETERS } from '../../src/model/filters.ts';
import type { Draw } from './draw.ts';
import type { Field, Shape } from './shapes.ts';
import { hostileNumber, hostileText, nodeId, taskId } from './values.ts';

/** Requests of explain.v1, of the health check and of server reflection, by their paths. */

const PLACE = '00000000-0000-0000-0000-000000000000';
const TIMES = ['2025-06-20T14:23:45Z', '+275760-09-13T00:00:00Z', '9999-12-31T23:59:59.999Z', 'never', ''];

function oneOf(words: readonly string[]): (draw: Draw) => string {
  return (draw) => (draw.chance(0.9) ? draw.pick(words) : hostileText(draw));
}

function text(number: number, name: string, value: (draw: Draw) => string, more: Partial<Field> = {}): Field {
  return { number, name, kind: 'text', value, ...more };
}

const subscription = (number: number, chance = 0.9): Field =>
  text(number, 'subscriptionId', (draw) => (draw.chance(0.9) ? PLACE : hostileText(draw)), { chance });
const node = (number: number): Field => text(number, 'nodeId', nodeId, { chance: 0.95 });
const task = (number: number): Field => text(number, 'taskId', taskId, { chance: 0.9 });
const few = { most: 2, chance: 0.15 };

/** As explain.proto has them, with what each may be. */
export const filters: Shape = () => FILTER_FIELDS;
const EXPLAIN = protobuf.loadSync(
  fileURLToPath(new URL('../../proto/explain/v1/explain.proto', import.meta.url)),
);
const FILTER_FIELDS = fieldsOf('Filters', (name) => {
  const known = FILTER_PARAMETERS.find(({ filter }) => filter === name)?.option.words;
  return oneOf(known ? [...known, 'llm_call', ''] : ['CoderAgent', 'critic-agent', 'T012', '0'.repeat(32)]);
});

function fieldsOf(message: string, textOf: (name: string) => (draw: Draw) => string): readonly Field[] {
  return EXPLAIN.lookupType(`explain.v1.${message}`).fieldsArray.map(
    ({ id, name, type, repeated }): Field => {
      const more = repeated ? few : { chance: 0.1 };
      if (type === 'string') return text(id, name, textOf(name), more);
      if (type === 'double') return { number: id, name, kind: 'double', value: hostileNumber, ...more };
      const inner = fieldsOf(type, () => oneOf(TIMES));
      return { number: id, name, kind: 'message', of: () => inner, ...more };
    },
  );
}
const filtersField = (number: number): Field => ({ number, name: 'filters', kind: 'message', of: filters });
const collapse = (number: number): Field => text(number, 'collapse', oneOf(['auto', 'none']));
const include = (number: number): Field => text(number, 'include', oneOf(['ui']), few);
const varint = (number: number, name: string, chance = 0.3): Field => ({
  number,
  name,
  kind: 'varint',
  value: hostileNumber,
  chance,
});

const SERVICE = '/explain.v1.ExplainService';

export const READER_CALLS: Readonly<Record<string, Shape>> = {
  [`${SERVICE}/Subscribe`]: () => [
    subscription(1, 0.2),
    varint(2, 'resumeFrom', 0.2),
    filtersField(3),
    collapse(4),
    include(5),
    text(6, 'requestId', hostileText, { chance: 0.3 }),
  ],
  [`${SERVICE}/UpdateFilters`]: () => [subscription(1), filtersField(2)],
  [`${SERVICE}/Expand`]: () => [subscription(1), node(2)],
  [`${SERVICE}/Collapse`]: () => [subscription(1), node(2)],
  [`${SERVICE}/ExpandTask`]: () => [subscription(1), task(2)],
  [`${SERVICE}/Unsubscribe`]: () => [subscription(1)],
  [`${SERVICE}/GetGraph`]: () => [filtersField(1), collapse(2), include(3)],
  [`${SERVICE}/GetNode`]: () => [node(1), varint(2, 'offset'), varint(3, 'limit')],
  [`${SERVICE}/ListTasks`]: () => [],
  [`${SERVICE}/Why`]: () => [node(1)],
  [`${SERVICE}/Compare`]: () => [task(1), task(2)],
  [`${SERVICE}/Patterns`]: () => [filtersField(1)],
  [`${SERVICE}/Spikes`]: () => [task(1)],
  [`${SERVICE}/Summary`]: () => [task(1)],
  [`${SERVICE}/Prune`]: () => [{ number: 1, name: 'olderThanMinutes', kind: 'double', value: hostileNumber }],
  '/grpc.health.v1.Health/Check': () => [
    text(1, 'service', oneOf(['', 'explain.v1.ExplainService', 'nobody'])),
  ],
  '/grpc.health.v1.Health/Watch': () => [text(1, 'service', hostileText)],
  '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo': reflection,
  '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo': reflection,
};

function reflection(): readonly Field[] {
  return [
    text(1, 'host', hostileText, { chance: 0.3 }),
    text(3, 'fileByFilename', oneOf(['explain/v1/explain.proto', '../x']), { chance: 0.2 }),
    text(
      4,
      'fileContainingSymbol',
      oneOf(['explain.v1.ExplainService', 'explain.v1.Filters', '.', '__proto__']),
      { chance: 0.3 },
    ),
    text(6, 'allExtensionNumbersOfType', hostileText, { chance: 0.2 }),
    text(7, 'listServices', hostileText, { chance: 0.3 }),
  ];
}
