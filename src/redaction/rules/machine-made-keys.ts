import { signsBefore, wordsBefore } from '../characters.ts';
import { fake, fakeHex, matching, onlyWhere } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { isPlaceholder, isRandom, isUuid } from '../validators.ts';
import { OF_WHAT, SIGN, VERB } from './announcement.ts';
import { isKeyMaterial, isMachineMade } from './secret-value.ts';

/** What a key is for, or whose it is, where that makes it a secret one. */
const IS_SECRET =
  /(?:^|[^\w-])(?:account|admin|consumer|deploy|encryption|ingest(?:ion)?|integration|licen[cs]e|master|private|service|signing|write) $/i;
/** Keys and tokens of tables, stores, pages and lists, and those that are shown to everybody. */
const IS_PUBLIC =
  /(?:public|publishable|anon|anonymous|site|primary|foreign|composite|partition|shard|sort|cache|idempotency|dedup\w{0,12}|routing|row|map|object|document|item|file|record|lookup|host|ssh|index|unique|group|hash|trace|s3|next|page|pagination|continuation|resume|sync)[ _-]?$/i;

const JOINED_KEYS = ['key: ', 'key:** ', 'key = ', 'key is ', 'key was '];
/** Where a value of another kind follows, the first word of it decides. */
const WHOLE_VALUE = String.raw`(?:${SIGN}(?:\*\*[ \t]{1,4})?|${VERB})["'\x60]?(?<v>[\w+=~-][\w+/=~-]{19,511})(?![\w+/=~-]|[.:][\w/])`;

/** Also in hex, but for the fingerprint of a public key as OpenPGP writes it. */
const isKeyMaterialOrHex = (value: string): boolean =>
  isKeyMaterial(value) ||
  (/^(?:[a-f\d]{32,128}|[A-F\d]{32,128})$/.test(value) &&
    !/^[A-F\d]{40}$/.test(value) &&
    isRandom(value) &&
    !isPlaceholder(value));

/** Nobody calls the keys of these by the name of the product that keeps them secret. */
const STORES = String.raw`Redis|Kafka|Dynamo\w*|Postgres\w*|My\w*|Mongo\w*|Cassandra|HBase|Memcached?|Rocks\w*|Level\w*|Git|SSH|GPG|PGP|JSON|YAML|React|Spark|Big\w*|Elastic\w*|Merkle|Object|Cache|Storage|The|This|That|Its|Our|Your|New|Old|Each|Every|Any|Same|Public|Primary|Foreign|Sort|Trace|Span|Next|Page|Sync|Resume|Idempotency|Account|Bucket|Build|Customer|Dedup\w*|Docker|Document|Entity|Entry|Event|File|Group|Hash|Image|Index|Invoice|Issue|Item|Job|Jira|Layer|Lock|Map|Message|Node|Order|Partition|Product|Project|Queue|Record|Request|Row|Run|Session|Shard|Step|Table|Task|Team|Tenant|Ticket|Topic|User`;
const OF_STORES = new RegExp(`(?:${STORES})$`);
/** A key, or the id that a service gives for one. */
const KEY_OF_SERVICE = String.raw`["'\x60]?(?<v>[\w-]{20,128})(?![\w/=+-]|[.:][\w/])`;
/** Services whose keys are hex or ids. */
const SERVICES =
  'airbrake|algolia|amplitude|appcenter|appdynamics|appsflyer|assemblyai|braze|bugsnag|cloudinary|codecov|coveralls|datadog|deepgram|fastly|giphy|heroku|honeybadger|honeycomb|infura|instabug|ipinfo|kakao|klaviyo|linode|logdna|loggly|mailjet|mapbox|mixpanel|newrelic|new relic|onesignal|openweather(?:map)?|opsgenie|pagerduty|papertrail|posthog|postmark|pubnub|pushover|pusher|raygun|rollbar|sendbird|sendgrid|sentry|shodan|snyk|spotify|statuspage|tmdb|todoist|twilio|virustotal|wandb';
/** `the Datadog key`, `my pushover token`: a name of its own in a sentence, or one of services whose keys are hex or ids. */
const OF_SERVICE = new RegExp(
  String.raw`(?:[a-z,;:(] ([A-Z][A-Za-z\d]{2,24})(?:['’]s)?|(?:^|[^\w-])(?:${SERVICES})(?:['’]s)?)(?: (?:api|access|auth|admin|secret|server|user|project|app|personal|account))? $`,
);

function isOfService(text: string, at: number): boolean {
  const found = OF_SERVICE.exec(wordsBefore(text, at, 64));
  return found !== null && (found[1] === undefined || !OF_STORES.test(found[1]));
}

/** Also an id, in the form of a UUID or in lower case. */
const isKeyOfService = (value: string): boolean => isMachineMade(value) || isUuid(value);

/** Keys that only a machine makes, behind any word for a key. */
export const MACHINE_MADE_KEY_RULES: readonly Rule[] = [
  {
    // A setting or a variable that has the name of the service alone
    id: 'named_by_service',
    kind: 'SECRET',
    hints: SERVICES.split('|').map((name) => name.replace('(?:map)?', '')),
    find: onlyWhere(
      (text, at) => !/[/@A-Za-z\d]$/.test(signsBefore(text, at)),
      matching(
        new RegExp(
          String.raw`(?:${SERVICES})(?:[_-]?(?:dev|live|prod|production|staging|test))?(?:["']\]?)?[ \t]{0,8}(?:=>|:?=|:)[ \t]{0,8}@?${KEY_OF_SERVICE}`,
          'i',
        ),
        isKeyOfService,
      ),
    ),
    examples: {
      hits: [
        `static let amplitude = "⟦${fakeHex(32)}⟧"`,
        '"opsgenie": "⟦7f3a91c0-4be2-4d86-a57f-3a91c04be2d8⟧"',
        `ROLLBAR_PROD=⟦${fakeHex(32)}⟧`,
      ],
      misses: [
        'sentry: "some-name-of-a-project-42"',
        `sentry/sentry: ${fakeHex(40)}`,
        'datadog: "https://api.datadoghq.example"',
        'mapbox = loadTheMapFromTheServer',
      ],
    },
  },
  {
    id: 'key_of_service',
    kind: 'SECRET',
    hints: ['key: ', 'key is ', 'key was ', 'key to ', 'token: ', 'token is ', 'token was ', 'token to '],
    find: onlyWhere(
      isOfService,
      matching(new RegExp(String.raw`(?:key|token)(?: (?:is|was|to)|:) ${KEY_OF_SERVICE}`), isKeyOfService),
    ),
    examples: {
      hits: [
        `I set the Datadog key to ⟦${fakeHex(32)}⟧ and it works`,
        'my pushover user key is ⟦n9csgj4m6tkmoughty26kfghgxtrq1⟧',
      ],
      misses: [
        `in the Redis key: ${fakeHex(32)}`,
        `The cache key is ${fakeHex(32)}`,
        'in the Table key is 7f3a91c0-4be2-4d86-a57f-3a91c04be2d8',
        `the Lock key is ${fakeHex(32)}`,
        'the trace token is 7f3a91c0-4be2-4d86-a57f-3a91c04be2d8',
      ],
    },
  },
  {
    id: 'key_for_service',
    kind: 'SECRET',
    hints: ['key for ', 'token for '],
    find: matching(
      new RegExp(
        String.raw`(?:[Kk]ey|[Tt]oken) for (?!(?:${STORES})(?:\W|$))[A-Z][\w.]{2,24}(?: is|:) ${KEY_OF_SERVICE}`,
      ),
      isKeyOfService,
    ),
    examples: {
      hits: ['The token for Snyk is ⟦7f3a91c0-4be2-4d86-a57f-3a91c04be2d8⟧.'],
      misses: [
        `the key for Redis is ${fakeHex(32)}`,
        'the token for Snyk is missing',
        `key for this: ${fakeHex(32)}`,
      ],
    },
  },
  {
    id: 'secret_key_of',
    kind: 'SECRET',
    hints: [...JOINED_KEYS, 'key for '],
    find: onlyWhere(
      (text, at) => IS_SECRET.test(text.slice(Math.max(0, at - 16), at)),
      matching(new RegExp(`key${OF_WHAT}${WHOLE_VALUE}`, 'iu'), isKeyMaterialOrHex),
    ),
    examples: {
      hits: [
        `algolia admin key: ⟦${fakeHex(32)}⟧`,
        `**Write key:** \`⟦${fake(30)}⟧\``,
        `the license key is ⟦${fake(30)}⟧.`,
        `the signing key for staging = ⟦${fake(30)}⟧`,
      ],
      misses: [
        'the signing key: 4AEE18F83AFDEB234AEE18F83AFDEB234AEE18F8',
        'private key: /etc/ssl/private/server.pem',
        'the admin key is missing',
        `public key: ${fakeHex(64)}`,
      ],
    },
  },
  {
    id: 'machine_made_key',
    kind: 'SECRET',
    hints: [...JOINED_KEYS, 'token is ', 'token was '],
    find: onlyWhere(
      (text, at) => !IS_PUBLIC.test(text.slice(Math.max(0, at - 24), at)),
      matching(new RegExp(`(?:key|token)${WHOLE_VALUE}`, 'i'), isKeyMaterial),
    ),
    examples: {
      hits: [`key: ⟦${fake(30)}⟧`, `the deploy token is ⟦${fake(30)}⟧.`],
      misses: [
        `key: ${fakeHex(32)}`,
        `partition key: ${fake(30)}`,
        `the next token is ${fake(30)}`,
        'key: ArrowDownKeyPressedHandler2',
        'the token is expired',
      ],
    },
  },
];
