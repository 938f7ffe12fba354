import type { CotRecord, EventRecord } from '../../model/records.ts';
import { eventRefs } from '../../model/event-refs.ts';
import { requestNodeId } from '../../model/ids.ts';
import type { CellRing } from './cell-ring.ts';
import type { Choose, Lane, Owner } from './items.ts';
import { attributeKey, traceKey } from './keys.ts';
import type { StreamHomes } from './stream-homes.ts';

/** By what is shared out: by trace, or by an attribute of this name. */
export type RouteBy = 'traceID' | (string & {});

export interface Routing {
  readonly ring: CellRing;
  readonly homes: StreamHomes;
  readonly routeBy: RouteBy;
  /** What it is sent for: a thought of another project is another one, also where both are called the same. */
  readonly project?: string;
  /**
   * Takes down the nodes that cells are to be asked for: nothing that was sent says where they are, and they may be
   * anywhere. The parts that come out are not to be sent then, but to be made again with what was `found`. Absent: what
   * is not found is where its key says.
   */
  readonly sought?: Set<string>;
  /** The cells of nodes, as these said. */
  readonly found?: ReadonlyMap<string, string>;
}

const SERVICE = 'service.name';

/** Where spans go: by their trace, or by the attribute as the first span of their trace in their scope has it. */
export function chooseForSpans({ ring, routeBy }: Routing): Choose {
  const lanes = new Map<string, Lane>();
  const byTrace = routeBy === 'traceID';
  let current: Owner | undefined;
  return (item, scope, resource) => {
    if (!byTrace && scope !== current) lanes.clear();
    current = scope;
    const known = lanes.get(item.traceId);
    if (known) return known;
    const key = byTrace ? Buffer.from(item.traceId, 'hex') : keyBy(routeBy, resource, scope, item);
    const lane = { cell: ring.of(key), hasThoughts: false };
    lanes.set(item.traceId, lane);
    return lane;
  };
}

/**
 * Where log records go: an entry of a thought to where its request is; others by their trace, or by the attribute. By trace,
 * a record without one goes to where what it points at is, if it is an event, else to where its service's others go.
 */
export function chooseForLogs(routing: Routing): Choose {
  const { ring, routeBy } = routing;
  return (item, scope, resource) => {
    const told = item.told();
    const given = (): string | undefined =>
      routeBy === 'traceID' ? undefined : keyBy(routeBy, resource, scope, item);
    if (told?.kind === 'cot')
      return { cell: cellOfThought(routing, told, given() ?? traceKey(told.traceId)), hasThoughts: true };
    const key = given() ?? traceKey(item.traceId);
    if (key !== undefined) return { cell: ring.of(key), hasThoughts: false };
    if (told?.kind === 'event') return { cell: cellOfEvent(routing, told), hasThoughts: false };
    return { cell: ring.of(String(resource.attribute(SERVICE) ?? '')), hasThoughts: false };
  };
}

/**
 * The cell of an entry of a thought, and of all that come after it.
 * @param key what it goes by if it is the first one; its request if absent
 * @throws BoundaryError UNAVAILABLE when its cell is away for good
 */
export function cellOfThought(
  { ring, homes, project, sought, found }: Routing,
  {
    requestId,
    final,
    sequence = 1,
  }: Pick<CotRecord, 'requestId' | 'final'> & Partial<Pick<CotRecord, 'sequence'>>,
  key: Buffer | string | undefined,
): string {
  const id = requestNodeId(requestId);
  const stream = streamName(project, requestId);
  const byKey = (): string => ring.of(key ?? requestId);
  // Of one that does not begin here another gateway, or this one before it was started anew, chose the cell.
  const mayBeElsewhere = key === undefined || sequence > 1;
  if (sought && (sought.has(id) || (mayBeElsewhere && homes.known(stream) === undefined))) {
    sought.add(id);
    return byKey();
  }
  return homes.cellOf(stream, found?.get(id) ?? byKey(), final, ring);
}

/**
 * The cell of an event: where its trace is, else the trace of the span that it names, else the thought, or whatever node,
 * else the task. What names none of them stays with the others of its component.
 */
export function cellOfEvent({ ring, homes, project, sought, found }: Routing, event: EventRecord): string {
  const { traceId, nodeId, requestId, taskId } = eventRefs(event);
  const trace = traceKey(event.traceId) ?? traceKey(traceId) ?? traceKey(nodeId?.split(':', 1)[0]);
  if (trace) return ring.of(trace);
  const request = requestId ?? nodeId?.replace(/^req:/, '');
  if (request !== undefined) {
    const id = requestId === undefined ? (nodeId ?? '') : requestNodeId(requestId);
    const stream = streamName(project, request);
    const at = found?.get(id);
    const cell =
      homes.known(stream) ?? (at === undefined ? undefined : homes.cellOf(stream, at, false, ring));
    if (cell === undefined) sought?.add(id);
    return cell !== undefined && ring.has(cell) ? cell : ring.of(request);
  }
  return ring.of(taskId ?? event.component ?? '');
}

/** As the Collector makes it: the resource is asked first, then the scope, then the item. */
function keyBy(name: string, resource: Owner, scope: Owner, item: Owner): string {
  return attributeKey(name, resource.attribute(name) ?? scope.attribute(name) ?? item.attribute(name));
}

/** No name of a project has a blank in it. */
function streamName(project: string | undefined, requestId: string): string {
  return project === undefined ? requestId : `${project} ${requestId}`;
}
