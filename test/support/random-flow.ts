import fc from 'fast-check';

/** Words that nothing private is told by, so that a file comes out as it went in. */
const word = fc.constantFrom(
  'tide',
  'harbour',
  'boat',
  'Ünïcode 日本',
  '',
  ' two  words ',
  'a|b',
  '${x}',
  '"q"',
  '\\n',
  '# no',
);
const scalar = fc.oneof(word, fc.integer({ min: -99, max: 99 }), fc.boolean(), fc.constant(null));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom('text', 'output', 'result', 'data', 'error', 'args', 'name', 'x', '__proto__'),
      tie('value'),
      {
        maxKeys: 4,
      },
    ),
  ),
}));
const part = fc.record({ type: fc.constantFrom('personality', 'user_instruction', 'own'), value: word });
const provenance = fc.record(
  {
    parts: fc.array(part, { maxLength: 3 }),
    final_prompt: word,
    assembly: fc.constant([{ part: 0, start: 0, end: 1 }]),
  },
  { requiredKeys: ['parts'] },
);
const payload = fc.oneof(
  fc.record(
    {
      name: word,
      model: word,
      args: value,
      arguments: value,
      text: word,
      output: value,
      prompt_provenance: provenance,
    },
    { requiredKeys: [] },
  ),
  value,
);
const time = fc
  .integer({ min: 0, max: 3_600_000 })
  .map((ms) => new Date(Date.UTC(2026, 2, 2) + ms).toISOString());
const times = { started_at: time, ended_at: time, duration_ms: fc.nat(10_000) };
/** Few, so that they come again, differ by case alone, and are of the language D2. */
const stepId = fc.constantFrom('s1', 'S1', 'label', 'a.b', 'snap', 'x y', 'style', 7);

const step = fc.record(
  {
    step_id: stepId,
    label: fc.constantFrom(
      'user_message',
      'assistant_message',
      'assistant_call',
      'tool_call',
      'tool_output',
      'tool_error',
      'generic',
      'policy.snapshot',
      'own.label',
    ),
    depends_on: fc.oneof(stepId, fc.constant('nowhere'), fc.array(stepId, { maxLength: 4 })),
    ...times,
    payload_started: payload,
    payload_completed: payload,
    status: fc.constantFrom('completed', 'error', 'aborted', 'unknown'),
    extra: value,
  },
  { requiredKeys: ['step_id', 'label'] },
);

function conversations(idField: 'conversation_id' | 'run_id') {
  return fc.array(
    fc
      .record(
        {
          channel: word,
          status: fc.constantFrom('completed', 'aborted', 'error', 'unknown'),
          request_id: word,
          ...times,
          steps: fc.array(step, { maxLength: 8 }),
        },
        { requiredKeys: ['steps'] },
      )
      .chain((fields) => fc.constantFrom('c1', 'c2', 'C1').map((id) => ({ [idField]: id, ...fields }))),
    { maxLength: 3 },
  );
}

export interface RandomFlow {
  readonly session_id: string;
  readonly [field: string]: unknown;
}

/** A consolidated session of either era, with everything that the format has and some that it has not. */
export const randomFlow: fc.Arbitrary<RandomFlow> = fc
  .oneof(
    fc.record({ conversations: conversations('conversation_id') }),
    fc.record({ runs: conversations('run_id') }),
  )
  .chain((list) =>
    fc.record({ ...times, extra: value }, { requiredKeys: [] }).map((fields) => ({ ...fields, ...list })),
  )
  // As it is written: without what JSON cannot say.
  .map((flow) => ({ session_id: 's', ...(JSON.parse(JSON.stringify(flow)) as object) }));
