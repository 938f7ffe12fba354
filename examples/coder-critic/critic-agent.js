import { setTimeout as sleep } from 'node:timers/promises';
import { SpanStatusCode } from '@opentelemetry/api';
import { tracer } from './telemetry.js';

/** @import { Completion, Run } from './model-adapter.js' */

const SECRET = /\bsk-[\w-]{16,}/;

/**
 * Checks what a model wrote. The span names the `requestId` of the call that wrote it: so the check hangs by that
 * call. A violation is an error with rule, file and line.
 *
 * @param {Run} run
 * @param {Completion} written
 * @param {string} [dependsOn] the id of the step because of which it is checked once more
 * @returns {Promise<{ readonly ok: boolean, readonly spanId: string }>}
 */
export function analyse(run, { requestId, answer }, dependsOn) {
  const attributes = {
    component: 'critic-agent',
    taskID: run.taskId,
    requestId,
    file: 'README.md',
    ...(dependsOn !== undefined && { depends_on: dependsOn }),
  };
  return tracer.startActiveSpan('critic.analysis', { attributes }, async (span) => {
    await sleep(run.pace);
    const line = answer.split('\n').findIndex((text) => SECRET.test(text)) + 1;
    const ok = line === 0;
    span.setAttribute('issues.count', ok ? 0 : 1);
    if (ok) span.setStatus({ code: SpanStatusCode.OK });
    else {
      span.setAttributes({ ruleId: 'no-secrets', severity: 'critical', line });
      span.setStatus({
        code: SpanStatusCode.ERROR,
        message: `README.md:${line} no-secrets: a token stands in the text`,
      });
    }
    span.end();
    return { ok, spanId: span.spanContext().spanId };
  });
}

/**
 * The checks of the finished file.
 *
 * @param {Run} run
 * @param {Completion} written
 */
export async function runTests(run, { requestId }) {
  const attributes = {
    component: 'critic-agent',
    taskID: run.taskId,
    requestId,
    'test.suite': 'links and headings',
    'tests.passed': 4,
    'tests.failed': 0,
  };
  await tracer.startActiveSpan('critic.tests', { attributes }, async (span) => {
    await sleep(run.pace);
    span.setStatus({ code: SpanStatusCode.OK });
    span.end();
  });
}
