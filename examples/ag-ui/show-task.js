// @ts-expect-error: `npm install @ag-ui/client` beside this file
import { HttpAgent } from '@ag-ui/client';

/**
 * Shows a task, live if it still runs, with the official client of AG-UI.
 * Usage: node show-task.js TASK [URL of the service]
 */
const [task, service = 'http://127.0.0.1:9000'] = process.argv.slice(2);
if (task === undefined) {
  console.error('say which task: node show-task.js TASK [URL of the service]');
  process.exit(2);
}
const agent = new HttpAgent({ url: `${service}/ag-ui/run`, threadId: task });

/** @param {{ metadata?: { explain?: { type?: string, agent?: string } } }} told what the service knows of its node */
function who({ metadata }) {
  const { type = '', agent: name = '' } = metadata?.explain ?? {};
  return `${name} ${type}`.trim();
}

const run = agent.runAgent(
  { runId: `show-${Date.now()}` },
  {
    /** @param {{ event: { delta: string } }} told */
    onReasoningMessageContentEvent: ({ event }) => void process.stdout.write(event.delta),
    onReasoningMessageEndEvent: () => console.log(),
    /** @param {{ event: { message: string } }} told */
    onRunErrorEvent: ({ event }) => console.log(`failed: ${event.message}`),
  },
);
const { newMessages } = await run.catch((/** @type {Error} */ { message }) => {
  console.error(`the service does not show the task: ${message}`);
  process.exit(1);
});
for (const message of newMessages) {
  for (const call of message.toolCalls ?? [])
    console.log(`${who(call) || 'tool call'}: ${call.function.name}(${call.function.arguments})`);
  if (message.role !== 'reasoning' && typeof message.content === 'string')
    console.log(`${who(message) || message.role}: ${message.content}`);
}
