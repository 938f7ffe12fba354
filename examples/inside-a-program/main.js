import { applyUpdate, startService } from 'explainability-agent';

/** An agent that has its explanations beside it, in its own process: no file, no port. */
const service = await startService();

/** @type {import('explainability-agent').ExplanationGraph | undefined} */
let graph;
const view = service.updates({ filters: { taskIds: ['T077'] }, collapse: 'none' }).subscribe((update) => {
  graph = applyUpdate(graph, update);
});
service.refusals.subscribe(({ input, error }) => console.log(`refused, ${input}: ${error.message}`));

// Whatever emits objects can be connected: observable.subscribe(service.thoughts).
const at = Date.now();
const about = { requestId: 'req-77', agent: 'PlannerAgent', model: 'llama-3', taskId: 'T077' };
service.thoughts.next({ ...about, timestamp: at, tokens: ['The parser fails on empty input.'] });
service.thoughts.next({
  ...about,
  timestamp: at + 1,
  tokens: [' Ask jane@example.com', ' for the grammar.'],
  final: true,
});
service.events.next(/** @type {any} */ ({ eventType: 'PlanMade', payload: { taskID: 'T077' } }));

// Who has to know that it is kept waits for it.
await service.publishEvent({
  eventType: 'EscalatedToHuman',
  component: 'PlannerAgent',
  timestamp: at + 2,
  payload: { taskID: 'T077', requestId: 'req-77' },
});

await service.stop(); // the observer has been told everything
console.log(view.closed ? 'complete' : 'open');
const byStart = (graph?.nodes ?? []).toSorted((a, b) => a.timestamp.localeCompare(b.timestamp));
for (const node of byStart) console.log(node.type, node.agent, '—', node.title);
for (const edge of graph?.edges ?? []) console.log('  ', edge.relation, 'by', edge.evidence);
