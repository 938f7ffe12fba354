import { setTimeout as sleep } from 'node:timers/promises';
import { callModel } from './model-adapter.js';
import { tracer } from './telemetry.js';

/** @import { Completion, Run } from './model-adapter.js' */
/** @import { Model } from './models.js' */

const SOURCES = ['package.json', 'src/index.js', 'src/greet.js', 'test/greet.test.js', 'examples/.env'];

/**
 * Reads the sources and has a model write the file.
 *
 * @param {Run} run
 * @param {Model} model
 * @param {string} prompt
 * @param {string} dependsOn the id of the step because of which this one happens
 * @returns {Promise<Completion>}
 */
export function generate(run, model, prompt, dependsOn) {
  const attributes = { component: 'coder-agent', taskID: run.taskId, depends_on: dependsOn };
  return tracer.startActiveSpan('coder.generate', { attributes }, async (span) => {
    for (const path of SOURCES) {
      const attributes = {
        component: 'coder-agent',
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'read_file',
        'file.path': path,
      };
      await tracer.startActiveSpan(`read_file ${path}`, { attributes }, async (tool) => {
        await sleep(run.pace / 50);
        tool.end();
      });
    }
    const completion = await callModel(run, model, 'CoderAgent', prompt);
    span.end();
    return completion;
  });
}
