import { wordsBefore } from '../characters.ts';
import { matchAt } from '../match-at.ts';
import { decidedBy, fake, fakeHex, listOf, matching, onlyWhere } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { isUuid } from '../validators.ts';
import { isKeyMaterial, isMachineMade } from './secret-value.ts';

/** Keys that programs and commands hand to a client without a name for them: by the place in the call or the line. */

/** In quotes, or a name. */
const ITEM = String.raw`\s{0,8}(?:(?:(?:api|auth|access|write)?_?(?:key|token)|secret)\s?[=:]\s?)?(?:\\{0,4}["'\x60][\w+/=.~:-]{1,256}\\{0,4}["'\x60]|[A-Za-z_$][\w.$]{0,63})\s{0,8}`;
const MAX_ITEMS = 6;
const ITEMS = new RegExp(`${ITEM}(?:,${ITEM}){0,${MAX_ITEMS - 1}}(?=[,)])`, 'y');
const VALUE = /["'\x60]([\w+/=.~:-]{20,256})(?=\\{0,4}["'\x60])/g;

/** The name up to the bracket says that a client is made, set up or logged in. */
const IS_CLIENT = /(?:Client|Api|API|SDK|Sdk|Service|Provider|Session|Connection)$/;
const MAKES_CLIENT =
  /Credentials\.create$|(?:^|[^\w])(?:client|new|connect|log_?in|authenticate|authorize|auth|init(?:iali[sz]e)?|setup|configure|with_?credentials?)$/i;
const IS_NEW = /[.:]new$/i;
const CONNECTS = /(?:^|[^\w])(?:re)?connect$/i;
/** Of vendors' own manuals: constructors that have the name of the vendor alone. */
const IS_VENDOR =
  /(?:^|[^\w])(?:algoliasearch|Anthropic|Airtable|Cohere|DeepL|Duffel|Exa|Groq|Mailchimp|Mailgun|Mistral(?:AI)?|Mixpanel|Nylas|OpenAI|Pinecone|Plaid|Postmark|Pusher|Replicate|Resend|SendGrid|Shippo|Stripe|Together|Translator|Twilio|twilio|Vonage|Voyage)$/;
/** What is made of something that looks so, and is no client: hashes, ids, addresses, texts in code. */
const OTHER =
  /(?:Address|Blob|Buffer|Builder|Bytes|Checksum|Color|Commit|Contract|Cursor|Date|Digest|Error|Exception|File|Fingerprint|Guid|Hash|Id|ID|Image|Integrity|Key|Md5|Path|Pubkey|RegExp|Ref|Script|Sha\d*|SHA\d*|Signature|String|Text|Transaction|Tx|Uri|URI|Url|URL|Uuid|UUID|Version|View|Wallet)$/;
const CALL = /[\w.:]{1,64}$/;
const LOOKED_BACK = 80;

/** The call up to its bracket, from within its name on. */
const REST_OF_NAME = /\.?[\w.!]{0,40}\(/y;

/** From the first to the last of the arguments that only a machine makes. */
function findKeysOfClient(text: string, at: number): Span | undefined {
  const open = matchAt(REST_OF_NAME, text, at);
  if (!open) return undefined;
  const from = at + open[0].length;
  const items = matchAt(ITEMS, text, from)?.[0];
  if (items === undefined) return undefined;
  const call = wordsBefore(text, from - 1, LOOKED_BACK + open[0].length - 1);
  const name = CALL.exec(call)?.[0].replace(/[.:]{1,2}new$/i, '') ?? '';
  const isMade = IS_CLIENT.test(call) || MAKES_CLIENT.test(call) || IS_VENDOR.test(call);
  if (OTHER.test(name) || !isMade) return undefined;
  // Of anything: objects are also made of their hashes, and something connects to what an id names.
  const isOfAnything = (IS_NEW.test(call) && !IS_CLIENT.test(name)) || CONNECTS.test(name);
  const isKey = isOfAnything ? isKeyMaterial : isMachineMade;
  let span: Span | undefined;
  for (const { 1: value = '', index } of items.matchAll(VALUE)) {
    if (!isKey(value)) continue;
    const start = from + index + 1;
    span = { start: span?.start ?? start, end: start + value.length };
  }
  return span;
}

const CALL_PATTERN = new RegExp(
  String.raw`\.?[\w.!]{0,40}(?:\((?:${ITEM}(?:,${ITEM}){0,${MAX_ITEMS - 1}}[,)]?)?)?`,
);

/** What a tool takes behind its word for logging in, by its manual. */
const LOGIN_OF_TOOL =
  /(?<![\w.,:/@\\-])(?!(?:a|after|an|before|client|each|every|failed|first|last|new|no|old|request|server|session|the|that|this|user) )[a-z][\w.-]{1,24} (?:[a-z][a-z-]{1,16} ){0,2}$/;
/** Tools that log in with an id for a token. */
const TAKES_UUID =
  /(?:^|[^\w-])(?:snyk|codacy|semgrep|heroku|ngrok|railway|render)[\w.-]{0,8} (?:[a-z-]{1,16} ){0,2}$/;

function isLoginOfTool(text: string, at: number): boolean {
  return LOGIN_OF_TOOL.test(wordsBefore(text, at, 64));
}

/** An argument of a command, behind which a sentence, a command or a quotation may end. */
const ENDS_ARGUMENT = String.raw`(?![\w+/=~@-]|[.:][\w/])`;
const ARGUMENT = String.raw`["']?(?<v>[\w+/=.~-]{19,511}[\w+/=~-])${ENDS_ARGUMENT}`;
const LOGIN_ARGUMENT = matching(
  new RegExp(
    `(?:login|auth|authtoken|add-authtoken|authenticate|activate|enroll|service install) ${ARGUMENT}`,
  ),
  isMachineMade,
);
const LOGIN_UUID = matching(
  new RegExp(String.raw`(?:login|auth) ["']?(?<v>[a-f\d-]{36})${ENDS_ARGUMENT}`, 'i'),
  isUuid,
);

/** Names of keys that are shown, or of no secrets at all. */
const PUBLIC_FLAG =
  /(?:public|publishable|ssh|host|sort|partition|primary|foreign|cache|row|map|object|file|index|group|hash|range|routing|idempotency|unique|join|order|s3|kms|image|label|data|dedup|dedupe|event|item|job|lock|message|record|task)-?$/i;

export const CLIENT_KEY_RULES: readonly Rule[] = [
  {
    // A client is made of a key: https://docs.cohere.com, https://docs.mistral.ai, https://www.algolia.com/doc,
    // https://www.twilio.com/docs/libraries, https://github.com/ovh/go-ovh, https://python-binance.readthedocs.io
    id: 'key_of_client',
    kind: 'SECRET',
    hints: listOf(
      'client(|api(|sdk(|session(|.new(|connect(|login(|configure(|init(|initialize(|credentials.create(',
      'authenticate(|algoliasearch(|mistral|openai(|twilio(|stripe(|sendgrid(|deepl|groq(|cohere(',
      'replicate(|resend(|plaid(|mixpanel(',
    ),
    find: decidedBy(CALL_PATTERN, findKeysOfClient),
    examples: {
      hits: [
        `co = cohere.Client("⟦${fake(40)}⟧")`,
        `ovh.NewClient("ovh-eu", "app", "⟦${fakeHex(32)}", "${fakeHex(32)}⟧")`,
        `algoliasearch('Q7XMQ7XMQ7', '⟦${fakeHex(32)}⟧')`,
        `const mail = new PostcardClient("⟦${fake(32)}⟧");`,
        `wandb.login(key='⟦${fakeHex(40)}⟧')`,
        `Amplitude.getInstance().init("⟦${fakeHex(32)}⟧")`,
        `messagebird.New("⟦${fake(25)}⟧")`,
      ],
      misses: [
        `Commit.new("${fakeHex(40)}")`,
        `Tree.new("${fakeHex(40)}")`,
        `new CommitApi("main", sha)`,
        `PublicKey.new("${fake(44)}")`,
        `new Widget("${fakeHex(40)}")`,
        'new Client("https://api.example.com/v1/some/long/path2")',
        'Client(token)',
        `init(hash="${fakeHex(32)}")`,
        `ApiClient("7f3a91c0-4be2-4d86-a57f-3a91c04be2d8")`,
        'openai("gpt-4.1-mini-2025-04-14")',
        `getClient(id).load("${fakeHex(32)}")`,
      ],
    },
  },
  {
    // https://docs.wandb.ai/ref/cli/wandb-login, https://ngrok.com/docs/agent/config, https://docs.snyk.io/cli-ide-and-ci-cd-integrations/snyk-cli/commands/auth
    id: 'login_argument',
    kind: 'SECRET',
    hints: [
      'login ',
      'auth ',
      'authtoken ',
      'add-authtoken ',
      'authenticate ',
      'activate ',
      'enroll ',
      'service install ',
    ],
    wordStart: true,
    find: onlyWhere(isLoginOfTool, LOGIN_ARGUMENT),
    examples: {
      hits: [
        `wandb login ⟦${fakeHex(40)}⟧`,
        `ngrok config add-authtoken ⟦${fake(49)}⟧`,
        `cloudflared service install ⟦${fake(120)}⟧`,
      ],
      misses: [
        `failed: user auth ${fakeHex(32)}`,
        'the login 7f3a91c0-4be2-4d86-a57f-3a91c04be2d8 was slow',
        'az login --tenant 7f3a91c0-4be2-4d86-a57f-3a91c04be2d8',
        'tool login deployment-environment-production',
      ],
    },
  },
  {
    // https://docs.snyk.io/cli-ide-and-ci-cd-integrations/snyk-cli/commands/auth
    id: 'login_uuid',
    kind: 'SECRET',
    hints: ['login ', 'auth '],
    wordStart: true,
    find: onlyWhere((text, at) => TAKES_UUID.test(wordsBefore(text, at, 64)), LOGIN_UUID),
    examples: {
      hits: ['snyk auth ⟦7f3a91c0-4be2-4d86-a57f-3a91c04be2d8⟧'],
      misses: ['request auth 7f3a91c0-4be2-4d86-a57f-3a91c04be2d8', 'snyk auth --help'],
    },
  },
  {
    // `--authkey`, `--signing-key`: a flag for a key, where a machine made it
    id: 'key_of_flag',
    kind: 'SECRET',
    hints: ['-key=', '-key ', 'authkey=', 'authkey ', '-auth=', '-auth '],
    find: onlyWhere(
      (text, at) => {
        const before = text.slice(Math.max(0, at - 40), at);
        return /(?:^|[\s"'])-{1,2}(?:[a-z][a-z-]{0,32})?$/i.test(before) && !PUBLIC_FLAG.test(before);
      },
      matching(
        new RegExp(`(?:-key|authkey|-auth)[= ]${ARGUMENT}`, 'i'),
        (value) => isMachineMade(value) || isUuid(value),
      ),
    ),
    examples: {
      hits: [`tool up --authkey=⟦${fake(40)}⟧`, `tool --signing-key ⟦${fakeHex(64)}⟧`],
      misses: [
        `tool --ssh-key ${fake(40)}`,
        `tool --partition-key ${fakeHex(32)}`,
        'tool --key ./certs/server-2024-key.pem',
        'tool --idempotency-key 7f3a91c0-4be2-4d86-a57f-3a91c04be2d8',
      ],
    },
  },
  {
    // https://docs.stripe.com/api/authentication, https://developer.mixpanel.com/reference/project-secret: a key for the
    // user, and no password, or a word that says nothing
    id: 'key_for_user',
    kind: 'SECRET',
    hints: ['-u ', '--user ', '--user=', 'auth=(', 'basicauth('],
    find: matching(
      /(?:-u|--user)[ =]["']?(?<v>[\w.=-]{16,512})(?=:(?:x|api_?token|api_?key|unused|x-oauth-basic)?(?:["'\s\\]|$))|(?:auth=|basicauth)\(\s{0,8}["'](?<v>[\w.=-]{16,512})(?=["'],\s{0,4}["'](?:x|api_?token|unused)?["'])/i,
      (value) => value.split(/[-_.]/).some(isMachineMade),
    ),
    examples: {
      hits: [
        `curl -u ⟦${fakeHex(32)}⟧: https://api.example`,
        `curl --user "⟦${fake(24)}⟧:x" https://api.example`,
        `requests.get(url, auth=("⟦${fake(24)}⟧", ""))`,
      ],
      misses: ['sort -u some-long-name-of-a-file:', 'docker run -u 1000:1000', `git log -u ${fakeHex(40)}`],
    },
  },
  {
    // https://curl.se/docs/manpage.html#-H: a header whose name says no more, as of https://docs.abuseipdb.com
    id: 'key_header',
    kind: 'SECRET',
    hints: ['"key: ', "'key: "],
    find: matching(/["']key: (?<v>[\w+/=-]{20,512})(?=["'])/i, isMachineMade),
    examples: {
      hits: [`curl -H "Key: ⟦${fakeHex(80)}⟧" https://api.example`],
      misses: ['"key: value"', "'key: some-name-of-a-header'"],
    },
  },
];
