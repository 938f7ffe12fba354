import type { OutEvent } from './valid-event.ts';

type Kind = 'text' | 'reasoning' | 'span' | 'tool' | 'step' | 'subagent';

interface Rule {
  readonly kind: Kind;
  readonly does: 'begin' | 'go on' | 'end';
  /** Where the id stands. */
  readonly id: string;
}

function rulesOf(kind: Kind, id: string, begin: string, on: string | undefined, ...ends: readonly string[]) {
  const rule = (does: Rule['does']): Rule => ({ kind, does, id });
  return [
    [begin, rule('begin')],
    ...(on === undefined ? [] : [[on, rule('go on')] as const]),
    ...ends.map((end) => [end, rule('end')] as const),
  ] as const;
}

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...rulesOf('text', 'messageId', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END'),
  ...rulesOf(
    'reasoning',
    'messageId',
    'REASONING_MESSAGE_START',
    'REASONING_MESSAGE_CONTENT',
    'REASONING_MESSAGE_END',
  ),
  ...rulesOf('span', 'messageId', 'REASONING_START', undefined, 'REASONING_END'),
  ...rulesOf('tool', 'toolCallId', 'TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END'),
  ...rulesOf('step', 'stepName', 'STEP_STARTED', undefined, 'STEP_FINISHED'),
  ...rulesOf(
    'subagent',
    'subagentRunId',
    'SUBAGENT_STARTED',
    undefined,
    'SUBAGENT_FINISHED',
    'SUBAGENT_ERROR',
  ),
]);

/** Chunks, as what they are when they are spelled out. */
const CHUNKS: ReadonlyMap<string, { readonly kind: Kind; readonly id: string; readonly content: string }> =
  new Map([
    ['TEXT_MESSAGE_CHUNK', { kind: 'text', id: 'messageId', content: 'TEXT_MESSAGE_CONTENT' }],
    ['REASONING_MESSAGE_CHUNK', { kind: 'reasoning', id: 'messageId', content: 'REASONING_MESSAGE_CONTENT' }],
    ['TOOL_CALL_CHUNK', { kind: 'tool', id: 'toolCallId', content: 'TOOL_CALL_ARGS' }],
  ]);

/** What leaves a chunk that is being told open. */
const BESIDE: ReadonlySet<string> = new Set([
  'RAW',
  'ACTIVITY_SNAPSHOT',
  'ACTIVITY_DELTA',
  'REASONING_ENCRYPTED_VALUE',
  'SUBAGENT_STARTED',
]);

interface Open {
  readonly kind: Kind;
  readonly id: unknown;
  readonly owner: unknown;
}

/**
 * The order that AG-UI asks for, made of any: what keeps it goes out as it is. What begins twice begins once, what goes on
 * without having begun begins before, what ends without having begun is left out, and what is open when its run ends, ends
 * before. Nothing stands outside of a run.
 */
export class EventOrder {
  private readonly ids: { readonly threadId: string; readonly runId: string };
  private state: 'before' | 'running' | 'finished' | 'failed' = 'before';
  private readonly open = new Map<string, Open>();
  /** What chunks go on with, by their owner. */
  private readonly lanes = new Map<unknown, { readonly kind: Kind; readonly id: unknown }>();
  /** Whose an id is, for the whole of a run. */
  private readonly owners = new Map<string, unknown>();
  private readonly agents = new Set<unknown>();

  constructor(ids: { readonly threadId: string; readonly runId: string }) {
    this.ids = ids;
  }

  get isRunning(): boolean {
    return this.state === 'running';
  }

  /** An event as it may go out now, with what must come before it. */
  pass(event: OutEvent): readonly OutEvent[] {
    switch (event.type) {
      case 'RUN_STARTED':
        return [...this.giveUp(), ...this.begin(event)];
      case 'RUN_FINISHED':
        if (this.state === 'finished' || this.state === 'failed') return [];
        return this.inRun(() => this.over('finished', { ...event, ...this.ids }));
      case 'RUN_ERROR':
        if (this.state === 'failed') return [];
        this.state = 'failed';
        this.forget();
        return [event];
      default:
        if (this.state === 'finished' || this.state === 'failed') return [];
        return this.inRun(() => this.inside(event));
    }
  }

  /** The events of a run that nobody told to its end. */
  giveUp(): readonly OutEvent[] {
    if (this.state !== 'running') return [];
    const ends = this.endAll();
    this.state = 'failed';
    return [...ends, { type: 'RUN_ERROR', code: 'incomplete', message: 'the run was not told to its end' }];
  }

  /** What is open ends. */
  endAll(): readonly OutEvent[] {
    const ends = [...this.open.values()].reverse().map(endOf);
    this.forget();
    return ends;
  }

  private begin(event: OutEvent): readonly OutEvent[] {
    this.state = 'running';
    this.forget();
    return [{ ...event, ...this.ids }];
  }

  private inRun(tell: () => readonly OutEvent[]): readonly OutEvent[] {
    const begin = this.state === 'running' ? [] : this.begin({ type: 'RUN_STARTED' });
    return [...begin, ...tell()];
  }

  private over(state: 'finished' | 'failed', event: OutEvent): readonly OutEvent[] {
    const ends = this.endAll();
    this.state = state;
    return [...ends, event];
  }

  private inside(event: OutEvent): readonly OutEvent[] {
    const chunk = CHUNKS.get(event.type);
    if (chunk) return this.chunk(event, chunk);
    const owner = event['subagentRunId'];
    if (event.type === 'MESSAGES_SNAPSHOT') this.lanes.clear();
    else if (!BESIDE.has(event.type)) this.lanes.delete(owner);
    const rule = RULES.get(event.type);
    return rule ? this.ruled(event, rule) : [event];
  }

  private ruled(event: OutEvent, { kind, does, id: field }: Rule): readonly OutEvent[] {
    const id = event[field];
    const key = keyOf(kind, id, event['subagentRunId']);
    const isOpen = this.open.has(key);
    if (does === 'begin') {
      const isSecondAgent = kind === 'subagent' && this.agents.has(id);
      return isOpen || isSecondAgent ? [] : [this.beginOne(event, kind, id, key)];
    }
    if (does === 'end') {
      if (!isOpen) return [];
      this.open.delete(key);
      return [this.owned(event, kind, key)];
    }
    const begin = isOpen ? [] : [this.beginOne(beginningOf(kind, id, event), kind, id, key)];
    return [...begin, this.owned(event, kind, key)];
  }

  private beginOne(event: OutEvent, kind: Kind, id: unknown, key: string): OutEvent {
    const begins = this.owned(event, kind, key);
    const owner = begins['subagentRunId'];
    this.open.set(key, { kind, id, owner });
    if (kind !== 'step' && !this.owners.has(key)) this.owners.set(key, owner);
    if (kind === 'subagent') {
      this.agents.add(id);
      const parent = event['parentSubagentRunId'];
      if (parent !== undefined && !this.agents.has(parent)) return without(begins, 'parentSubagentRunId');
    }
    if (kind !== 'tool' || event['parentMessageId'] === undefined) return begins;
    const around = keyOf('text', event['parentMessageId'], undefined);
    const isOthers = this.owners.has(around) && this.owners.get(around) !== owner && owner !== undefined;
    return isOthers ? without(begins, 'parentMessageId') : begins;
  }

  /** What goes on is whose it was. */
  private owned(event: OutEvent, kind: Kind, key: string): OutEvent {
    const owner = event['subagentRunId'];
    if (kind === 'step' || kind === 'subagent' || owner === undefined || !this.owners.has(key)) return event;
    return this.owners.get(key) === owner ? event : without(event, 'subagentRunId');
  }

  private chunk(
    event: OutEvent,
    { kind, id: field, content }: { readonly kind: Kind; readonly id: string; readonly content: string },
  ): readonly OutEvent[] {
    const owner = event['subagentRunId'];
    const lane = this.lanes.get(owner);
    const id = event[field] ?? (lane?.kind === kind ? lane.id : undefined);
    const key = keyOf(kind, id, owner);
    if (id === undefined) return [{ type: 'RAW', event, source: 'ag-ui' }];
    if (this.open.has(key))
      return this.ruled(
        {
          type: content,
          [field]: id,
          delta: event['delta'] ?? '',
          ...(owner !== undefined && { subagentRunId: owner }),
        },
        { kind, does: 'go on', id: field },
      );
    const goesOn = lane?.kind === kind && lane.id === id;
    const needsName = kind === 'tool' && !goesOn && event['toolCallName'] === undefined;
    this.lanes.set(owner, { kind, id });
    if (!this.owners.has(key)) this.owners.set(key, owner);
    return [needsName ? { ...event, toolCallName: UNNAMED_TOOL } : event];
  }

  private forget(): void {
    this.open.clear();
    this.lanes.clear();
    this.owners.clear();
    this.agents.clear();
  }
}

const UNNAMED_TOOL = 'tool call';

/** Steps are told apart by their owner, all else by its id. */
function keyOf(kind: Kind, id: unknown, owner: unknown): string {
  return JSON.stringify(kind === 'step' ? [kind, id, owner] : [kind, id]);
}

function beginningOf(kind: Kind, id: unknown, { subagentRunId }: OutEvent): OutEvent {
  const owner = subagentRunId === undefined ? {} : { subagentRunId };
  switch (kind) {
    case 'text':
      return { type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant', ...owner };
    case 'reasoning':
      return { type: 'REASONING_MESSAGE_START', messageId: id, role: 'reasoning', ...owner };
    case 'tool':
      return { type: 'TOOL_CALL_START', toolCallId: id, toolCallName: UNNAMED_TOOL, ...owner };
    case 'span':
    case 'step':
    case 'subagent':
      return { type: 'REASONING_START', messageId: id, ...owner };
  }
}

/** The last event of each kind, and where its id stands. */
const ENDS: Readonly<Record<Kind, readonly [type: string, id: string]>> = {
  text: ['TEXT_MESSAGE_END', 'messageId'],
  reasoning: ['REASONING_MESSAGE_END', 'messageId'],
  span: ['REASONING_END', 'messageId'],
  tool: ['TOOL_CALL_END', 'toolCallId'],
  step: ['STEP_FINISHED', 'stepName'],
  subagent: ['SUBAGENT_FINISHED', 'subagentRunId'],
};

function endOf({ kind, id, owner }: Open): OutEvent {
  const [type, field] = ENDS[kind];
  return { type, [field]: id, ...(owner !== undefined && kind !== 'subagent' && { subagentRunId: owner }) };
}

function without(event: OutEvent, field: string): OutEvent {
  const { [field]: _, ...rest } = event;
  return rest as OutEvent;
}
