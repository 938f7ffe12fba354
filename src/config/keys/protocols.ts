import { z } from 'zod';
import { projectName } from '../project-name.ts';
import { agUiAgents } from './values.ts';

/** `host:port`, the host as a name, IPv4 address, or IPv6 address in brackets. */
const BROKER = /^(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}$/;
/** Kafka's own rule for topics. */
const TOPIC = /^[a-zA-Z0-9._-]{1,249}$/;
const topicRule = 'must be the name of a topic: up to 249 letters, digits, ".", "_" and "-"';
const topic = z.string(topicRule).regex(TOPIC, topicRule).optional();
const brokerRule = 'must be an address with its port, such as "kafka-1:9092"';
const brokersRule = 'must be a list of 1 to 100 addresses such as "kafka-1:9092"';
const groupRule = 'must be a text of 1 to 249 characters';
const pathRule = 'must be the path of a file';
const path = z.string(pathRule).min(1, pathRule).max(4096, pathRule).optional();
const tlsRule =
  'must be true, false or {"caFile": …, "certFile": …, "keyFile": …}, each of which may be left out';
const saslRule =
  'must be {"mechanism": "PLAIN", "SCRAM-SHA-256" or "SCRAM-SHA-512", "username": …}; the password is given as kafkaPassword';

const kafkaKeys = 'the keys are brokers, cotTopic, eventTopic, groupId, tls, sasl and project';

const mewId = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[^/\s]+$/);

const someNames = z.array(z.string().min(1).max(1024)).min(1).max(1000);

/** Other ways in: AG-UI, Kafka, MEW. */
export const protocolKeys = {
  agUiAgents: agUiAgents
    .default([])
    .describe(
      'Endpoints of agents that speak AG-UI, such as "http://127.0.0.1:8000/agent": POST /ag-ui/proxy?url=… runs these and no others, and passes their events on.',
    ),
  forwardEncrypted: z
    .boolean()
    .default(false)
    .describe(
      'Hold encrypted reasoning that comes through /ag-ui/proxy in memory, and put it into the messages of the next run of the same thread and agent where the client lost it. It is never stored or shown.',
    ),

  kafka: z
    .strictObject(
      {
        brokers: z
          .array(z.string(brokerRule).regex(BROKER, brokerRule), brokersRule)
          .min(1, brokersRule)
          .max(100, brokersRule),
        cotTopic: topic,
        eventTopic: topic,
        project: projectName.optional(),
        groupId: z.string(groupRule).min(1, groupRule).max(249, groupRule).default('explainability-agent'),
        tls: z
          .union([z.boolean(), z.strictObject({ caFile: path, certFile: path, keyFile: path })], tlsRule)
          .default(false),
        sasl: z
          .strictObject(
            {
              mechanism: z.enum(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'], saslRule),
              username: z.string(saslRule).min(1, saslRule).max(1000, saslRule),
            },
            saslRule,
          )
          .optional(),
      },
      {
        error: ({ code }) =>
          (code === 'unrecognized_keys' ? 'has an unknown key; ' : 'must be an object; ') + kafkaKeys,
      },
    )
    .optional()
    .describe(
      'Reads thoughts and events from Kafka: {"brokers": ["kafka-1:9092"], "cotTopic": "thoughts", "eventTopic": "events"}; also groupId, tls, sasl, and project, whose they are (the default one if it is left out). Needs the package @platformatic/kafka beside this one.',
    ),
  kafkaPassword: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('The password of "kafka.sasl", best given by the environment.'),

  mew: z
    .strictObject({
      url: z
        .string()
        .max(2048)
        .regex(/^wss?:\/\/[^\s/?#@]+(?:\/[^\s#]*)?$/),
      space: mewId,
      token: z.string().min(1).max(4096).optional(),
      participant: mewId.default('explainability-agent'),
      interrupts: z.enum(['cancel', 'interrupt']).default('cancel'),
      emit: z.strictObject({ tasks: someNames.optional(), agents: someNames.optional() }).optional(),
      project: projectName.optional(),
    })
    .optional()
    .describe(
      'Joins a space of a gateway of MEW and observes it: {"url": "ws://127.0.0.1:8080", "space": "yard", "token": "…"}; also participant (its own name there), interrupts (agents are asked to stop by "cancel", or by "interrupt" of ADR r5x), emit (which steps are said there: {} is all, {"tasks": […], "agents": […]} those of these tasks and agents; none if it is left out), and project, whose messages these are (the default one if it is left out).',
    ),
};
