// What a user writes who wants a live graph: printed after every change, in an order of its own.
import { connect } from 'explainability-agent/client';

const client = connect({ url: process.argv[2] });
const live = client.subscribe({ collapse: 'none' });
const byId = (a, b) => (a.id < b.id ? -1 : 1);

function print() {
  const nodes = live.graph.mapNodes((_id, node) => node).sort(byId);
  const edges = live.graph.mapEdges((_id, edge) => edge).sort(byId);
  console.log(`graph ${JSON.stringify({ nodes, edges })}`);
}

live.on('state', ({ state }) => console.log(`state ${state}`));
live.on('error', (error) => console.log(`error ${error.code}`));
live.on('change', print);
process.on('SIGTERM', () => void client.close());
await live.ready;
print();
