import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { BoundaryError } from '../../base/boundary-error.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { Turns } from '../../base/pace.ts';
import { MAX_LISTED_ERRORS, MAX_REASONS } from '../../receivers/config.ts';
import type { Encoding } from '../../receivers/otlp/decode.ts';
import type { ExportResult } from '../../receivers/otlp/ingest.ts';
import type { SentOtlp } from '../../receivers/otlp-server-options.ts';
import type { CellAnswer } from '../cells/exchange.ts';
import type { CellSender } from './cell-sender.ts';
import type { Routing } from './choose.ts';
import type { FindNodes } from './node-finder.ts';
import { mergeEntries, type EntryAnswer } from './merge-entries.ts';
import { readExportResult, readStatusMessage } from './read-answers.ts';
import { refusalOf, worst } from './refusals.ts';
import { splitEntries, type EntrySignal, type PostedEntries } from './split-entries.ts';
import { splitOtlp } from './split-otlp.ts';

/** Who sends. */
export interface SentBy {
  /** The same for all that it sends. */
  readonly id: string;
  /** What it is known by at the cells: its `authorization` and `x-api-key`. */
  readonly headers: Readonly<Record<string, string>>;
  /** What it sends for. */
  readonly project: string;
}

/** A body of a protocol of agents, which is not cut. */
export interface PostedWhole extends PostedEntries {
  readonly path: string;
  readonly query: URLSearchParams;
}

export interface ForwardingOptions {
  readonly sender: CellSender;
  /** undefined while no cell is known. */
  readonly routing: () => Routing | undefined;
  /** Asks the cells. */
  readonly find: FindNodes;
  /** How long work is cut into pieces. */
  readonly pace: Turns;
  /** As it is sent; a cell allows as much. */
  readonly maxBodyBytes: number;
}

/** What one cell is sent. */
interface SentPart {
  readonly cell: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const CONTENT_TYPES: Readonly<Record<Encoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
};
const ENTRY_PATHS: Readonly<Record<EntrySignal, string>> = { cot: '/api/cot', event: '/api/events' };
/** Parameters that name what a body of a protocol is about, the one that says most first. */
const NAMES = ['taskId', 'runId', 'space'] as const;

/**
 * Sends on to the cells what senders send, and makes one answer of theirs. Nothing is kept: a sender that is told to send
 * again sends all of it, and the cells that had their part take it as the same.
 */
export class Forwarding {
  private readonly options: ForwardingOptions;

  constructor(options: ForwardingOptions) {
    this.options = options;
  }

  /** @throws BoundaryError with the code that the cells refused with */
  async otlp({ signal, encoding, body }: SentOtlp, by: SentBy): Promise<ExportResult> {
    const { pace } = this.options;
    const parts = await this.shared(by, (routing) => splitOtlp(signal, encoding, body, routing, pace));
    const headers = { ...by.headers, 'content-type': CONTENT_TYPES[encoding] };
    const sent = parts.map((part) => ({ ...part, headers, path: `/v1/${signal}` }));
    const answers = await this.exchange(sent, (answer) => readStatusMessage(encoding, answer.body));
    const results = answers.map((answer) => readExportResult(encoding, answer.body));
    const rejected = results.map((result) => result.rejected);
    const messages = new Set(results.map(({ message }) => message).filter((message) => message !== ''));
    return {
      // All cells were sent the same points.
      rejected: signal === 'metrics' ? Math.max(...rejected) : rejected.reduce((sum, count) => sum + count),
      message: [...messages].slice(0, MAX_REASONS).join('; '),
    };
  }

  /**
   * The body of `POST /api/cot` or `/api/events`.
   * @throws BoundaryError likewise
   */
  async entries(signal: EntrySignal, posted: PostedEntries, by: SentBy): Promise<EntryAnswer> {
    const { pace } = this.options;
    const { parts, unreadable } = await this.shared(by, (routing) =>
      splitEntries(signal, posted, routing, pace),
    );
    const path = ENTRY_PATHS[signal];
    const sent = parts.map(({ cell, body, contentType }) => ({
      cell,
      body,
      path,
      headers: typed(by, contentType),
    }));
    const answers = await this.exchange(sent, messageIn, isEntryAnswer);
    const told = answers.map(({ status, body }, i) => ({
      status,
      body: objectIn(body),
      indexes: parts[i]?.indexes,
    }));
    return mergeEntries(told, unreadable, MAX_LISTED_ERRORS);
  }

  /**
   * A body of a protocol whose pieces are told apart by what came before: all that names one task, run or space, and all
   * of one sender that names none, goes to one cell.
   * @throws BoundaryError likewise
   */
  async whole({ path, query, body, contentType }: PostedWhole, by: SentBy): Promise<EntryAnswer> {
    const named = NAMES.map((name) => query.get(name)).find((value) => value !== null && value !== '');
    const cell = this.routing.ring.of(named ?? by.id);
    const search = query.size === 0 ? '' : `?${query.toString()}`;
    const sent = { cell, body, path: `${path}${search}`, headers: typed(by, contentType) };
    const [answer] = await this.exchange([sent], messageIn, isEntryAnswer);
    return { status: answer?.status ?? 202, body: answer ? objectIn(answer.body) : {} };
  }

  private get routing(): Routing {
    const routing = this.options.routing();
    if (routing) return routing;
    throw new BoundaryError('UNAVAILABLE', 'no cell is known yet; send again later', { retryAfterMs: 1_000 });
  }

  /** Shares out what was sent. Where nothing says where some of it belongs the cells are asked, and it is shared out anew. */
  private async shared<T>(by: SentBy, split: (routing: Routing) => Promise<T>): Promise<T> {
    const routing = { ...this.routing, project: by.project };
    if (routing.ring.names.length === 1) return split(routing);
    const sought = new Set<string>();
    const shares = await split({ ...routing, sought });
    if (sought.size === 0) return shares;
    return split({ ...routing, found: await this.options.find(sought, by) });
  }

  /** What came compressed may be larger than a body may be; it goes on compressed again. */
  private async asAllowed(part: SentPart): Promise<SentPart> {
    if (part.body.length <= this.options.maxBodyBytes) return part;
    const headers = { ...part.headers, 'content-encoding': 'gzip' };
    return { ...part, headers, body: await compress(part.body) };
  }

  /** @returns the answers in the order of what was sent, when none is a refusal */
  private async exchange(
    sent: readonly SentPart[],
    messageOf: (answer: CellAnswer) => string,
    isAnswer: (answer: CellAnswer) => boolean = () => false,
  ): Promise<readonly CellAnswer[]> {
    const answers = await Promise.all(
      sent.map(async (part) => {
        try {
          const answer = await this.options.sender.send({ method: 'POST', ...(await this.asAllowed(part)) });
          if (isAnswer(answer)) return answer;
          return (
            refusalOf(answer, messageOf(answer) || `cell ${part.cell} refused it (${answer.status})`) ??
            answer
          );
        } catch (error) {
          return BoundaryError.from(error);
        }
      }),
    );
    const refusal = worst(answers.filter((answer) => answer instanceof BoundaryError));
    if (refusal) throw refusal;
    return answers as readonly CellAnswer[];
  }
}

const compress = promisify(gzip);

function typed({ headers }: SentBy, contentType: string): Readonly<Record<string, string>> {
  return contentType === '' ? headers : { ...headers, 'content-type': contentType };
}

/** A body that could not be read is answered 400 in the form of what was taken. */
function isEntryAnswer({ status, body }: CellAnswer): boolean {
  return status === 400 && typeof objectIn(body)['accepted'] === 'number';
}

function messageIn({ body }: CellAnswer): string {
  return readStatusMessage('json', body);
}

function objectIn(body: Buffer): JsonObject {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
