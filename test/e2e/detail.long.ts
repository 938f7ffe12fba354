import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../support/until.ts';
import { everything, Following, post } from './every-answer.ts';
import { plantedEvents, plantedLogs, plantedThoughts, plantedTraces } from './planted.ts';
import type { RealService } from './real-service.ts';
import { serviceWithKeys } from './service-with-keys.ts';
import { WordsOfTexts } from './words-of-texts.ts';

/** Texts in every field of every way in. */
async function sendTexts(service: RealService, key: string, words: WordsOfTexts): Promise<void> {
  const say = (place: string): string => words.at(`ways: ${place}`);
  const taken = async (path: string, body: unknown): Promise<void> => {
    const answer = await post(service, key, path, body);
    assert.match(answer, /^20[02] /, path);
  };
  await taken('/v1/traces', plantedTraces(words, 'OTLP', 1));
  await taken('/v1/traces', plantedTraces(words, 'OTLP again', 2));
  await taken('/v1/logs', plantedLogs(words, 'OTLP'));
  for (const thought of plantedThoughts(words, 'cot')) await taken('/api/cot', thought);
  for (const event of plantedEvents(words, 'events')) await taken('/api/events', event);
  await taken('/ag-ui/events?taskId=ag-ui-task', [
    { type: 'RUN_STARTED', threadId: 'ag-ui-task', runId: 'run-1', input: agUiInput(say) },
    { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: say('message') },
    { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
    { type: 'TOOL_CALL_START', toolCallId: 'call-1', toolCallName: 'lookup' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'call-1', delta: JSON.stringify({ q: say('arguments') }) },
    { type: 'TOOL_CALL_END', toolCallId: 'call-1' },
    { type: 'TOOL_CALL_RESULT', messageId: 'm2', toolCallId: 'call-1', content: say('result') },
    { type: 'STATE_SNAPSHOT', snapshot: { note: say('state') } },
    { type: 'CUSTOM', name: say('name of an event'), value: say('value of an event') },
    { type: 'RUN_ERROR', message: say('run error'), code: say('code of an error') },
  ]);
  await taken('/thoughtflow', {
    session_id: 'flow-task',
    title: say('title'),
    conversations: [
      {
        conversation_id: 'c1',
        label: say('label'),
        steps: [
          {
            step_id: 's1',
            label: say('step label'),
            prompt: say('flow prompt'),
            response: say('flow response'),
            metadata: { note: say('metadata') },
          },
        ],
      },
    ],
  });
}

function agUiInput(say: (place: string) => string): object {
  return {
    threadId: 'ag-ui-task',
    runId: 'run-1',
    state: { note: say('input state') },
    messages: [{ id: 'u1', role: 'user', content: say('question') }],
    tools: [{ name: 'lookup', description: say('description'), parameters: {} }],
    context: [{ description: say('context'), value: say('context value') }],
    forwardedProps: {},
  };
}

test('[AC24] a key that sees and does not read finds no text on any way out; one that reads finds it', async (t) => {
  const { service, keys } = await serviceWithKeys(t, {
    sender: { roles: ['sender'] },
    reader: { roles: ['reader'] },
    analyst: { roles: ['analyst'] },
  });
  const words = new WordsOfTexts();
  const [reader, analyst] = [new Following(service, keys.reader), new Following(service, keys.analyst)];
  await until('both follow', () => reader.frames.length >= 3 && analyst.frames.length >= 3);
  await sendTexts(service, keys.sender, words);
  await until('what was sent is shown', () =>
    [reader, analyst].every(({ frames }) => frames.join('').includes('flow-task')),
  );
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const toReader = await everything(service, keys.reader);
  const toAnalyst = await everything(service, keys.analyst);
  await Promise.all([reader.close(), analyst.close()]);
  assert.ok(words.count > 150, `${words.count} texts were sent`);
  for (const [question, answer] of toReader) assert.deepEqual(words.placesIn(answer), [], question);
  for (const frame of reader.frames) assert.deepEqual(words.placesIn(frame), []);
  // What is not kept at all (schemas, scopes, resources, states of traces) is found by nobody.
  const found = new Set([...toAnalyst.values(), ...analyst.frames].flatMap((text) => words.placesIn(text)));
  assert.ok(found.size > 120, `${found.size} of ${words.count} places are read by who may`);
  for (const place of ['prompt', 'flow response', 'question', 'arguments', 'result', 'message'])
    assert.ok(found.has(`ways: ${place}`) || found.has(`ways: flow ${place}`), place);
  const answered = [...toReader].filter(([, answer]) => answer.startsWith('200 ')).length;
  assert.ok(answered > 60, `${answered} questions were answered`);
});
