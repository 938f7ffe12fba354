import { classify, type Kind, type Message } from './classify.ts';
import type { Answer, Post } from './post.ts';
import { FlowLog } from './flow-log.ts';
import { readItems } from './read-file.ts';
import type { Tally } from './tally.ts';

/** Entries that are sent as one request: far below what the service takes, and enough that requests cost little. */
const MAX_BATCH_ITEMS = 500;
const MAX_BATCH_CHARS = 1024 * 1024;

/** Where OTLP says how much it did not take. */
const REJECTED_FIELDS = ['rejectedSpans', 'rejectedLogRecords', 'rejectedDataPoints'] as const;

/**
 * Sends what is in a file, in its order, one request after the other.
 * @param onBytes told how many more were read
 * @throws UnreadableFile when it cannot be read; CliError when there is no service to send to
 */
export async function sendFile(
  path: string,
  post: Post,
  tally: Tally,
  onBytes: (n: number) => void = () => undefined,
): Promise<void> {
  const sender = new Sender(post, tally);
  const log = new FlowLog();
  try {
    for await (const item of readItems(path, onBytes)) {
      const found = 'problem' in item ? item.problem : classify(item.line, item.text);
      if (typeof found === 'string') tally.refuse(item.line, 1, found);
      else
        for (const message of found)
          await sender.take(message.kind === 'thoughtflow' ? log.named(message) : message);
    }
  } finally {
    await sender.flush();
  }
}

const ENTRIES: ReadonlySet<Kind> = new Set(['cot', 'events', 'ag-ui', 'thoughtflow', 'mew']);

/** Gathers entries of one kind into requests. */
class Sender {
  private readonly post: Post;
  private readonly tally: Tally;
  private batch: Message[] = [];
  private chars = 0;
  /** Of AG-UI: the run that began last in what was sent. */
  private runId: string | undefined;

  constructor(post: Post, tally: Tally) {
    this.post = post;
    this.tally = tally;
  }

  async take(message: Message): Promise<void> {
    const isEntry = ENTRIES.has(message.kind);
    if (!isEntry || this.batch[0]?.kind !== message.kind) await this.flush();
    if (!isEntry) {
      this.tally.line = message.line;
      return this.noteRequest(message, await this.post.send(message.kind, message.text));
    }
    this.batch.push(message);
    this.chars += message.text.length;
    if (this.batch.length >= MAX_BATCH_ITEMS || this.chars >= MAX_BATCH_CHARS) await this.flush();
  }

  async flush(): Promise<void> {
    const { batch } = this;
    const [first] = batch;
    this.batch = [];
    this.chars = 0;
    if (first === undefined) return;
    // Separated by commas: an entry may go over lines.
    const body = `[${batch.map((message) => message.text).join(',')}]`;
    this.tally.line = first.line;
    const { runId } = this;
    this.runId = batch.findLast((message) => message.runId !== undefined)?.runId ?? runId;
    this.noteEntries(first.kind, batch, await this.post.send(first.kind, body, runId));
  }

  private noteRequest({ kind, line, count }: Message, { status, body }: Answer): void {
    if (status !== 200) return this.tally.refuse(line, Math.max(1, count), reasonOf({ status, body }));
    const partial = asFields(body['partialSuccess']);
    const rejected = REJECTED_FIELDS.reduce((sum, field) => sum + (Number(partial[field]) || 0), 0);
    this.tally.accept(kind, count - rejected);
    if (rejected > 0) this.tally.refuse(line, rejected, textOf(partial['errorMessage']) ?? 'no reason given');
  }

  private noteEntries(kind: Kind, batch: readonly Message[], { status, body }: Answer): void {
    const errors = Array.isArray(body['errors']) ? body['errors'].map(asFields) : [];
    if (status !== 202) {
      const reason = textOf(errors[0]?.['message']) ?? reasonOf({ status, body });
      return this.tally.refuse(batch[0]?.line, batch.length, reason);
    }
    const rejected = Number(body['rejected']) || 0;
    this.tally.accept(kind, batch.length - rejected);
    for (const error of errors) {
      this.tally.refuse(
        batch[Number(error['index'])]?.line,
        1,
        textOf(error['message']) ?? 'no reason given',
      );
    }
    const untold = rejected - errors.length;
    if (untold > 0) this.tally.refuse(undefined, untold, `${untold} more, without a reason`);
  }
}

/** Why a request was refused, in the service's words. */
export function reasonOf({ status, body }: Answer): string {
  // google.rpc.Status of OTLP, or the error of the service's own API.
  const said = textOf(body['message']) ?? textOf(asFields(body['error'])['message']);
  return `refused with status ${status}${said === undefined ? '' : `: ${said}`}`;
}

function asFields(value: unknown): Answer['body'] {
  return typeof value === 'object' && value !== null ? (value as Answer['body']) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
