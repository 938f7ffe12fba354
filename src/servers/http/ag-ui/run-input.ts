import { z } from 'zod';
import { invalid } from '../../../base/boundary-error.ts';
import type { RunIds } from '../../../exporters/ag-ui/task-run.ts';
import { idSchema } from '../../../model/subscription-request.ts';
import { readObject } from '../read-object.ts';

const EXAMPLE = '{"threadId": "a task", "runId": "run-1", "messages": []}';

function listOf(what: string) {
  const member = z.looseObject({}, `must be ${what}`);
  return z.array(member, `must be a list of objects, each ${what}`).nullish();
}

/** A RunAgentInput of AG-UI. What a reader of a task has no use for may be left out, and unknown fields are passed over. */
const schema = z.looseObject({
  threadId: idSchema,
  runId: idSchema,
  protocolVersion: z
    .string('must be a text such as "1.0"')
    .regex(/^\d+\.\d+$/, 'must be a version such as "1.0"')
    .nullish(),
  parentRunId: z.string('must be a text').nullish(),
  messages: listOf('a message'),
  tools: listOf('a tool'),
  context: listOf('a piece of context'),
  resume: listOf('an answer to an interrupt'),
});

/** @throws BoundaryError INVALID_ARGUMENT, naming the field */
export function readRunInput(body: Buffer): RunIds {
  const { data, error } = schema.safeParse(readObject(body, EXAMPLE));
  if (data) return { threadId: data.threadId, runId: data.runId };
  const issue = error.issues[0];
  const steps = issue?.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)) ?? [];
  throw invalid(`${steps.join('').slice(1) || 'the body'} ${issue?.message ?? 'is no RunAgentInput'}`);
}
