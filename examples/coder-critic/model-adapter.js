import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { emitLog, tracer } from './telemetry.js';

/** @import { Model } from './models.js' */

/**
 * @typedef {{ readonly taskId: string, readonly pace: number }} Run
 *   `pace`: milliseconds that one beat of the story takes
 * @typedef {{ readonly requestId: string, readonly answer: string }} Completion
 */

/** Words that arrive together while a model streams. */
const WORDS_PER_CHUNK = 4;

/**
 * Every call of a model goes through here. It is one span, and the thoughts of the model are
 * log records of the same `requestId`, one for each piece that arrives: by that id the two become one step.
 *
 * @param {Run} run
 * @param {Model} model
 * @param {string} agent who asks, for the span's name
 * @param {string} prompt
 * @returns {Promise<Completion>}
 */
export function callModel(run, model, agent, prompt) {
  const requestId = `${run.taskId}/${randomUUID().slice(0, 8)}`;
  const attributes = {
    component: 'model-adapter',
    taskID: run.taskId,
    requestId,
    'model.name': model.name,
    'prompt.summary': `${agent}: ${prompt}`,
  };
  return tracer.startActiveSpan(`chat ${model.name}`, { attributes }, async (span) => {
    const reply = model.replies[prompt];
    if (!reply) throw new Error(`the fake model ${model.name} has no reply to: ${prompt}`);
    await streamThoughts(run, requestId, model.name, reply.thoughts);
    const tokensIn = 200 + prompt.length;
    const tokensOut = Math.round((reply.thoughts.length + reply.answer.length) / 4);
    span.setAttributes({
      'tokens.in': tokensIn,
      'tokens.out': tokensOut,
      'cost.usd': Number(((tokensIn + tokensOut) * model.pricePerToken).toPrecision(3)),
      completion: reply.answer,
    });
    span.end();
    return { requestId, answer: reply.answer };
  });
}

/**
 * @param {Run} run
 * @param {string} requestId
 * @param {string} model
 * @param {string} thoughts
 */
async function streamThoughts({ taskId, pace }, requestId, model, thoughts) {
  const words = thoughts.split(/(?<= )/);
  for (let at = 0, sequence = 0; at < words.length; at += WORDS_PER_CHUNK, sequence++) {
    const tokens = words.slice(at, at + WORDS_PER_CHUNK);
    const final = at + WORDS_PER_CHUNK >= words.length;
    emitLog({ eventName: 'cot', attributes: { requestId, taskId, model, tokens, sequence, final } });
    await sleep(pace / 4);
  }
}
