import { assert } from '../base/assert.ts';
import type { ServiceConfig } from '../config/schema.ts';
import { KafkaReceiver, type KafkaReceiverOptions } from '../receivers/kafka/kafka-receiver.ts';
import type { JoinKafka } from '../receivers/kafka/kafka-session.ts';
import { platformaticKafka } from '../receivers/kafka/platformatic-kafka.ts';
import type { Stage } from './stages.ts';

/** What reads from Kafka, where the configuration says so. */
export class KafkaStage implements Stage {
  private readonly config: ServiceConfig;
  private readonly receiver: KafkaReceiver | undefined;
  private join: JoinKafka | undefined;

  constructor(config: ServiceConfig, options: Omit<KafkaReceiverOptions, 'signalOf' | 'maxMessageBytes'>) {
    this.config = config;
    const { kafka, maxRequestBytes } = config;
    if (!kafka) return;
    this.receiver = new KafkaReceiver({
      ...options,
      signalOf: (topic) => (topic === kafka.cotTopic ? 'cot' : 'event'),
      maxMessageBytes: maxRequestBytes,
    });
  }

  /** Nothing is loaded without need. @throws BoundaryError FAILED_PRECONDITION when the client is not installed */
  async load(): Promise<void> {
    const { kafka, kafkaPassword = '' } = this.config;
    if (!kafka) return;
    const { brokers, cotTopic, eventTopic, groupId, tls, sasl } = kafka;
    this.join = await platformaticKafka({
      brokers,
      topics: [cotTopic, eventTopic].filter((topic) => topic !== undefined),
      groupId,
      tls,
      sasl: sasl && { ...sasl, password: kafkaPassword },
    });
  }

  start(): void {
    if (!this.receiver) return;
    assert(this.join, 'the client is loaded');
    this.receiver.start(this.join);
  }

  async stop(): Promise<void> {
    await this.receiver?.stop();
  }

  get problems(): readonly string[] {
    const problem = this.receiver?.problem;
    return problem === undefined ? [] : [problem];
  }
}
