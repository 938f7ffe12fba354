/** What the receiver needs of a Kafka client: so little, so that another one can take its place, and tests have none. */

export interface KafkaMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  /** Milliseconds since the Unix epoch, by the broker or the sender. */
  readonly timestamp: bigint;
  /** Absent in a tombstone. */
  readonly value: Buffer | undefined;
}

/** Up to where a partition is read: the offset of the next message. */
export interface KafkaPosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}

/** One membership of the consumer group, from joining to its first failure or to leaving. */
export interface KafkaSession {
  /**
   * Messages of the partitions that are this member's, in the order of their offsets, from those committed; waits for the
   * first. None once `stopped` is. @throws when the session has failed
   */
  next(stopped: AbortSignal): Promise<KafkaMessage | undefined>;
  /** A message that is here already. */
  nextNow(): KafkaMessage | undefined;
  /** Is the partition this member's now? */
  owns(topic: string, partition: number): boolean;
  /** @throws when the broker refuses, as while the group gives out its partitions anew, or is away */
  commit(positions: readonly KafkaPosition[]): Promise<void>;
  /** Leaves the group. Bounded in time. Never rejects. */
  close(): Promise<void>;
}

/** Joins the group. @throws when the brokers cannot be reached, refuse, or have no such topic */
export type JoinKafka = () => Promise<KafkaSession>;
