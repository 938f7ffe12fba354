import { connect, ClientError, type GraphChange } from 'explainability-agent/client';

const client = connect({ url: 'http://127.0.0.1:9000', token: 'secret-token' });
const live = client.subscribe({ filters: { status: ['ERROR'] }, collapse: 'none' });
live.on('change', ({ nodes }: GraphChange) => {
  for (const node of nodes.added) {
    const latency: number | undefined = node.latencyMs;
    console.log(node.id.toUpperCase(), node.status === 'ERROR', latency);
  }
});
for await (const change of live) console.log(change.edges.removed.length);
const size: number = live.graph.order;
live.graph.forEachNode((_id, node) => console.log(node.agent, size));
const why = await client.why('req:req-1');
console.log(why);

// Types that are there but say nothing would let these pass.
// @ts-expect-error no such filter
client.subscribe({ filters: { statuses: ['ERROR'] } });
// @ts-expect-error no such status
client.subscribe({ filters: { status: ['BROKEN'] } });
// @ts-expect-error a URL is needed
connect({});
export const isOurs = (error: unknown): boolean => error instanceof ClientError;
