import { Subject, type Observable } from 'rxjs';
import {
  applyUpdate,
  startService,
  type AgentEvent,
  type EmbeddedService,
  type ExplanationGraph,
  type Refusal,
  type StartOptions,
  type Thought,
  type ViewUpdate,
} from 'explainability-agent';

/** Compiles with the types of the package, or does not. */
const options: StartOptions = {
  config: { dataDir: './graph', nodeTTLMinutes: 5, kafka: { brokers: ['k:9092'], groupId: 'g', tls: false } },
  ports: 'none',
  logger: { debug() {}, info() {}, warn() {}, error() {} },
};
const service: EmbeddedService = await startService(options);

const thoughts = new Subject<Thought>();
thoughts.subscribe(service.thoughts);
thoughts.next({ requestId: 'r', timestamp: 1, tokens: ['a'] });
const event: AgentEvent = { eventType: 'X', timestamp: '2026-11-25T10:00:00Z' };
service.events.next(event);
await service.publishEvent(event);

let graph: Parameters<typeof applyUpdate>[0];
const updates: Observable<ViewUpdate> = service.updates({ filters: { status: ['ERROR'] }, collapse: 'none' });
updates.subscribe((update) => (graph = applyUpdate(graph, update)));
const shown = (all: ExplanationGraph): number => all.nodes.length;
if (graph) shown(graph);
for await (const { snapshot, addedNodes } of service.follow()) if (snapshot) graph?.nodes.concat(addedNodes);
service.refusals.subscribe(({ error, input }: Refusal) => [error.code, input].join(' '));
const { candidates } = await service.why({ taskId: 'T' });
candidates.map(({ rank }) => rank);
const port: number | undefined = service.addresses?.readers.port;

// @ts-expect-error a key that is none
await startService({ config: { prot: 1 } });
// @ts-expect-error a thought needs a request
service.thoughts.next({ timestamp: 1 });
export { port };
