import type { Need } from '../../access/roles.ts';
import type { WayIn } from '../../access/ways-in.ts';
import { assert } from '../../base/assert.ts';
import { explainService, SERVICE_NAME } from './load-proto.ts';

/** What each method of explain.proto needs. */
const EXPLAIN_NEEDS: Readonly<Record<string, Need>> = {
  Subscribe: 'see',
  UpdateFilters: 'see',
  Expand: 'see',
  Collapse: 'see',
  ExpandTask: 'see',
  Unsubscribe: 'see',
  GetGraph: 'see',
  GetNode: 'see',
  ListTasks: 'see',
  Search: 'read',
  Why: 'see',
  Spikes: 'see',
  Summary: 'see',
  Compare: 'see',
  Patterns: 'see',
  Prune: 'operate',
  Annotate: 'annotate',
};
const missing = Object.keys(explainService).filter((name) => !Object.hasOwn(EXPLAIN_NEEDS, name));
assert(missing.length === 0, `explain.proto has methods without a right: ${missing.join(', ')}`);

/** Of services that others wrote. Probes cannot send metadata. */
const SERVICE_NEEDS: Readonly<Record<string, Need>> = {
  'grpc.health.v1.Health': 'nothing',
  'grpc.reflection.v1.ServerReflection': 'see',
  'grpc.reflection.v1alpha.ServerReflection': 'see',
};

/** What a method needs; one that nothing is said of needs everything. @param path `/service/method` */
export function needOf(path: string): Need {
  const [, service = '', method = ''] = path.split('/');
  const needs = service === SERVICE_NAME ? EXPLAIN_NEEDS[method] : SERVICE_NEEDS[service];
  return needs ?? 'administer';
}

/** Every way in over gRPC. */
export const GRPC_WAYS: readonly WayIn[] = [
  ...Object.entries(EXPLAIN_NEEDS).map(([method, needs]) => ({
    over: 'gRPC' as const,
    name: `${SERVICE_NAME}/${method}`,
    needs,
  })),
  ...Object.entries(SERVICE_NEEDS).map(([service, needs]) => ({
    over: 'gRPC' as const,
    name: service,
    needs,
  })),
];
