/** An agent that looks for the same thing over and over, until somebody asks it to stop: `node runaway.js [URL]`, in a clone `npx node`. */

// A clone has sources and no build, the package a build and no sources.
const { waitForInterrupts } = import.meta.url.includes('/node_modules/')
  ? await import('explainability-agent/control')
  : await import('../../src/control/control.ts');

const url = process.argv[2] ?? 'http://127.0.0.1:9000';
const token = process.env['EXPLAINABILITY_AGENT_TOKEN'];
const agent = 'SearchAgent';
const taskId = `search-${process.pid}`;
/** It does stop by itself where nobody asks: this is an example. */
const MOST = 200;

const control = waitForInterrupts({
  url,
  ...(token !== undefined && { token }),
  agent,
  taskId,
  onInterrupt: () => ({ status: 'stopping', message: 'it is not there' }),
});
await control.ready;

// While it thinks, it runs.
await tell('cot', { requestId: taskId, tokens: ['The configuration must be somewhere.'] });
let searches = 0;
while (!control.signal.aborted && searches < MOST) {
  await tell('events', {
    eventType: 'Searched',
    component: agent,
    payload: { taskId, requestId: taskId, summary: 'grep -r "timeout" src: nothing found' },
    eventID: `${taskId}-${++searches}`,
  });
  await new Promise((resolve) => setTimeout(resolve, 150));
}
await tell('cot', { requestId: taskId, tokens: [' I give up.'], final: true });
// What comes of an interrupt names the node that shows it.
const nodeId = control.signal.reason?.interruptNodeId;
if (nodeId !== undefined)
  await tell('events', {
    eventType: 'SearchStopped',
    component: agent,
    payload: { taskId, nodeId, summary: 'asked to stop' },
  });
control.close();

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
