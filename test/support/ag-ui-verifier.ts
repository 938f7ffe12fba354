import assert from 'node:assert/strict';

/** An event as it is on the wire. */
export interface WireEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Of any value. */
const NULLABLE: ReadonlySet<string> = new Set(['value', 'snapshot', 'result', 'event']);

/** What begins and ends, by the name of its id and the kind that the id is of. */
const PAIRS: readonly {
  readonly begin: string;
  readonly within?: readonly string[];
  readonly end: readonly string[];
  readonly id: string;
  readonly kind: string;
}[] = [
  {
    begin: 'TEXT_MESSAGE_START',
    within: ['TEXT_MESSAGE_CONTENT'],
    end: ['TEXT_MESSAGE_END'],
    id: 'messageId',
    kind: 'text',
  },
  {
    begin: 'REASONING_MESSAGE_START',
    within: ['REASONING_MESSAGE_CONTENT'],
    end: ['REASONING_MESSAGE_END'],
    id: 'messageId',
    kind: 'reasoning',
  },
  { begin: 'REASONING_START', end: ['REASONING_END'], id: 'messageId', kind: 'span of reasoning' },
  {
    begin: 'TOOL_CALL_START',
    within: ['TOOL_CALL_ARGS'],
    end: ['TOOL_CALL_END'],
    id: 'toolCallId',
    kind: 'tool call',
  },
  { begin: 'STEP_STARTED', end: ['STEP_FINISHED'], id: 'stepName', kind: 'step' },
  {
    begin: 'SUBAGENT_STARTED',
    end: ['SUBAGENT_FINISHED', 'SUBAGENT_ERROR'],
    id: 'subagentRunId',
    kind: 'sub-agent',
  },
];

/**
 * The rules for the order of the events of AG-UI 1.0, and those that its own client does not check: a run ends, with the
 * ids that it began with; no id is that of two kinds of things; what has an owner is told as its owner's; results are of
 * calls that were told. Written by the protocol's rules, and by nothing that makes events.
 */
export class AgUiVerifier {
  private state: 'none' | 'running' | 'finished' | 'failed' = 'none';
  private ids: readonly unknown[] = [];
  private readonly open = new Map<string, WireEvent>();
  private readonly owners = new Map<string, unknown>();
  private readonly kinds = new Map<unknown, string>();
  private readonly agents = new Set<unknown>();
  private readonly allowed: { readonly isAnyAgent?: boolean; readonly isTwice?: boolean };

  /** @param allowed what senders other than us may do: name agents that never began, use an id again that has ended */
  constructor(allowed: { readonly isAnyAgent?: boolean; readonly isTwice?: boolean } = {}) {
    this.allowed = allowed;
  }

  get isOver(): boolean {
    return this.state === 'finished' || this.state === 'failed';
  }

  take(event: WireEvent): void {
    const { type } = event;
    if (this.state !== 'running')
      assert.equal(type, 'RUN_STARTED', `${type} while no run is under way (${this.state})`);
    else assert.notEqual(type, 'RUN_STARTED', 'a run begins within another');
    for (const [name, value] of Object.entries(event))
      assert.ok(value !== null || NULLABLE.has(name), `${type}.${name} is null`);
    const { timestamp = 0 } = event;
    assert.ok(Number.isSafeInteger(timestamp), 'a timestamp is a whole number');
    this.takeRun(event);
    for (const pair of PAIRS) this.takePair(pair, event);
    if (type === 'TOOL_CALL_RESULT') {
      assert.ok(this.owners.has(`tool call ${String(event['toolCallId'])}`), 'a result is of a call');
      this.isOfKind(event['messageId'], 'result');
    }
    if (type === 'ACTIVITY_SNAPSHOT') this.isOfKind(event['messageId'], 'activity');
    const { subagentRunId } = event;
    if (subagentRunId !== undefined && this.allowed.isAnyAgent !== true)
      assert.ok(this.agents.has(subagentRunId), `${type} of an agent that never began`);
  }

  /** The stream ended. */
  end(): 'finished' | 'failed' {
    assert.ok(this.state === 'finished' || this.state === 'failed', `the stream ends while ${this.state}`);
    return this.state;
  }

  private takeRun(event: WireEvent): void {
    const ids = [event['threadId'], event['runId']];
    if (event.type === 'RUN_STARTED') {
      this.state = 'running';
      this.ids = ids;
    } else if (event.type === 'RUN_FINISHED') {
      assert.deepEqual(ids, this.ids, 'a run ends with the ids that it began with');
      assert.deepEqual([...this.open.keys()], [], 'a run ends when all in it has ended');
      this.state = 'finished';
    } else if (event.type === 'RUN_ERROR') {
      assert.equal(typeof event['message'], 'string');
      this.state = 'failed';
    }
  }

  private takePair(pair: (typeof PAIRS)[number], event: WireEvent): void {
    const id = event[pair.id];
    // A step is of its owner: two agents may be in steps of one name.
    const owner = pair.kind === 'sub-agent' ? undefined : event['subagentRunId'];
    const key = pair.kind === 'step' ? JSON.stringify([owner, id]) : `${pair.kind} ${String(id)}`;
    if (event.type === pair.begin) {
      assert.ok(!this.open.has(key), `${pair.begin} of what is open: ${key}`);
      if (pair.kind !== 'step') this.begin(key, id, pair.kind, owner);
      if (pair.kind === 'sub-agent') {
        const parent = event['parentSubagentRunId'];
        assert.ok(parent === undefined || this.agents.has(parent), 'the agent above began before');
        this.agents.add(id);
      }
      this.open.set(key, event);
    } else if (pair.within?.includes(event.type) === true || pair.end.includes(event.type)) {
      assert.ok(this.open.has(key), `${event.type} of what is not open: ${key}`);
      if (pair.kind !== 'step') this.isOwned(event.type, key, owner);
      if (pair.end.includes(event.type)) this.open.delete(key);
    }
    if (event.type === 'TOOL_CALL_START' && pair.kind === 'tool call') {
      const parent = `text ${String(event['parentMessageId'])}`;
      if (this.owners.has(parent))
        assert.equal(owner, this.owners.get(parent), 'a call is of the agent of its message');
    }
  }

  /** An absent owner is whoever owns what goes on; our own events always name it. */
  private isOwned(type: string, key: string, owner: unknown): void {
    if (owner === undefined && this.allowed.isAnyAgent === true) return;
    assert.equal(owner, this.owners.get(key), `${type} is another owner's`);
  }

  private begin(key: string, id: unknown, kind: string, owner: unknown): void {
    this.isOfKind(id, kind);
    assert.ok(!this.owners.has(key) || this.allowed.isTwice === true, `${key} begins twice`);
    if (!this.owners.has(key)) this.owners.set(key, owner);
    else if (owner !== undefined) assert.equal(owner, this.owners.get(key), `${key} changes hands`);
  }

  private isOfKind(id: unknown, kind: string): void {
    assert.equal(typeof id, 'string');
    assert.equal(this.kinds.get(id) ?? kind, kind, `${String(id)} is the id of two kinds`);
    this.kinds.set(id, kind);
  }
}
