import { Admin, Consumer, Producer } from '@platformatic/kafka';
import { within } from '../steps/child.ts';

/** Messages in flight to the broker, and what a group has committed, as another program sees them. */
export class Topics {
  private readonly address: string;

  constructor(address: string) {
    this.address = address;
  }

  /** Tried again while the broker is not ready yet. */
  async create(topics: readonly string[], partitions: number): Promise<void> {
    await this.tried('the topics are made', async () => {
      const admin = new Admin({ clientId: 'test', bootstrapBrokers: [this.address], retries: 0 });
      try {
        await admin.createTopics({ topics: [...topics], partitions, replicas: 1 });
      } finally {
        await admin.close();
      }
    });
  }

  /**
   * Resolves when the broker has all, each once and in this order for each key: the producer numbers what it sends, so that
   * what it has to send again is known.
   */
  async send(
    topic: string,
    messages: readonly { readonly key: string; readonly value: string }[],
  ): Promise<void> {
    const producer = new Producer({
      clientId: 'test',
      bootstrapBrokers: [this.address],
      serializers: {
        key: (text?: string) => Buffer.from(text ?? ''),
        value: (text?: string) => Buffer.from(text ?? ''),
      },
      idempotent: true,
      retries: 100,
      retryDelay: 300,
    });
    try {
      await producer.send({ messages: messages.map((message) => ({ ...message, topic })), acks: -1 });
    } finally {
      await producer.close();
    }
  }

  /** Of each partition, how many messages the group has yet to commit. */
  async lag(groupId: string, topic: string, partitions: number): Promise<number> {
    const consumer = new Consumer({
      clientId: 'test',
      groupId,
      bootstrapBrokers: [this.address],
      retries: 3,
    });
    try {
      const all = Array.from({ length: partitions }, (_, n) => n);
      const ends = (await consumer.listOffsets({ topics: [topic], timestamp: -1n })).get(topic) ?? [];
      const committed =
        (await consumer.listCommittedOffsets({ topics: [{ topic, partitions: all }] })).get(topic) ?? [];
      return all.reduce((sum, n) => sum + Number(ends[n] ?? 0n) - Math.max(0, Number(committed[n] ?? 0n)), 0);
    } finally {
      await consumer.close();
    }
  }

  private async tried(what: string, act: () => Promise<void>): Promise<void> {
    await within(30_000, what, () =>
      act().then(
        () => true as const,
        () => undefined,
      ),
    );
  }
}
