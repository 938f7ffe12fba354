import { onBehalfOf } from '../../access/on-behalf-of.ts';
import { isOne, type Principal } from '../../access/principal.ts';
import type { Clock } from '../../base/clock.ts';
import type { Turns } from '../../base/pace.ts';
import type { AskedCell } from '../../gateway/answers/asked-cell.ts';
import type { CellAddress, CellAddresses } from '../../gateway/cells/cell-addresses.ts';
import { CellRing } from '../../gateway/routing/cell-ring.ts';
import type { CellAccess } from '../../gateway/cells/exchange.ts';
import { HttpCellSender } from '../../gateway/routing/cell-sender.ts';
import type { RouteBy, Routing } from '../../gateway/routing/choose.ts';
import { traceKey } from '../../gateway/routing/keys.ts';
import { Forwarding, type SentBy } from '../../gateway/routing/forwarding.ts';
import { NodeFinder } from '../../gateway/routing/node-finder.ts';
import { StreamHomes } from '../../gateway/routing/stream-homes.ts';
import type { PassOn } from '../../receivers/otlp-server-options.ts';
import { ingestRoute, type IngestKind, type Posted } from '../../servers/http/ingest-route.ts';
import type { Route } from '../../servers/http/route.ts';

export interface SendingOnOptions extends Pick<CellAccess, 'tls'> {
  readonly addresses: Pick<CellAddresses, 'current' | 'onChange'>;
  /** To be asked for a project, in the order of names. */
  readonly cells: (project: string) => readonly AskedCell[];
  readonly routeBy: RouteBy;
  /** With which the gateway speaks for senders; absent: they come with keys that the cells know. */
  readonly speaksBy?: string | undefined;
  readonly clock: Clock;
  readonly pace: Turns;
  /** Of a request, as it is sent. */
  readonly maxBodyBytes: number;
}

/** Bodies that are passed on whole. The parameters are those that a cell knows. */
const WHOLE: readonly IngestKind[] = [
  { path: '/ag-ui/events', query: ['taskId', 'agent', 'runId'], counts: 'spans' },
  { path: '/thoughtflow', query: ['taskId'], counts: 'spans' },
  { path: '/mew/envelopes', query: ['taskId', 'space'], counts: 'spans' },
];

/** What a gateway does with what is sent to it: its cells get it. */
export class SendingOn {
  private readonly options: SendingOnOptions;
  private readonly sender: HttpCellSender;
  private readonly homes: StreamHomes;
  private readonly forwarding: Forwarding;
  private readonly stopListening: () => void;
  private routing: Routing | undefined;

  constructor(options: SendingOnOptions) {
    const { clock, pace, addresses, maxBodyBytes } = options;
    this.options = options;
    this.homes = new StreamHomes(clock);
    this.sender = new HttpCellSender(options);
    this.forwarding = new Forwarding({
      pace,
      maxBodyBytes,
      sender: this.sender,
      routing: () => this.routing,
      find: new NodeFinder(options).find,
    });
    this.take(addresses.current());
    this.stopListening = addresses.onChange((cells) => this.take(cells));
  }

  /** For both ports of OTLP. */
  readonly passOn: PassOn = (sent, sender, headers) =>
    this.forwarding.otlp(sent, this.sentBy(sender, headers));

  /** What takes entries, events and the protocols of agents on the readers' port. */
  get routes(): readonly Route[] {
    const { forwarding } = this;
    return [
      ingestRoute({ path: '/api/cot', query: [], counts: 'thoughts' }, (posted) =>
        forwarding.entries('cot', posted, this.senderOf(posted)),
      ),
      ingestRoute({ path: '/api/events', query: [], counts: 'spans' }, (posted) =>
        forwarding.entries('event', posted, this.senderOf(posted)),
      ),
      ...WHOLE.map((kind) =>
        ingestRoute(kind, (posted) =>
          forwarding.whole({ ...posted, path: kind.path }, this.senderOf(posted)),
        ),
      ),
    ];
  }

  /** Where what is of this trace is sent to, or else what is of this name; undefined while there is no cell. */
  cellOf(traceId: string | undefined, name: string): string | undefined {
    return this.routing?.ring.of(traceKey(traceId) ?? name);
  }

  /** Ends the connections to all cells. */
  stop(): void {
    this.stopListening();
    this.sender.close();
  }

  private take(cells: readonly CellAddress[]): void {
    const { routeBy } = this.options;
    this.routing = cells.length === 0 ? undefined : { ring: new CellRing(cells), homes: this.homes, routeBy };
  }

  private senderOf({ principal, headers }: Posted): SentBy {
    return this.sentBy(principal, headers);
  }

  /** Who is not known by name is one with all such others. */
  private sentBy(principal: Principal, headers: Readonly<Record<string, string>>): SentBy {
    const { speaksBy } = this.options;
    const id = isOne(principal) ? principal.id : '';
    const { project } = principal;
    if (speaksBy === undefined) return { id, headers, project };
    // It was let in as a sender, and needs no more there.
    const caller = onBehalfOf({ ...principal, roles: ['sender'] });
    return { id, project, headers: { authorization: `Bearer ${speaksBy}`, ...caller } };
  }
}
