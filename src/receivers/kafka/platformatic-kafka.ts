import { readFile } from 'node:fs/promises';
import type { Consumer, ConsumerOptions, MessagesStream } from '@platformatic/kafka';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { JoinKafka, KafkaMessage, KafkaPosition, KafkaSession } from './kafka-session.ts';

export interface KafkaSettings {
  readonly brokers: readonly string[];
  readonly topics: readonly string[];
  readonly groupId: string;
  readonly tls: boolean | { readonly [file in 'caFile' | 'certFile' | 'keyFile']?: string | undefined };
  readonly sasl?: SaslSettings | undefined;
}

interface SaslSettings {
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
  readonly username: string;
  readonly password: string;
}

/** Messages that wait in the client; the answer to one fetch comes on top of them. */
const MAX_WAITING_MESSAGES = 256;
/** The most that one fetch brings, and of it from one partition. A larger message comes alone. */
const MAX_FETCH_BYTES = 8 * 1024 * 1024;
const MAX_PARTITION_BYTES = 1024 * 1024;
/** A broker answers a fetch after this time, even with nothing; also the first, by which a session is known to work. */
const FETCH_WAIT_MS = 1_000;
const FIRST_FETCH_MS = 3_000;
/** A member with partitions that waits, and got no answer to a fetch for so long, has lost its broker without a word. */
const SILENCE_MS = 15_000;
/** A member that is gone without a word gives its partitions to others after this. */
const SESSION_MS = 10_000;
const HEARTBEAT_MS = 1_000;
/** So long others wait for a member that has yet to join anew. */
const REBALANCE_MS = 30_000;
const CONNECT_MS = 5_000;
/** Leaving is a courtesy; without it the others wait for the end of the session. */
const CLOSE_MS = 5_000;

const MISSING =
  '"kafka" is set, and its client is not installed: `npm install @platformatic/kafka@2` beside explainability-agent brings it';
const UNUSABLE =
  '"kafka" is set, and its client @platformatic/kafka cannot be loaded: it needs version 2, and Node 22.22, 24.6 or later';

/**
 * Loads the client, which is no dependency of this package, and reads the files of `tls`.
 * @throws BoundaryError FAILED_PRECONDITION when either is not there
 */
export async function platformaticKafka(settings: KafkaSettings): Promise<JoinKafka> {
  const client = await import('@platformatic/kafka').catch((error: unknown) => {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    throw new BoundaryError('FAILED_PRECONDITION', isMissing ? MISSING : UNUSABLE, { cause: error });
  });
  if (typeof client.Consumer !== 'function') throw new BoundaryError('FAILED_PRECONDITION', UNUSABLE);
  const options = await optionsOf(settings);
  return async () => {
    const consumer = new client.Consumer(options);
    const session = new PlatformaticSession(consumer);
    try {
      await session.open([...settings.topics]);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  };
}

async function optionsOf({
  brokers,
  groupId,
  tls,
  sasl,
}: KafkaSettings): Promise<ConsumerOptions<Buffer, Buffer, Buffer, Buffer>> {
  const files = typeof tls === 'object' ? tls : {};
  const [ca, cert, key] = await Promise.all([
    fileOf(files.caFile),
    fileOf(files.certFile),
    fileOf(files.keyFile),
  ]);
  return {
    clientId: 'explainability-agent',
    groupId,
    bootstrapBrokers: [...brokers],
    // What fails is told at once, and everything is begun anew: after a broker's end the client asks the dead one for long.
    retries: 0,
    connectTimeout: CONNECT_MS,
    autocommit: false,
    sessionTimeout: SESSION_MS,
    heartbeatInterval: HEARTBEAT_MS,
    rebalanceTimeout: REBALANCE_MS,
    maxWaitTime: FETCH_WAIT_MS,
    maxBytes: MAX_FETCH_BYTES,
    maxBytesPerPartition: MAX_PARTITION_BYTES,
    highWaterMark: MAX_WAITING_MESSAGES,
    ...(tls !== false && { tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) } }),
    ...(tls !== false && { tlsServerName: true }),
    ...(sasl && { sasl }),
  };
}

async function fileOf(path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  return readFile(path).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new BoundaryError('FAILED_PRECONDITION', `a file of "kafka.tls" cannot be read (${code}): ${path}`);
  });
}

/** A consumer and its one stream. */
class PlatformaticSession implements KafkaSession {
  private readonly consumer: Consumer;
  private stream: MessagesStream<Buffer, Buffer, Buffer, Buffer> | undefined;
  private failure: { readonly error: unknown } | undefined;
  private fetchedAt = 0;
  private wake: () => void = () => undefined;

  constructor(consumer: Consumer) {
    this.consumer = consumer;
    const fail = (error: unknown): void => this.fail(error);
    consumer.on('error', fail);
    // It is a member no longer, and does not know.
    consumer.on('consumer:heartbeat:stalled', () => fail(new Error('no answer to heartbeats')));
  }

  async open(topics: string[]): Promise<void> {
    const stream = await this.consumer.consume({ topics, mode: 'committed', fallbackMode: 'earliest' });
    this.stream = stream;
    stream.on('error', (error) => this.fail(error));
    stream.on('close', () => this.fail(new Error('the stream has ended')));
    stream.on('readable', () => this.wake());
    stream.on('fetch', () => (this.fetchedAt = performance.now()));
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, FIRST_FETCH_MS);
      const done = (): void => {
        clearTimeout(timer);
        resolve();
      };
      stream.once('fetch', () => setImmediate(done));
      stream.once('close', done);
    });
    this.check();
  }

  async next(stopped: AbortSignal): Promise<KafkaMessage | undefined> {
    const onStop = (): void => this.wake();
    stopped.addEventListener('abort', onStop);
    try {
      while (!stopped.aborted) {
        this.check();
        const message = this.nextNow();
        if (message) return message;
        await this.something();
      }
      return undefined;
    } finally {
      stopped.removeEventListener('abort', onStop);
    }
  }

  nextNow(): KafkaMessage | undefined {
    return (this.stream?.read() as KafkaMessage | null | undefined) ?? undefined;
  }

  owns(topic: string, partition: number): boolean {
    const { assignments } = this.consumer;
    return assignments?.some((of) => of.topic === topic && of.partitions.includes(partition)) ?? false;
  }

  async commit(positions: readonly KafkaPosition[]): Promise<void> {
    this.check();
    await this.consumer.commit({ offsets: positions.map((position) => ({ ...position, leaderEpoch: -1 })) });
  }

  async close(): Promise<void> {
    this.failure ??= { error: new Error('the session was closed') };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([this.leave(), late]);
    clearTimeout(timer);
  }

  private async leave(): Promise<void> {
    try {
      await this.stream?.close();
    } catch {
      // It had failed before.
    }
    try {
      await this.consumer.close(true);
    } catch {
      // The brokers are away: they notice by themselves.
    }
  }

  /** Resolves when there may be something to read. Fails the session when nobody answers. */
  private async something(): Promise<void> {
    const since = performance.now();
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      timer = setTimeout(resolve, SILENCE_MS).unref();
    });
    clearTimeout(timer);
    const silentFor = performance.now() - Math.max(since, this.fetchedAt);
    if (silentFor >= SILENCE_MS && (this.consumer.assignments?.length ?? 0) > 0)
      this.fail(Object.assign(new Error('fetches are not answered'), { code: 'FETCHES_UNANSWERED' }));
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
    this.wake();
  }

  private check(): void {
    if (this.failure) throw this.failure.error;
  }
}
