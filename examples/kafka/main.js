import { Producer } from '@platformatic/kafka';

/** Sends a thought in pieces, and an event, to the topics that the service reads. Usage: node main.js [HOST:PORT] */
const producer = new Producer({
  clientId: 'planner',
  bootstrapBrokers: [process.argv[2] ?? '127.0.0.1:9092'],
  serializers: { key: bytes, value: bytes },
});
const at = Date.now();
const about = { requestId: 'req-78', agent: 'PlannerAgent', model: 'llama-3', taskId: 'T078' };
const pieces = ['The parser fails on empty input.', ' Ask for the grammar.'];
const thoughts = pieces.map((piece, n) => ({
  topic: 'thoughts',
  key: about.requestId, // all of a thought in one partition, so that its pieces stay in order
  value: JSON.stringify({ ...about, timestamp: at + n, tokens: [piece], final: n === pieces.length - 1 }),
}));
const event = {
  topic: 'events',
  key: 'T078',
  value: JSON.stringify({
    eventID: 'plan-78',
    eventType: 'PlanMade',
    component: 'PlannerAgent',
    timestamp: at + pieces.length,
    payload: { taskID: 'T078', requestId: 'req-78' },
  }),
};
try {
  await producer.send({ messages: [...thoughts, event], acks: -1 });
  console.log('sent', thoughts.length + 1);
} catch (error) {
  console.error('not sent:', error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await producer.close();
}

/** @param {string} [text] */
function bytes(text) {
  return Buffer.from(text ?? '');
}
