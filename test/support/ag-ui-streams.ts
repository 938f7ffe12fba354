import fc from 'fast-check';
import type { WireEvent } from './ag-ui-verifier.ts';

/** Random streams that keep every rule of AG-UI 1.0: things of all kinds that begin, go on and end in between one another. */

type Fields = { readonly [field: string]: unknown };

interface Open {
  readonly on: (delta: string) => WireEvent | undefined;
  readonly end: WireEvent;
}

/** An address is cut in two between neighbours. */
const DELTAS = ['Let me see. ', 'a', 'bob@exam', 'ple.com ', '', '{"q": 1}\n', 'né🎈 ', 'ok'];
const BESIDE: readonly WireEvent[] = [
  { type: 'STATE_SNAPSHOT', snapshot: { a: [1, null], b: 'x' } },
  { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/b', value: null }] },
  { type: 'CUSTOM', name: 'note', value: null },
  { type: 'CUSTOM', name: 'note', value: { deep: [true] } },
  { type: 'RAW', event: { some: 'thing' }, source: 'elsewhere' },
  { type: 'ACTIVITY_SNAPSHOT', messageId: 'activity', activityType: 'PLAN', content: { steps: 1 } },
  {
    type: 'ACTIVITY_DELTA',
    messageId: 'activity',
    activityType: 'PLAN',
    patch: [{ op: 'add', path: '/x', value: 1 }],
  },
];

const SAID_BEFORE: WireEvent = {
  type: 'MESSAGES_SNAPSHOT',
  messages: [{ id: 'asked', role: 'user', content: [{ type: 'text', text: 'go' }] }],
};

class Stream {
  readonly events: WireEvent[] = [];
  private readonly open = new Map<string, Open>();
  private readonly agents: string[] = [];
  private count = 0;

  /** One more event, by two numbers. */
  take(what: number, which: number): void {
    const kinds = [...this.open.keys()];
    const key = kinds[which % Math.max(1, kinds.length)];
    const open = key === undefined ? undefined : this.open.get(key);
    if (what < 8) this.begin(what, which);
    else if (what < 14 && open) this.push(open.on(DELTAS[which % DELTAS.length] ?? ''), which);
    else if (what < 16 && key !== undefined && open) {
      this.open.delete(key);
      this.push(open.end, which);
    } else if (what < 18) this.push(BESIDE[which % BESIDE.length], which);
    else if (what < 19) this.chunks(which);
    else this.result(which);
  }

  finish(): readonly WireEvent[] {
    for (const { end } of [...this.open.values()].reverse()) this.push(end, 1);
    return this.events;
  }

  private begin(what: number, which: number): void {
    const n = ++this.count;
    // By turns of the run and of its sub-agents.
    const agent = which % 3 === 0 ? this.agents[which % Math.max(1, this.agents.length)] : undefined;
    const owner = agent === undefined ? {} : { subagentRunId: agent };
    const add = (id: string, begin: WireEvent, end: string, on?: string, field = 'messageId'): void => {
      this.push(begin, which);
      const named = { [field]: id, ...owner };
      this.open.set(`${begin.type} ${id}`, {
        on: (delta) => (on === undefined ? undefined : { type: on, delta, ...named }),
        end: { type: end, ...named },
      });
    };
    const id = `${['text', 'thought', 'span', 'call', 'step', 'agent'][what % 6] ?? ''}-${n}`;
    switch (what % 6) {
      case 0:
        add(
          id,
          {
            type: 'TEXT_MESSAGE_START',
            messageId: id,
            role: which % 4 === 0 ? 'user' : 'assistant',
            ...owner,
          },
          'TEXT_MESSAGE_END',
          'TEXT_MESSAGE_CONTENT',
        );
        break;
      case 1:
        add(
          id,
          { type: 'REASONING_MESSAGE_START', messageId: id, role: 'reasoning', ...owner },
          'REASONING_MESSAGE_END',
          'REASONING_MESSAGE_CONTENT',
        );
        break;
      case 2:
        add(id, { type: 'REASONING_START', messageId: id, ...owner }, 'REASONING_END');
        break;
      case 3:
        add(
          id,
          { type: 'TOOL_CALL_START', toolCallId: id, toolCallName: 'search', ...owner },
          'TOOL_CALL_END',
          'TOOL_CALL_ARGS',
          'toolCallId',
        );
        break;
      case 4:
        add(id, { type: 'STEP_STARTED', stepName: id, ...owner }, 'STEP_FINISHED', undefined, 'stepName');
        break;
      default:
        this.agents.push(id);
        this.push({ type: 'SUBAGENT_STARTED', subagentRunId: id, name: 'critic' }, which);
        this.open.set(id, { on: () => undefined, end: { type: 'SUBAGENT_FINISHED', subagentRunId: id } });
    }
  }

  /** What changes an activity comes after it. */
  private beside(which: number): void {
    const event = BESIDE[which % BESIDE.length];
    const isEarly =
      event?.type === 'ACTIVITY_DELTA' && !this.events.some(({ type }) => type === 'ACTIVITY_SNAPSHOT');
    if (!isEarly) this.push(event, which);
  }

  private chunks(which: number): void {
    const id = `chunk-${++this.count}`;
    const [type, field] =
      which % 2 === 0 ? ['TEXT_MESSAGE_CHUNK', 'messageId'] : ['REASONING_MESSAGE_CHUNK', 'messageId'];
    this.push({ type: type ?? '', [field ?? '']: id, delta: 'a chunk ' }, 1);
    this.push({ type: type ?? '', delta: 'and more' }, 1);
    this.push({ type: 'CUSTOM', name: 'ends the chunk', value: 1 }, 1);
  }

  private result(which: number): void {
    const calls = this.events.filter(({ type }) => type === 'TOOL_CALL_END');
    const call = calls[which % Math.max(1, calls.length)];
    if (
      !call ||
      this.events.some(
        (event) => event.type === 'TOOL_CALL_RESULT' && event['toolCallId'] === call['toolCallId'],
      )
    )
      return;
    const content = which % 3 === 0 ? [{ type: 'text', text: 'in parts' }] : 'the result';
    this.push(
      {
        type: 'TOOL_CALL_RESULT',
        messageId: `result-${++this.count}`,
        toolCallId: call['toolCallId'],
        content,
        role: 'tool',
      },
      which,
    );
  }

  private push(event: WireEvent | undefined, which: number): void {
    if (!event) return;
    const more: Fields = {
      ...(which % 5 === 0 && { timestamp: 1_750_000_000_000 + this.events.length }),
      ...(which % 7 === 0 && { metadata: { key: which } }),
      ...(which % 11 === 0 && { rawEvent: { raw: which } }),
    };
    this.events.push({ ...event, ...more });
  }
}

/** A whole run of a task, from its beginning to its end. */
export function streamArbitrary(threadId: string, runId: string): fc.Arbitrary<readonly WireEvent[]> {
  const numbers = fc.tuple(fc.nat({ max: 20 }), fc.nat({ max: 100 }));
  return fc
    .tuple(fc.array(numbers, { maxLength: 60 }), fc.boolean(), fc.boolean())
    .map(([choices, isFailed, isSecond]) => {
      const stream = new Stream();
      for (const [what, which] of choices) stream.take(what, which);
      const end: WireEvent = isFailed
        ? { type: 'RUN_ERROR', message: 'it broke', code: 'E1' }
        : {
            type: 'RUN_FINISHED',
            threadId,
            runId,
            outcome: { type: 'success' },
            usage: [{ model: 'm', inputTokens: 3 }],
          };
      return [
        { type: 'RUN_STARTED', threadId, runId, protocolVersion: '1.0' },
        ...(isSecond ? [SAID_BEFORE] : []),
        ...stream.finish(),
        end,
      ];
    });
}
