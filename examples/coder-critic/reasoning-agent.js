import { SpanStatusCode } from '@opentelemetry/api';
import { callModel } from './model-adapter.js';
import { SMALL } from './models.js';
import { tracer } from './telemetry.js';

/** @import { Run } from './model-adapter.js' */

const CANDIDATES = ['tutorial', 'short readme', 'generated api docs'];

/**
 * Has several plans drawn up and lets a vote decide. The vote `depends_on` the calls that made the plans: that is
 * what draws the edges from them to it.
 *
 * @param {Run} run
 * @returns {Promise<{ readonly plan: string, readonly voteId: string }>} `voteId`: the span of the vote
 */
export function planTask(run) {
  const attributes = { component: 'reasoning-agent', taskID: run.taskId };
  return tracer.startActiveSpan('reasoning.plan', { attributes }, async (span) => {
    const drafts = [];
    for (const candidate of CANDIDATES) {
      drafts.push({ candidate, ...(await callModel(run, SMALL, 'ReasoningAgent', `plan: ${candidate}`)) });
    }
    const vote = tracer.startSpan('reasoning.vote', {
      attributes: {
        ...attributes,
        depends_on: drafts.map(({ requestId }) => requestId),
        'vote.candidates': CANDIDATES,
      },
    });
    // Low effort and low risk win: two votes of three.
    const winner = drafts.find(({ answer }) => /Effort: low\. Risk: low/.test(answer)) ?? drafts[0];
    vote.setAttributes({
      'vote.winner': winner?.candidate ?? '',
      'vote.ballots': ['short readme: 2', 'tutorial: 1'],
    });
    vote.setStatus({ code: SpanStatusCode.OK });
    vote.end();
    span.end();
    return { plan: winner?.answer ?? '', voteId: vote.spanContext().spanId };
  });
}
