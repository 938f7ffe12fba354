import assert from 'node:assert/strict';
import { join } from 'node:path';
import { checkRun } from '../../python-facts/check-run.ts';
import { readShown } from '../../python-facts/shown-run.ts';
import { startLiveService } from '../../recordings/live-service.ts';
import { succeed } from '../../steps/child.ts';
import type { Steps } from '../../steps/steps.ts';
import { makeEnvironment } from './environment.ts';
import { STACKS, type PythonStack } from './stacks.ts';
import { startWeatherModels } from './weather-models.ts';

/**
 * Python programs that use real SDKs with a faked model, each against a service of its own: every fact of the story that
 * they play must be shown.
 * @param words of which one is in the names of the programs that are run; none: all
 */
export async function playPython(steps: Steps, words: readonly string[]): Promise<void> {
  const chosen = STACKS.filter(
    ({ name }) => words.length === 0 || words.some((word) => `python/${name}`.includes(word)),
  );
  if (chosen.length === 0) return;
  const made = await steps.step('python: the environment', () =>
    makeEnvironment((what) => console.log(`  python: ${what}`)),
  );
  if (made === undefined) return;
  if (made.python === undefined) {
    console.log(`~ python: not run, ${made.lacking}`);
    return;
  }
  const { python } = made;
  const models = await startWeatherModels();
  try {
    for (const stack of chosen)
      await steps.step(`python/${stack.name}: [SDK10] what happened is shown`, () =>
        check(stack, python, models.url),
      );
  } finally {
    models.stop();
  }
}

async function check(
  { program, args = [], expected }: PythonStack,
  interpreter: string,
  models: string,
): Promise<void> {
  const service = await startLiveService();
  try {
    await succeed(interpreter, [join(import.meta.dirname, 'programs', program), ...args], {
      env: {
        PATH: process.env['PATH'],
        MODELS_URL: models,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://${service.otlpHttp}`,
        OTEL_SEMCONV_STABILITY_OPT_IN: 'gen_ai_latest_experimental',
        // Google's ADK leaves texts out of its spans otherwise.
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'SPAN_AND_EVENT',
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
        // What would go to anybody else stays here.
        DO_NOT_TRACK: '1',
      },
    });
    const facts = await checkRun(expected, await readShown(service));
    const missed = facts
      .filter(({ isRight }) => !isRight)
      .map(({ name, shown }) => `${name}: shown ${shown}`);
    assert.deepEqual(missed, []);
    assert.deepEqual(service.takeErrors(), []);
  } finally {
    await service.stop();
  }
}
