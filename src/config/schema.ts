import { z } from 'zod';
import { DEFAULT_PROJECT, isProjectName, PROJECT_NAME_RULE } from '../model/project-name.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { projectName } from './project-name.ts';
import { tlsSchema } from './tls.ts';
import { peopleSchema } from './people-schema.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;
const MINUTES_PER_YEAR = 525_600;

const HOSTNAME_OR_ADDRESS = /^(?:[A-Za-z0-9_.-]+|[0-9A-Fa-f:.]+(?:%[A-Za-z0-9]+)?)$/;
/** What fits into an HTTP header: no blanks, no control characters. */
const HEADER_SAFE = /^[\x21-\x7e]+$/;

const port = z.int().min(0).max(65_535);
const token = z.string().min(8).max(4096).regex(HEADER_SAFE);
/** A list of short strings: names, hosts, patterns. Its bounds keep a wrong file from costing memory. */
const list = (maxLength: number) => z.array(z.string().min(1).max(maxLength)).max(1000);

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

/** Of a key. Far above what any machine takes in, so that a wrong unit is seen. */
const perSecond = z.number().gt(0).max(1e9).optional();
const atOnce = z.int().min(1).max(1e6).optional();

const kafkaKeys = 'the keys are brokers, cotTopic, eventTopic, groupId, tls, sasl and project';

const projectsRule = `must name projects, each with an object of its own settings, such as {"team-a": {}}; a name has ${PROJECT_NAME_RULE}; the settings of the project "${DEFAULT_PROJECT}" are those outside`;
const projectKeys = 'the keys of a project are agUiAgents, visibility and persistRetentionDays';

const agUiAgents = z
  .array(
    z
      .string()
      .max(2048)
      .regex(
        /^https?:\/\/[^\s/?#@]+(?:\/[^\s#]*)?$/,
        'must be an address with http or https, such as "http://127.0.0.1:8000/agent"',
      ),
  )
  .max(100);
const visibility = z
  .record(z.string().min(1).max(256), z.enum(['full', 'summary', 'hidden']))
  .refine((rules) => Object.keys(rules).length <= 1000, 'at most 1000 agents');
const retentionDays = z.number().gt(0).max(36_500);

const mewId = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[^/\s]+$/);

const typePattern = z.string().min(1).max(1000).optional();

/**
 * Every key of the configuration, once: its type, range, default and description. The types, the defaults, the
 * commented defaults file, the JSON schema, the environment names and the flags are all derived from here.
 */
export const configSchema = z.strictObject({
  host: z
    .string()
    .min(1)
    .max(255)
    .regex(HOSTNAME_OR_ADDRESS)
    .default('127.0.0.1')
    .describe(
      'Address that every port listens on. A host that is not loopback needs "auth" and "tls" to be set.',
    ),
  port: port.default(9000).describe('Port for readers: gRPC, WebSocket, HTTP, metrics. 0 takes a free one.'),
  otlpGrpcPort: port.default(4317).describe('Port of the OTLP/gRPC receiver. 0 takes a free one.'),
  otlpHttpPort: port.default(4318).describe('Port of the OTLP/HTTP receiver. 0 takes a free one.'),
  auth: z
    .union([z.enum(['none', 'keys']), z.strictObject({ token, adminToken: token.optional() })])
    .optional()
    .describe(
      'Who is let in: "keys" asks for a key (explainability-agent keys create), and so does every service that ever had one; {"token": "…", "adminToken": "…"} are tokens beside them: the first sends and operates, the second administers; "none" accepts a host that is not loopback without either.',
    ),
  tls: tlsSchema
    .optional()
    .describe(
      'TLS on every port: {"certFile": "…", "keyFile": "…"}, read again when the files change. Also "caFile" with "clientCertificates" ("optional" or "required": who asks shows a certificate that "caFile" signed; "none"), "clients" ({"name in a certificate": {"roles": ["sender"]}}), and "readers", "otlpGrpc", "otlpHttp" with what one port has of its own. "terminated": something in front of the ports speaks TLS; a host that is not loopback needs one or the other.',
    ),
  allowedHosts: list(255)
    .default([])
    .describe('Further names that may stand in the Host header of a request.'),
  allowedOrigins: list(2048)
    .default([])
    .describe('Web origins whose pages may use the service, such as "https://dashboard.example".'),

  maxCoTDepth: z
    .int()
    .min(1)
    .max(1000)
    .default(5)
    .describe('Maximum depth of chain-of-thought to display before summarizing.'),
  pruneLatencyThresholdMs: z
    .number()
    .min(0)
    .max(3_600_000)
    .default(50)
    .describe('A step slower than this (milliseconds) is never folded away as routine.'),
  minCostUsdDetail: z
    .number()
    .min(0)
    .max(1_000_000)
    .default(0.0001)
    .describe('A step that costs at least this much (US dollars) is never folded away as routine.'),
  nodeTTLMinutes: z
    .number()
    .gt(0)
    .max(MINUTES_PER_YEAR)
    .default(120)
    .describe('Minutes after its last change that a node leaves memory.'),
  maxNodesPerTask: z
    .int()
    .min(3)
    .max(1_000_000)
    .default(500)
    .describe('Most nodes of one task that a reader sees while collapsing is on.'),
  abandonAfterMinutes: z
    .number()
    .gt(0)
    .max(MINUTES_PER_YEAR)
    .default(15)
    .describe('Minutes after its last change that a running node counts as abandoned.'),

  typeRules: z
    .array(
      z.strictObject({
        type: z.enum([
          'STATIC_ANALYSIS',
          'TEST_RUN',
          'MODEL_SWITCH',
          'REFLEXION_ACTION',
          'USER_QUERY',
          'TOOL_CALL',
          'OTHER',
        ]),
        toolName: typePattern,
        command: typePattern,
        spanName: typePattern,
        agent: typePattern,
      }),
    )
    .max(64)
    .default([])
    .describe(
      'Rules of your own for the type of a step, tried in order before the built-in ones: {"type": "TEST_RUN", "command": "^make check"}. One of toolName, command, spanName, agent each. A call of a model keeps its type.',
    ),
  inferEdges: z
    .boolean()
    .default(false)
    .describe(
      'Also draw edges that nothing but time speaks for, from a step to the next one below the same parent ("evidence": "inferred").',
    ),

  redactPII: z
    .boolean()
    .default(true)
    .describe('Redact every string on entry. Turning it off needs "allowUnredacted" as well.'),
  allowUnredacted: z
    .boolean()
    .default(false)
    .describe('Confirms that "redactPII": false is meant: private data is then stored and shown as it came.'),
  redactionPatterns: list(2000)
    .default([
      '[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}',
      'api_key\\s*=\\s*[\'\\"][A-Za-z0-9_-]{20,}[\'\\"]',
    ])
    .describe(
      'Regular expressions, in JavaScript syntax without look-around and back-references, of text to redact. Where one needs more than 32 passes over a text, because each match looks on for an end, the rest of the text is hidden.',
    ),
  disabledRules: list(255).default([]).describe('Names of built-in redaction rules that are not applied.'),
  safeKeys: list(255)
    .default([])
    .describe('Attribute keys whose values hold no private data and are kept as they are.'),
  sensitiveKeys: list(255).default([]).describe('Attribute keys whose values are always withheld.'),
  names: z
    .enum(['context', 'dictionary', 'off'])
    .default('context')
    .describe(
      '"context": hide names and addresses of people where the text itself announces them ("Dear …", "From: …"); costs next to nothing and misses most names. "dictionary": hide also what a list of 4,000 names knows, wherever it stands: three names in four; costs 40 MB of memory and a third of the speed of redaction, and hides some words that are none. "off": neither.',
    ),
  knownNames: list(200)
    .default([])
    .describe('Names of people that are always hidden, as whole words, whatever their case.'),
  visibility: visibility
    .default({})
    .describe(
      'How much of what each agent thinks readers and exports see: {"PlannerAgent": "summary", "*": "hidden"}. "full": all; "summary": one line of each thought; "hidden": nothing. "*" is for all agents that are not named. It is kept whole on the disk, but for "zeroDataRetention".',
    ),
  maxCodeSnippetChars: z
    .int()
    .min(0)
    .max(10_000_000)
    .default(2000)
    .describe('Code blocks longer than this many characters are cut.'),
  summaryUrl: z
    .string()
    .max(2048)
    .regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/)
    .optional()
    .describe(
      'An API like OpenAI\'s that phrases summaries, up to "/v1". It receives the redacted sentences of the rules and nothing else; its words are marked, and where it fails those of the rules stay. Absent: nothing leaves the service.',
    ),
  summaryModel: z.string().min(1).max(256).optional().describe('The model that "summaryUrl" is asked for.'),
  summaryApiKey: z
    .string()
    .min(1)
    .max(4096)
    .regex(HEADER_SAFE)
    .optional()
    .describe('Bearer token for "summaryUrl", best given by the environment.'),
  vaultKey: z
    .string()
    .regex(/^(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=)$/)
    .optional()
    .describe(
      'Key of the vault: 32 bytes as 64 hex digits or in base64, best given by the environment. With it the originals of redacted values are kept encrypted, for administrators ("auth.adminToken") to reveal.',
    ),
  vaultKeyFile: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('File that holds the key of the vault, instead of "vaultKey". "~" is the home folder.'),
  vaultSecrets: z
    .boolean()
    .default(false)
    .describe(
      'Keep the originals of credentials and keys in the vault as well, not only those of personal data.',
    ),
  maxVaultBytes: z
    .int()
    .min(64 * KIB)
    .max(16 * GIB)
    .default(256 * MIB)
    .describe(
      'Most bytes of the vault on disk, besides those of the stored graph: the originals of the oldest tasks are erased first.',
    ),
  zeroDataRetention: z
    .boolean()
    .default(false)
    .describe(
      'Keep no text: of thoughts, prompts, completions, tools and attributes only figures, ids, names and the summaries that senders wrote stay.',
    ),

  forward: z
    .strictObject({
      endpoint: z
        .string()
        .max(2048)
        .regex(/^(?:https?|grpcs?):\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/),
      project: projectName.optional(),
      headers: z
        .record(
          z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/),
          z
            .string()
            .max(4096)
            .regex(/^[\x20-\x7e]*$/),
        )
        .optional(),
    })
    .optional()
    .describe(
      'Another receiver of OTLP to which the steps of tasks that have ended are sent on: {"endpoint": "https://collector.example:4318", "headers": {"authorization": "…"}}. "grpc://host:4317" speaks gRPC, "grpcs://" with TLS; "http(s)://" HTTP, with "/v1/traces" where no path is given, but for port 4317, which is gRPC. The tasks are those of the default project, or of the one that "project" names. Never this service itself.',
    ),

  interruptWebhook: z
    .strictObject({
      url: z
        .string()
        .max(2048)
        .regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s#]*)?$/),
      secret: z.string().min(16).max(4096).regex(HEADER_SAFE),
      project: projectName.optional(),
    })
    .optional()
    .describe(
      'A program of your own that is told of interrupts for which no agent waits: {"url": "https://agents.example/interrupts", "secret": "…"}, by POST, signed with the secret (HMAC-SHA256). The tasks are those of the default project, or of the one that "project" names.',
    ),

  projects: z
    .record(
      z.string(projectsRule).refine((name) => isProjectName(name) && name !== DEFAULT_PROJECT, projectsRule),
      z.strictObject(
        {
          agUiAgents: agUiAgents.optional(),
          visibility: visibility.optional(),
          persistRetentionDays: retentionDays.optional(),
        },
        {
          error: ({ code }) =>
            (code === 'unrecognized_keys' ? 'has an unknown key; ' : 'must be an object; ') + projectKeys,
        },
      ),
      projectsRule,
    )
    .default({})
    .describe(
      'Projects beside the default one, each with what is its own of agUiAgents, visibility and persistRetentionDays: {"team-a": {"persistRetentionDays": 30}}. A project has a store, a graph and readers of its own; whose key or log-in is of another sees nothing of it. Those that a key or a group names need not stand here.',
    ),
  maxProjects: z
    .int()
    .min(1)
    .max(64)
    .default(16)
    .describe('Most projects, the default one among them. An empty one takes 25 MB of memory.'),

  dataDir: z
    .string()
    .min(1)
    .max(4096)
    .default('~/.nootropic-cache')
    .describe('Folder of the stored graph. "~" is the home folder.'),
  adaptationsFile: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe(
      'File of the adaptations of prompts, JSON with comments, which is read again when it changes; their history is kept beside it. Absent: "adaptations.json" in "dataDir". Without the file there are none. "~" is the home folder.',
    ),
  durability: z
    .enum(['memory', 'log', 'fsync'])
    .default('log')
    .describe(
      'When a sender is told that its records were taken. "memory": at once; nothing is written to disk. "log": when they are in the store; they survive a crash of the service. "fsync": when the disk has them; they survive a power failure.',
    ),
  snapshotIntervalSeconds: z
    .number()
    .min(1)
    .max(86_400)
    .default(60)
    .describe(
      'Seconds between two writings of explain_graph.json, the graph for other programs to read. A graph of more than 5,000 nodes is written sixty times less often, and at a clean stop.',
    ),
  persistRetentionDays: retentionDays
    .default(7)
    .describe('Days that persisted graphs are kept on disk before deletion.'),
  maxStoreBytes: z
    .int()
    .min(MIB)
    .max(Number.MAX_SAFE_INTEGER)
    .default(10 * GIB)
    .describe(
      'Most bytes of the stored graph on disk: the oldest tasks are deleted first. Projects have them together: each has what the others leave, and its equal part at the least.',
    ),
  maxMemoryBytes: z
    .int()
    .min(MIB)
    .max(Number.MAX_SAFE_INTEGER)
    .default(320 * MIB)
    .describe(
      'Most bytes, by estimate, that the graph holds in memory: the oldest tasks leave first. Projects have them together: each has what the others leave, and its equal part at the least.',
    ),
  maxCachedTextBytes: z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .default(64 * MIB)
    .describe('Most bytes, by estimate, of full texts in memory: the least recently used leave first.'),

  reorderWindowMs: z
    .int()
    .min(0)
    .max(60_000)
    .default(100)
    .describe('Longest wait (milliseconds) for a missing piece of a chain of thought.'),
  flushIntervalMs: z
    .int()
    .min(0)
    .max(1000)
    .default(10)
    .describe('Changes within this time (milliseconds) leave as one update.'),
  updateLatencySlaMs: z
    .number()
    .gt(0)
    .max(60_000)
    .default(50)
    .describe('Milliseconds from an event to its update that the service is held to.'),
  maxQueuedUpdates: z
    .int()
    .min(1)
    .max(100_000)
    .default(100)
    .describe('Updates kept for a subscriber whose connection was lost.'),
  resumeWindowSeconds: z
    .number()
    .min(0)
    .max(86_400)
    .default(300)
    .describe('Seconds that a lost subscription can be taken up again.'),
  maxSubscriptions: z.int().min(1).max(1_000_000).default(5000).describe('Most subscriptions at one time.'),
  maxConnections: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .describe('Most connections to one port; beyond it the longest idle is closed for a new one.'),
  maxRequestBytes: z
    .int()
    .min(KIB)
    .max(GIB)
    .default(16 * MIB)
    .describe('Largest request body, in bytes, as it is sent.'),
  maxDecompressedBytes: z
    .int()
    .min(KIB)
    .max(GIB)
    .default(64 * MIB)
    .describe('Largest request body, in bytes, after decompression.'),
  maxInflightBytes: z
    .int()
    .min(KIB)
    .max(64 * GIB)
    .default(160 * MIB)
    .describe(
      'Most bytes of requests in flight, with what decoding them takes; senders are told to wait beyond it.',
    ),

  limits: z
    .strictObject({
      requestsPerSecond: perSecond,
      bytesPerSecond: perSecond,
      spansPerSecond: perSecond,
      thoughtsPerSecond: perSecond,
      subscriptions: atOnce,
      connections: atOnce,
    })
    .default({})
    .describe(
      'How much each key and each person may do that has no limits of its own: {"spansPerSecond": 2000, "subscriptions": 10}; also requestsPerSecond, bytesPerSecond, thoughtsPerSecond, connections (WebSockets at once). What is absent is not limited. Tokens of "auth" have no limits.',
    ),

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
      project: projectName.optional(),
    })
    .optional()
    .describe(
      'Joins a space of a gateway of MEW and observes it: {"url": "ws://127.0.0.1:8080", "space": "yard", "token": "…"}; also participant (its own name there), interrupts (agents are asked to stop by "cancel", or by "interrupt" of ADR r5x), and project, whose messages these are (the default one if it is left out).',
    ),

  people: peopleSchema
    .optional()
    .describe(
      'Lets people log in: {"url": "https://explain.example", "oidc": {"issuer": …, "clientId": …, "roles": {"GROUP": {"roles": ["analyst"], "project": …}}}, "ldap": {"url": "ldaps://…", "searchBase": …, "roles": …}}. Who is in none of the groups does not get in.',
    ),
  oidcClientSecret: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('The secret of "people.oidc.clientId", best given by the environment.'),
  ldapPassword: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('The password of "people.ldap.bindDn", best given by the environment.'),

  logLevel: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least severe level that is logged.'),
});

export type ConfigKey = keyof typeof configSchema.shape;

/** The effective configuration: complete, checked, frozen. `dataDir` is an absolute path. `auth` may be absent. */
export type ServiceConfig = DeepReadonly<z.output<typeof configSchema>>;

export const CONFIG_KEYS = Object.keys(configSchema.shape) as readonly ConfigKey[];

/** Keys whose values are never shown, neither in a problem nor by `describeConfig`. */
export const SECRET_KEYS: ReadonlySet<ConfigKey> = new Set<ConfigKey>([
  'auth',
  'forward',
  'mew',
  'interruptWebhook',
  'vaultKey',
  'summaryApiKey',
  'kafkaPassword',
  'oidcClientSecret',
  'ldapPassword',
]);
