import assert from 'node:assert/strict';
import type { ExplanationNode } from '../../../src/model/node.ts';
import type { NodeDetail } from '../../../src/model/reader-messages.ts';

/**
 * A request is not given up while the service may still take it: sent again to the same service, what begins begins again.
 * One that dies closes the connection.
 */
const TIMEOUT_MS = 60_000;
/** What is accepted is shown in far less; the machine may be very busy. */
const FOLLOW_MS = 20_000;
const MAX_STEPS = 12;
/** Parts of steps in one request at most. */
const MAX_PARTS = 8;
/** Sessions whose texts are looked at one by one. */
const SAMPLE = 5;

/** How a session is told: as a run of AG-UI, or as an event log of ThoughtFlow. */
interface Protocol {
  readonly name: string;
  readonly path: (taskId: string) => string;
  /** The name of the step that is the whole session. */
  readonly root: RegExp;
  readonly begin: (taskId: string) => readonly object[];
  /** A step from its beginning to its end, in parts that are sent whole. */
  readonly step: (taskId: string, step: string) => readonly (readonly object[])[];
  readonly end: (taskId: string) => readonly object[];
}

const given = (step: string): string => `what ${step} was given`;
const gave = (step: string): string => `what ${step} gave`;

const PROTOCOLS: readonly Protocol[] = [
  {
    name: 'AG-UI',
    path: (taskId) => `/ag-ui/events?runId=${taskId}`,
    root: /^AG-UI run$/,
    begin: (taskId) => [{ type: 'RUN_STARTED', threadId: taskId, runId: taskId }],
    step: (_, step) => [
      [{ type: 'TOOL_CALL_START', toolCallId: step, toolCallName: step }],
      // Pieces of arguments are kept when they are complete.
      [
        { type: 'TOOL_CALL_ARGS', toolCallId: step, delta: JSON.stringify({ text: given(step) }) },
        { type: 'TOOL_CALL_END', toolCallId: step },
      ],
      [{ type: 'TOOL_CALL_RESULT', toolCallId: step, messageId: `result of ${step}`, content: gave(step) }],
    ],
    end: (taskId) => [{ type: 'RUN_FINISHED', threadId: taskId, runId: taskId }],
  },
  {
    name: 'ThoughtFlow',
    path: () => '/thoughtflow',
    root: /^session /,
    begin: (taskId) => [
      { type: 'session.started', session_id: taskId },
      { type: 'conversation.started', session_id: taskId, conversation_id: 'c' },
    ],
    step: (taskId, step) => {
      const of = { session_id: taskId, conversation_id: 'c', step_id: step, label: 'tool_call' };
      return [
        [{ type: 'step.started', ...of, payload: { name: step, args: { text: given(step) } } }],
        [{ type: 'step.completed', ...of, payload: { output: gave(step) } }],
      ];
    },
    end: (taskId) => [
      { type: 'conversation.ended', session_id: taskId, conversation_id: 'c' },
      { type: 'session.ended', session_id: taskId },
    ],
  },
];

/** What is told in one request; it is sent again until it is answered. */
interface Request {
  readonly lines: readonly object[];
  /** Steps that are told whole when it is acknowledged. */
  readonly steps: readonly string[];
  readonly isEnd: boolean;
}

/** One session, told a request at a time over as many lives of the service as it takes. */
class Session {
  readonly acknowledged: string[] = [];
  isOver = false;
  readonly protocol: Protocol;
  private readonly taskId: string;
  private readonly requests: Request[];

  constructor(taskId: string, protocol: Protocol, random: () => number) {
    this.taskId = taskId;
    this.protocol = protocol;
    this.requests = [...requestsOf(taskId, protocol, random)];
  }

  /** Resolves false when it got no answer. */
  async tell(readers: string): Promise<boolean> {
    const [request] = this.requests;
    if (!request) return true;
    try {
      const answer = await fetch(`http://${readers}${this.protocol.path(this.taskId)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: request.lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const said = await answer.text();
      // Going down, it refuses; nothing of that is acknowledged.
      if (answer.status === 503 || answer.status === 429) return false;
      assert.equal(answer.status, 202, `${this.taskId}: ${said}`);
      assert.match(said, /"rejected":0/, this.taskId);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return false;
    }
    this.requests.shift();
    this.acknowledged.push(...request.steps);
    this.isOver = request.isEnd;
    return true;
  }

  /** Each acknowledged step is shown once, and has ended; so has the session as a whole, when its end was acknowledged. */
  async check(readers: string, withTexts: boolean): Promise<void> {
    if (this.acknowledged.length === 0) return;
    const graph = (await json(readers, `/api/graph?collapse=none&taskIds=${this.taskId}`)) as {
      readonly nodes: readonly ExplanationNode[];
    };
    for (const step of this.acknowledged) {
      const nodes = graph.nodes.filter(({ details }) => details?.['toolName'] === step);
      assert.deepEqual(
        nodes.map(({ state, status }) => [state, status]),
        [['ENDED', 'OK']],
        `${this.protocol.name} ${this.taskId}: ${step}`,
      );
      if (!withTexts) continue;
      const id = encodeURIComponent(nodes[0]?.id ?? '');
      const { texts } = (await json(readers, `/api/nodes/${id}`)) as NodeDetail;
      assert.deepEqual(
        [texts?.toolArguments, texts?.toolResult],
        [JSON.stringify({ text: given(step) }), gave(step)],
        `${this.protocol.name} ${this.taskId}: ${step}`,
      );
    }
    if (!this.isOver) return;
    const root = graph.nodes.find(({ name }) => this.protocol.root.test(name));
    assert.equal(root?.state, 'ENDED', `${this.protocol.name} ${this.taskId} is over`);
  }
}

/** A request may end in the middle of a step. */
function* requestsOf(taskId: string, protocol: Protocol, random: () => number): Generator<Request> {
  const steps = Array.from({ length: 1 + Math.floor(random() * MAX_STEPS) }, (_, n) => `${taskId}-step-${n}`);
  const alone = (line: object): Part => ({ lines: [line], ends: [] });
  const all: readonly Part[] = [
    ...protocol.begin(taskId).map(alone),
    ...steps.flatMap((step) =>
      protocol
        .step(taskId, step)
        .map((lines, place, parts) => ({ lines, ends: place === parts.length - 1 ? [step] : [] })),
    ),
    ...protocol.end(taskId).map(alone),
  ];
  for (let from = 0; from < all.length;) {
    const some = all.slice(from, from + 1 + Math.floor(random() * MAX_PARTS));
    from += some.length;
    yield {
      lines: some.flatMap(({ lines }) => lines),
      steps: some.flatMap(({ ends }) => ends),
      isEnd: from >= all.length,
    };
  }
}

interface Part {
  readonly lines: readonly object[];
  /** The step that is told whole with it. */
  readonly ends: readonly string[];
}

/** Runs of AG-UI and sessions of ThoughtFlow; it knows which of their steps were acknowledged. */
export class Sessions {
  private readonly all: Session[] = [];
  private readonly name: string;
  private readonly random: () => number;

  constructor(name: string, random: () => number) {
    this.name = name;
    this.random = random;
  }

  get acknowledgedSteps(): number {
    return this.all.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
  }

  /** Tells one after the other in each protocol, until it is told to stop. */
  async send({ readers }: { readonly readers: string }, until: () => boolean): Promise<void> {
    const open = this.all.filter(({ isOver }) => !isOver);
    await Promise.all(
      PROTOCOLS.map(async (protocol) => {
        let session = open.find((one) => one.protocol === protocol) ?? this.begin(protocol);
        while (!until()) {
          if (!(await session.tell(readers))) await new Promise((done) => setTimeout(done, 20));
          if (session.isOver) session = this.begin(protocol);
        }
      }),
    );
  }

  /** Tells what has begun to its end. */
  async finish({ readers }: { readonly readers: string }): Promise<void> {
    for (const session of this.all)
      while (!session.isOver) assert.ok(await session.tell(readers), 'a session gets no answer');
  }

  async check(readers: string): Promise<void> {
    const deadline = performance.now() + FOLLOW_MS;
    for (;;) {
      try {
        for (const [place, session] of this.all.entries())
          await session.check(readers, place >= this.all.length - SAMPLE);
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await new Promise((done) => setTimeout(done, 100));
      }
    }
  }

  private begin(protocol: Protocol): Session {
    const session = new Session(`${this.name}-${this.all.length}`, protocol, this.random);
    this.all.push(session);
    return session;
  }
}

async function json(readers: string, path: string): Promise<unknown> {
  const answer = await fetch(`http://${readers}${path}`);
  const text = await answer.text();
  assert.equal(answer.status, 200, `${path}: ${text}`);
  return JSON.parse(text);
}
