import { limited, Limits } from '../access/limits.ts';
import type { Access, Principal } from '../access/principal.ts';
import type { WayIn } from '../access/ways-in.ts';
import { assert } from '../base/assert.ts';
import { SharedPlaces } from '../base/shared-places.ts';
import { BoundaryError } from '../base/boundary-error.ts';
import { flagName } from '../config/names.ts';
import type { ServiceConfig } from '../config/schema.ts';
import type { TlsPort } from '../config/tls.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../receivers/config.ts';
import { InflightBytes } from '../transport/inflight-bytes.ts';
import { OtlpGrpcReceiver } from '../receivers/otlp-grpc/otlp-grpc-receiver.ts';
import type { PassOn } from '../receivers/otlp-server-options.ts';
import { OtlpHttpReceiver } from '../receivers/otlp-http/otlp-http-receiver.ts';
import { createHostOriginCheck, type HostOriginCheck } from '../transport/host-origin-check.ts';
import type { RequestBodiesOptions } from '../transport/request-bodies.ts';
import type { ListenAddress } from '../transport/tcp-listener.ts';
import { VERB_NEEDS } from '../servers/websocket/client-frame.ts';
import { GRPC_WAYS } from '../servers/grpc/method-needs.ts';
import { GrpcReaders } from '../servers/grpc/grpc-readers.ts';
import { RunStreams } from '../servers/http/ag-ui/run-streams.ts';
import { HttpApi } from '../servers/http/http-api.ts';
import { OnePortServer, type HttpFace } from '../servers/one-port/one-port-server.ts';
import type { Space } from '../servers/space.ts';
import { PATH_NEEDS, WebSocketReaders } from '../servers/websocket/websocket-server.ts';
import { heldReader } from '../subscriptions/held-reader.ts';
import type { OwnListeners } from '../telemetry/own-endpoint.ts';
import type { AccessParts } from './open-access.ts';
import { PortsTls } from './ports-tls.ts';
import type { Projects } from './project/projects.ts';
import type { CellIdentity } from '../model/cell-identity.ts';
import type { TaskCounts, ToldCells } from '../model/told-cells.ts';
import type { SharedParts } from './shared-parts.ts';
import { Spaces, type SpaceStacks } from './spaces.ts';

/** Where the service really listens. */
export interface Addresses {
  readonly otlpGrpc: ListenAddress;
  readonly otlpHttp: ListenAddress;
  readonly readers: ListenAddress;
  /** The ports that speak TLS. */
  readonly tls: ReadonlySet<TlsPort>;
}

export interface ListenersOptions extends SharedParts {
  readonly config: ServiceConfig;
  /** What is sent goes to one of these, and what is asked is answered from there. */
  readonly projects: SpaceStacks & Pick<Projects, 'warnings'>;
  readonly entrance: AccessParts;
  /** Of a gateway: OTLP is not decoded here. */
  readonly passOn?: PassOn | undefined;
  /** What `/metrics` shows; the service's own instruments if absent. */
  readonly metricsText?: (() => Promise<string>) | undefined;
  /** What keeps the service from doing all it should, for `/readyz`. */
  readonly problems: () => readonly string[];
  /** Of a gateway: how its cells are. */
  readonly cells?: (() => Promise<ToldCells>) | undefined;
  /** Of all projects; a gateway has none. */
  readonly taskCounts?: (() => Promise<TaskCounts>) | undefined;
  /** As a gateway knows it whose cell it is. */
  readonly identity: Pick<CellIdentity, 'version' | 'data' | 'startedAt' | 'settings'>;
}

/** All ports: both OTLP receivers and the readers' port. */
export class Listeners {
  private readonly otlpGrpc: OtlpGrpcReceiver;
  private readonly otlpHttp: OtlpHttpReceiver;
  private readonly readers: OnePortServer;
  private readonly config: ServiceConfig;
  private readonly tls: PortsTls;
  private readonly agUiRuns: RunStreams;
  private readonly agUiProxied: RunStreams;
  private readonly spaces: Spaces;
  private readonly subscriptions: SharedPlaces;
  private httpApi!: HttpApi;
  private state: 'starting' | 'open' | 'draining' = 'starting';
  private opened: Addresses | undefined;

  constructor(options: ListenersOptions) {
    const { config, clock, pace, logger, telemetry, projects } = options;
    const hostOriginCheck = createHostOriginCheck({ ...config, allowedHosts: hostsOf(config) });
    const perKey = new Limits({
      clock,
      defaults: config.limits,
      onRefused: (what) => telemetry.limitsRefused(what, 1),
    });
    const access = limited(options.entrance.access, perKey);
    this.config = config;
    this.tls = new PortsTls(config.tls, { clock, logger });
    this.subscriptions = new SharedPlaces({ most: config.maxSubscriptions, refusal: tooManySubscriptions });
    this.agUiRuns = new RunStreams(clock);
    this.agUiProxied = new RunStreams(clock);
    this.spaces = new Spaces(projects, {
      agUiRuns: this.agUiRuns,
      agUiProxied: this.agUiProxied,
      base: () => readersUrl(this.addresses),
    });
    const bodies: RequestBodiesOptions = {
      limits: { maxBodyBytes: config.maxRequestBytes, maxDecompressedBytes: config.maxDecompressedBytes },
      inflight: new InflightBytes(config.maxInflightBytes, () => telemetry.requestsRefused(1), clock),
      clock,
      pace,
    };
    const otlp = {
      host: config.host,
      ...bodies,
      limits: { ...DEFAULT_RECEIVER_LIMITS, ...bodies.limits },
      access,
      perKey,
      consumerOf: (principal: Principal) => this.spaces.of(principal).consumer,
      passOn: options.passOn,
      metrics: telemetry,
      logger,
      hostOriginCheck,
      maxConnections: config.maxConnections,
      ports: () => ({
        otlpGrpc: this.opened?.otlpGrpc.port ?? config.otlpGrpcPort,
        otlpHttp: this.opened?.otlpHttp.port ?? config.otlpHttpPort,
        readers: this.opened?.readers.port ?? config.port,
      }),
    };
    this.otlpGrpc = new OtlpGrpcReceiver({
      ...otlp,
      port: config.otlpGrpcPort,
      tls: this.tls.of('otlpGrpc'),
    });
    this.otlpHttp = new OtlpHttpReceiver({
      ...otlp,
      port: config.otlpHttpPort,
      tls: this.tls.of('otlpHttp'),
    });
    this.readers = this.createReaders(options, { access, perKey, hostOriginCheck }, bodies);
  }

  /** Where the service listens. @throws AssertionError before `start` */
  get addresses(): Addresses {
    assert(this.opened, 'the ports are open');
    return this.opened;
  }

  /** Every way in, with what it needs. */
  async waysIn(): Promise<readonly WayIn[]> {
    const { TOOLS } = await import('../servers/http/mcp/tools.ts');
    const verbs = Object.entries(VERB_NEEDS).map(([name, needs]) => ({
      over: 'WebSocket' as const,
      name,
      needs,
    }));
    return [
      ...this.httpApi.waysIn,
      ...Object.entries(PATH_NEEDS).map(([path, needs]) => ({
        over: 'WebSocket' as const,
        name: `GET ${path}`,
        needs,
      })),
      ...verbs,
      ...GRPC_WAYS,
      ...this.otlpGrpc.waysIn,
      ...TOOLS.map(({ name, needs }) => ({ over: 'MCP' as const, name, needs })),
    ];
  }

  /** So that the service does not export its own spans to itself. */
  get ownListeners(): OwnListeners {
    const { readers, otlpGrpc, otlpHttp } = this.addresses;
    return { host: this.config.host, ports: [readers.port, otlpGrpc.port, otlpHttp.port] };
  }

  /**
   * @throws Error naming the port that cannot be had, BoundaryError FAILED_PRECONDITION for a file of TLS; `stop` closes
   *   what was opened before
   */
  async start(): Promise<void> {
    await this.tls.start();
    const { otlpGrpcPort, otlpHttpPort, port } = this.config;
    const otlpGrpc = await opened('otlpGrpcPort', otlpGrpcPort, () => this.otlpGrpc.start());
    const otlpHttp = await opened('otlpHttpPort', otlpHttpPort, () => this.otlpHttp.start());
    const readers = await opened('port', port, () => this.readers.start());
    this.opened = { otlpGrpc, otlpHttp, readers, tls: this.tls.ports };
    this.state = 'open';
  }

  /** The OTLP receivers refuse what comes, and finish what they have. */
  async refuse(): Promise<void> {
    this.state = 'draining';
    await Promise.all([this.otlpGrpc.drain(), this.otlpHttp.drain()]);
  }

  async stop(reason: string): Promise<void> {
    this.agUiRuns.close(reason);
    this.agUiProxied.close(reason);
    await this.readers.drain(reason);
    await Promise.all([this.otlpGrpc.stop(), this.otlpHttp.stop(), this.readers.stop()]);
    this.tls.stop();
  }

  /** Its reader counts the subscriptions of who asks. */
  private followed(perKey: Limits, principal: Principal): Space {
    const { reader, ...rest } = this.spaces.of(principal);
    const hold = (end: () => void): (() => void) => {
      const release = perKey.hold(principal, 'subscriptions');
      try {
        const free = this.subscriptions.take(principal.id, end);
        return () => {
          free();
          release();
        };
      } catch (error) {
        release();
        throw error;
      }
    };
    return { ...rest, reader: heldReader(reader, hold) };
  }

  private createReaders(
    options: ListenersOptions,
    guards: { readonly access: Access; readonly perKey: Limits; readonly hostOriginCheck: HostOriginCheck },
    bodies: RequestBodiesOptions,
  ): OnePortServer {
    const { routes } = options.entrance;
    const { config, clock, pace, logger, telemetry, projects, problems, identity } = options;
    const spaceOf = (principal: Principal) => this.spaces.of(principal);
    const shared = { ...guards, spaceOf, logger, pace: pace.of('readers') };
    const following = {
      ...shared,
      spaceOf: (principal: Principal) => this.followed(guards.perKey, principal),
    };
    const { maxConnections } = config;
    this.httpApi = new HttpApi({
      ...shared,
      routes,
      bodies,
      readiness: () => {
        const reasons = this.state === 'open' ? problems() : [`the service is ${this.state}`];
        return {
          ready: reasons.length === 0,
          reasons,
          warnings: [...projects.warnings(), ...this.tls.warnings()],
        };
      },
      cell: () => ({
        ...identity,
        now: clock.now(),
        role: config.role,
        state: this.state,
        reasons: problems(),
      }),
      cells: options.cells,
      taskCounts: options.taskCounts,
      metrics: (_request, response) => telemetry.answerMetrics(response, options.metricsText),
    });
    return new OnePortServer({
      host: config.host,
      port: config.port,
      tls: this.tls.of('readers'),
      maxConnections,
      logger,
      clock,
      pace,
      webSocket: new WebSocketReaders({ ...following, clock, maxConnections }),
      grpc: new GrpcReaders({
        ...following,
        clock,
        inflight: bodies.inflight,
        guests: this.otlpGrpc,
      }),
      http: this.withOtlp(this.httpApi),
    });
  }

  /** OTLP comes in at the readers' port as well, and is answered as at its own. */
  private withOtlp(api: HttpApi): HttpFace {
    return {
      handle: (request, response) =>
        this.otlpHttp.takes(request)
          ? void this.otlpHttp.handle(request, response)
          : api.handle(request, response),
    };
  }
}

function tooManySubscriptions(): BoundaryError {
  return new BoundaryError(
    'RESOURCE_EXHAUSTED',
    'too many subscriptions: end some, or raise maxSubscriptions',
    {
      retryAfterMs: 1000,
    },
  );
}

/** Where the readers' port is reached, without a slash at the end. */
export function readersUrl({ readers, tls }: Addresses): string {
  const host = readers.host.includes(':') ? `[${readers.host}]` : readers.host;
  return `${tls.has('readers') ? 'https' : 'http'}://${host}:${readers.port}`;
}

/** People reach the service by the name that their setting says. */
function hostsOf({ allowedHosts, people }: ServiceConfig): readonly string[] {
  const name = people?.url === undefined ? undefined : new URL(people.url).hostname;
  return name === undefined ? allowedHosts : [...allowedHosts, name];
}

async function opened(
  key: 'port' | 'otlpGrpcPort' | 'otlpHttpPort',
  port: number,
  start: () => Promise<ListenAddress>,
): Promise<ListenAddress> {
  try {
    return await start();
  } catch (error) {
    const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
    throw new Error(`port ${port} (${key}): ${portProblem(code ?? 'no reason given', flagName(key))}`, {
      cause: error,
    });
  }
}

/** What is wrong with an address to listen on, and what to do. @param flag that sets the port */
function portProblem(code: string, flag: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `it is in use: stop what uses it, or choose another with ${flag} (0 takes one that is free)`;
    case 'EACCES':
      return `this user may not open it (EACCES): choose one above 1023 with ${flag}`;
    case 'EADDRNOTAVAIL':
      return 'this machine has no address such as `host` names (EADDRNOTAVAIL): set another `host`';
    case 'ENOTFOUND':
      return 'the name in `host` is not known (ENOTFOUND): set another `host`';
    default:
      return `it cannot be opened (${code}): choose another with ${flag}`;
  }
}
