import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { until } from '../support/until.ts';

/** What an exporter is told to send again, by the specification of OTLP. */
const TO_BE_SENT_AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** As exporters do. */
const ANSWER_MS = 10_000;
const FIRST_WAIT_MS = 50;
const MAX_WAIT_MS = 800;
/** Between what was acknowledged and what is sent next: little, and yet all the time. */
const PAUSE_MS = 15;
const LASTING_PAUSE_MS = 100;

const PIECES = ['Thought of ', ': ask jane.doe@exa', 'mple.com what', ' to do', ' and be', ' done.'] as const;

interface SteadyOptions {
  /** `host:port` for OTLP over HTTP. */
  readonly otlpHttp: string;
  /** `host:port` of the readers' port. */
  readonly readers: string;
  /** Traces that go on as long as anything is sent. */
  readonly lasting?: readonly string[];
}

/** Senders of spans and thoughts that go on all the while, each repeating what was not acknowledged. */
export class SteadySenders {
  /** Ids of the nodes of all spans that were acknowledged. */
  readonly spans = new Set<string>();
  /** By request, the thoughts whose last piece was acknowledged: what they read like. */
  readonly thoughts = new Map<string, RegExp>();
  private readonly options: SteadyOptions;
  private readonly workers: Promise<void>[] = [];
  private isOver = false;
  private acknowledged = 0;

  constructor(options: SteadyOptions) {
    this.options = options;
  }

  start(): void {
    for (const n of [0, 1, 2]) {
      this.works(() => this.trace(`run-${n}`));
      this.works(() => this.thought(n === 0 ? undefined : traceId()));
    }
    this.works(() => this.batch());
    for (const trace of this.options.lasting ?? [])
      this.works(async () => {
        await this.send([span(trace, 'lasting')]);
        await setTimeout(LASTING_PAUSE_MS);
      });
  }

  /** Waits until so many requests more were acknowledged. */
  async more(count = 60): Promise<void> {
    const target = this.acknowledged + count;
    await until(`${count} requests are acknowledged`, () => this.acknowledged >= target);
  }

  /** What is begun is sent to its end. @throws what went wrong at any time */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.workers);
  }

  private works(once: () => Promise<void>): void {
    const forEver = async (): Promise<void> => {
      while (!this.isOver) await once();
    };
    const worker = forEver();
    worker.catch(() => (this.isOver = true));
    this.workers.push(worker);
  }

  /** Step by step: the root ends last. */
  private async trace(task: string): Promise<void> {
    const trace = traceId();
    const root = spanId();
    for (const child of [spanId(), spanId()]) await this.send([span(trace, task, child, root)]);
    await this.send([span(trace, task, root)]);
  }

  /** Of several cells in one request. */
  private batch(): Promise<void> {
    return this.send([0, 1, 2].map((n) => span(traceId(), `batch-${n}`)));
  }

  private async send(spans: readonly SentSpan[]): Promise<void> {
    const body = { resourceSpans: [{ resource: {}, scopeSpans: [{ scope: {}, spans }] }] };
    const { partialSuccess } = (await this.post(this.options.otlpHttp, '/v1/traces', body, 200)) as {
      readonly partialSuccess?: unknown;
    };
    assert.equal(partialSuccess, undefined);
    for (const sent of spans) this.spans.add(`${sent.traceId}:${sent.spanId}`);
  }

  private async thought(trace: string | undefined): Promise<void> {
    const requestId = `request-${randomBytes(4).toString('hex')}`;
    const [begin, ...rest] = PIECES;
    for (const [index, text] of [begin + requestId, ...rest].entries()) {
      const final = index === rest.length;
      const entry = { requestId, timestamp: Date.now(), sequence: index + 1, tokens: [text], final };
      const traced = trace === undefined ? entry : { ...entry, traceId: trace };
      await this.post(this.options.readers, '/api/cot', traced, 202);
    }
    this.thoughts.set(
      requestId,
      new RegExp(`^Thought of ${requestId}: ask \\[EMAIL:[a-z2-7]+\\] what to do and be done\\.$`),
    );
  }

  /** @returns the answer, when it is acknowledged */
  private async post(host: string, path: string, body: object, expected: number): Promise<unknown> {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
      const answer = await attempt(`http://${host}${path}`, JSON.stringify(body));
      if (answer !== undefined && !TO_BE_SENT_AGAIN.has(answer.status)) {
        assert.equal(answer.status, expected, answer.text);
        this.acknowledged++;
        await setTimeout(PAUSE_MS);
        return JSON.parse(answer.text || '{}');
      }
      await setTimeout(wait);
    }
  }
}

/** Undefined where nobody answered. */
async function attempt(
  url: string,
  body: string,
): Promise<{ readonly status: number; readonly text: string } | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
}

function span(trace: string, task: string, id = spanId(), parent?: string): SentSpan {
  const now = BigInt(Date.now()) * 1_000_000n;
  return {
    traceId: trace,
    spanId: id,
    ...(parent !== undefined && { parentSpanId: parent }),
    name: `step of ${task}`,
    startTimeUnixNano: `${now}`,
    endTimeUnixNano: `${now + 5_000_000n}`,
    attributes: [{ key: 'taskID', value: { stringValue: taskOf(trace, task) } }],
  } as SentSpan;
}

/** Each trace is a task. */
export function taskOf(trace: string, name = 'lasting'): string {
  return `${name} ${trace.slice(0, 8)}`;
}

export function traceId(): string {
  return randomBytes(16).toString('hex');
}

function spanId(): string {
  return randomBytes(8).toString('hex');
}
