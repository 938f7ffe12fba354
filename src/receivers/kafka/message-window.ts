import { hash } from 'node:crypto';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { CotRecord, EventRecord } from '../../model/records.ts';
import type { OwnMetrics } from '../../telemetry/own-metrics.ts';
import { readItems, type PostSignal } from '../events/receive.ts';
import type { KafkaMessage, KafkaPosition } from './kafka-session.ts';

/** Messages that are journaled and committed together: large enough that a commit costs little. */
const MAX_MESSAGES = 500;
/** Bytes of them: a message has at most 1 MB unless the broker is told otherwise. */
const MAX_BYTES = 8 * 1024 * 1024;
/**
 * Messages with entries of one thought. What was journaled and not committed comes again after a crash, and a thought
 * remembers its last 32 requests (`redaction/recent-requests.ts`): so none of them may be forgotten by then.
 */
export const MAX_OF_ONE_THOUGHT = 32;

export interface WindowOptions {
  /** What the messages of a topic are. */
  readonly signalOf: (topic: string) => PostSignal;
  /** Bytes of one message: what is larger is no honest one. */
  readonly maxMessageBytes: number;
  readonly metrics: OwnMetrics;
}

/** A message that brought nothing, or not all of it. */
interface Unreadable {
  /** `topic/partition/offset`. */
  readonly message: string;
  /** What is wrong, without any of its text. */
  readonly reason: string;
}

/** What one message brought. */
interface ReadMessage {
  /** `topic/partition/offset`. */
  readonly message: string;
  readonly records: readonly (CotRecord | EventRecord)[];
}

/** The records of messages that are taken as one, and how far that leads. */
export class MessageWindow {
  /** Messages without records are not among them. */
  readonly read: ReadMessage[] = [];
  readonly unreadable: Unreadable[] = [];
  private readonly options: WindowOptions;
  private readonly digests = new Map<CotRecord, string>();
  private readonly ends = new Map<string, KafkaPosition>();
  /** Of each thought, in how many messages it is. */
  private readonly thoughts = new Map<string, number>();
  private messages = 0;
  private bytes = 0;
  private isFullFor = false;

  constructor(options: WindowOptions) {
    this.options = options;
  }

  /** No more messages fit in. */
  get isFull(): boolean {
    return this.isFullFor || this.messages >= MAX_MESSAGES || this.bytes >= MAX_BYTES;
  }

  /** Where the partitions stand when all of it is taken. */
  get positions(): readonly KafkaPosition[] {
    return [...this.ends.values()];
  }

  /** By which a thought knows a message that is delivered again: its place, and when it was written there. */
  digestOf(entry: CotRecord): string {
    return this.digests.get(entry) ?? '';
  }

  /** A message that cannot be read is skipped, and named. */
  add(message: KafkaMessage): void {
    const { topic, partition, offset, timestamp, value } = message;
    this.messages++;
    this.bytes += value?.length ?? 0;
    this.ends.set(`${topic}/${partition}`, { topic, partition, offset: offset + 1n });
    const records = this.recordsOf(message);
    if (records.length > 0) this.read.push({ message: nameOf(message), records });
    const ids = new Set<string>();
    let digest: string | undefined;
    for (const record of records) {
      if (record.kind !== 'cot') continue;
      ids.add(record.requestId);
      digest ??= hash('sha256', `kafka\0${topic}\0${partition}\0${offset}\0${timestamp}`, 'base64');
      this.digests.set(record, digest);
    }
    for (const id of ids) {
      const count = (this.thoughts.get(id) ?? 0) + 1;
      this.thoughts.set(id, count);
      if (count >= MAX_OF_ONE_THOUGHT) this.isFullFor = true;
    }
  }

  private recordsOf(message: KafkaMessage): readonly (CotRecord | EventRecord)[] {
    const { topic, value } = message;
    const signal = this.options.signalOf(topic);
    const skip = (reason: string): readonly [] => {
      this.unreadable.push({ message: nameOf(message), reason });
      return [];
    };
    const refuse = (reason: string): readonly [] => {
      this.options.metrics.recordsRejected(signal, 'unparsable', 1);
      return skip(reason);
    };
    if (value === undefined || value.length === 0) return refuse('it has no value');
    if (value.length > this.options.maxMessageBytes) return refuse('it is larger than maxRequestBytes');
    try {
      const read = readItems(signal, value, undefined, this.options.metrics);
      if (!read) return skip('it holds no JSON');
      const { errors, rejected, records } = read;
      if (rejected > 0) skip(`${rejected} items refused, the first: ${errors[0]?.message ?? ''}`);
      return records;
    } catch (error) {
      return refuse(BoundaryError.from(error).message);
    }
  }
}

function nameOf({ topic, partition, offset }: KafkaMessage): string {
  return `${topic}/${partition}/${offset}`;
}
