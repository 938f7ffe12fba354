import { SpanStatusCode } from '@opentelemetry/api';
import { generate } from './coder-agent.js';
import { analyse, runTests } from './critic-agent.js';
import { LARGE, SMALL } from './models.js';
import { planTask } from './reasoning-agent.js';
import { reflect } from './reflexion-adapter.js';
import { tracer } from './telemetry.js';

/** @import { Run } from './model-adapter.js' */

/**
 * "Create README.md": a plan is chosen, a small model writes the file and copies a secret into it, the critic
 * sees it, the small model tries again and fails in the same way, a larger model takes over and mends it.
 *
 * @param {Run} run
 */
export async function createReadme(run) {
  const { taskId } = run;
  const attributes = { component: 'workflow', taskID: taskId, 'prompt.summary': 'Create README.md' };
  await tracer.startActiveSpan('workflow.create_readme', { attributes }, async (span) => {
    const { voteId } = await planTask(run);

    const first = await generate(run, SMALL, 'write README.md', voteId);
    const firstCheck = await analyse(run, first);
    const retry = reflect('TaskRetryInitiated', {
      taskId,
      spanId: firstCheck.spanId,
      requestId: first.requestId,
      reason: 'rule no-secrets',
    });

    const prompt = 'write README.md again: rule no-secrets';
    const second = await generate(run, SMALL, prompt, retry);
    const secondCheck = await analyse(run, second);
    const switched = reflect('ModelSwitched', {
      taskId,
      spanId: secondCheck.spanId,
      oldModel: SMALL.name,
      newModel: LARGE.name,
      reason: 'two attempts failed by the same rule',
    });

    const third = await generate(run, LARGE, prompt, switched);
    const fixed = reflect('CodeFixApplied', {
      taskId,
      spanId: secondCheck.spanId,
      requestId: second.requestId,
      file: 'README.md',
    });
    const lastCheck = await analyse(run, third, fixed);
    if (lastCheck.ok) await runTests(run, third);
    span.setStatus({ code: lastCheck.ok ? SpanStatusCode.OK : SpanStatusCode.ERROR });
    span.end();
  });
}
