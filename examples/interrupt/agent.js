/** An agent that thinks without an end, and stops when somebody asks it to: `node agent.js [URL]`, in a clone `npx node`. */

// A clone has sources and no build, the package a build and no sources.
const { waitForInterrupts } = import.meta.url.includes('/node_modules/')
  ? await import('explainability-agent/control')
  : await import('../../src/control/control.ts');

const url = process.argv[2] ?? 'http://127.0.0.1:9000';
const token = process.env['EXPLAINABILITY_AGENT_TOKEN'];
const agent = 'CounterAgent';
const taskId = `count-${process.pid}`;

const control = waitForInterrupts({
  url,
  ...(token !== undefined && { token }),
  agent,
  taskId,
  onInterrupt: ({ reason, by }) => {
    console.log(`asked to stop by ${by}: ${reason}`);
    return { status: 'stopping', message: 'after this number' };
  },
});
await control.ready;
console.log(`${taskId} runs`);

let number = 0;
while (!control.signal.aborted) {
  await tell('cot', { requestId: taskId, tokens: [`Number ${++number} is not the last one. `] });
  await new Promise((resolve) => setTimeout(resolve, 100));
}
await tell('cot', { requestId: taskId, tokens: ['I stop here.'], final: true });
// What comes of an interrupt names the node that shows it.
const { interruptNodeId: nodeId } = control.signal.reason;
await tell('events', { eventType: 'AgentStopped', component: agent, payload: { nodeId, taskId, number } });
control.close();
console.log('stopped');

/**
 * @param {'cot' | 'events'} what
 * @param {object} said
 */
async function tell(what, said) {
  const answer = await fetch(`${url}/api/${what}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ timestamp: Date.now(), agent, taskId, ...said }),
  });
  if (!answer.ok) console.error(`${what}: ${answer.status} ${await answer.text()}`);
}
