import { fake, fakeHex, matching } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { isRandom } from '../validators.ts';
import { provider, randomProvider } from './provider.ts';

/** Keys and secret addresses of chats, mailers, telephony and social networks. */

/** The token begins with the account's number in base64: its first two digits make these. */
const DISCORD_HINTS = ['mt', 'nd', 'nt', 'nj', 'nz', 'od', 'ot'].flatMap((first) =>
  Array.from('aeimquycgk', (next) => first + next),
);

/** The scheme and the labels of the host in front of the hint. */
const BEFORE_HOST = /(?:https?:\/\/)?(?:[\w-]{1,63}\.){0,3}$/i;
const MAX_BEFORE_HOST = 8 + 3 * 64;

/** An address that is a secret: hidden from its scheme on. The patterns begin within the host. */
export function webhook(id: string, hints: readonly string[], pattern: RegExp, example: string): Rule {
  const rule = provider(id, hints, pattern, example);
  const find = (text: string, at: number): Span | undefined => {
    const span = rule.find(text, at);
    if (!span) return undefined;
    const before = BEFORE_HOST.exec(text.slice(Math.max(0, at - MAX_BEFORE_HOST), at))?.[0] ?? '';
    return { start: span.start - before.length, end: span.end };
  };
  const whole = `https://a.${example}`;
  const hits = [...rule.examples.hits, `to ⟦${whole}⟧ now`];
  return {
    ...rule,
    find: Object.assign(find, { isOpen: rule.find.isOpen }),
    examples: { ...rule.examples, hits },
  };
}

export const MESSAGING_PROVIDER_RULES: readonly Rule[] = [
  // https://docs.slack.dev/authentication/tokens
  // https://docs.slack.dev/authentication/using-token-rotation (xoxe)
  provider(
    'slack_token',
    [
      'xoxa-',
      'xoxb-',
      'xoxe-',
      'xoxo-',
      'xoxp-',
      'xoxr-',
      'xoxs-',
      'xoxc-',
      'xoxd-',
      'xoxe.',
      'xapp-',
      'xwfp-',
    ],
    /(?:xoxe\.xox[bp]-\d-[A-Za-z0-9]{30,300}|xox[a-ceo-s]-\d[A-Za-z0-9-]{9,300}|xoxd-[\w%+/=-]{20,400}|xapp-\d-[A-Za-z0-9-]{20,300}|xwfp-\d[A-Za-z0-9-]{10,300})/,
    `xoxb-${'1'.repeat(12)}-${fake(24)}`,
  ),
  // https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks: the address is the secret
  webhook(
    'slack_webhook',
    ['hooks.slack.com'],
    /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/_+-]{20,200}/,
    `hooks.slack.com/services/T${fake(10)}/B${fake(10)}/${fake(24)}`,
  ),
  // https://discord.com/developers/docs/resources/webhook
  webhook(
    'discord_webhook',
    ['discord.com', 'discordapp.com'],
    /discord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/[\w-]{30,100}/,
    `discord.com/api/webhooks/${'1'.repeat(18)}/${fake(68)}`,
  ),
  // https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook
  webhook(
    'teams_webhook',
    ['webhook.office.com'],
    /webhook\.office\.com\/webhookb2\/[A-Za-z0-9@/-]{40,300}/,
    `webhook.office.com/webhookb2/${fakeHex(36)}@${fakeHex(36)}`,
  ),
  // https://open.larksuite.com/document/client-docs/bot-v3/add-custom-bot
  webhook(
    'lark_webhook',
    ['open.feishu.cn', 'open.larksuite.com'],
    /open\.(?:feishu\.cn|larksuite\.com)\/open-apis\/bot\/v2\/hook\/[\w-]{20,64}/,
    `open.feishu.cn/open-apis/bot/v2/hook/${fakeHex(36)}`,
  ),
  // https://docs.aws.amazon.com/chime/latest/ug/webhooks.html
  webhook(
    'chime_webhook',
    ['hooks.chime.aws'],
    /hooks\.chime\.aws\/incomingwebhooks\/[\w-]{20,64}(?:\?token=[\w|=-]{20,200})?/,
    `hooks.chime.aws/incomingwebhooks/${fakeHex(36)}`,
  ),
  // https://openweathermap.org/appid: the key has the name of an id
  {
    id: 'openweather_key',
    kind: 'SECRET',
    hints: ['?appid=', '&appid='],
    find: matching(/[?&]appid=(?<v>[a-f0-9]{32})(?![a-z0-9])/i),
    examples: {
      hits: [`https://api.openweathermap.org/data/2.5/weather?q=Rome&appid=⟦${fakeHex(32)}⟧`],
      misses: ['https://openweathermap.org/appid', 'https://api.openweathermap.org/data?appid={key}'],
    },
  },
  // https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys
  provider('sendgrid_key', ['sg.'], /SG\.[\w-]{16,32}\.[\w-]{16,64}/, `SG.${fake(22)}.${fake(43)}`),
  provider('mailgun_key', ['key-'], /key-[a-f0-9]{32}(?![a-z0-9])/, `key-${fakeHex(32)}`),
  // https://www.twilio.com/docs/glossary/what-is-a-sid: the id of a key, which is half of a credential; AC… is an account and stays
  provider(
    'twilio_key',
    [
      'sk0',
      'sk1',
      'sk2',
      'sk3',
      'sk4',
      'sk5',
      'sk6',
      'sk7',
      'sk8',
      'sk9',
      'ska',
      'skb',
      'skc',
      'skd',
      'ske',
      'skf',
    ],
    /SK[a-f0-9]{32}(?![a-z0-9])/i,
    `SK${fakeHex(32)}`,
  ),
  provider(
    'brevo_key',
    ['xkeysib-', 'xsmtpsib-'],
    /x(?:keysib|smtpsib)-[a-f0-9]{64}-[A-Za-z0-9]{16}/,
    `xkeysib-${fakeHex(64)}-${fake(16)}`,
  ),
  // https://developers.facebook.com/docs/facebook-login/guides/access-tokens; tokens of Square begin so as well
  // (https://developer.squareup.com/docs/oauth-api/receive-and-manage-tokens)
  provider('facebook_token', ['eaa'], /EAA[A-Z][\w-]{41,300}/, `EAAJE${fake(80)}`),
  {
    // https://developers.facebook.com/docs/facebook-login/guides/access-tokens: an app's id and its secret, or 27 characters
    id: 'facebook_app_token',
    kind: 'SECRET',
    trigger: 'number',
    find: matching(
      /\d{14,18}(?:\||%7[cC]|\\u007[cC])(?<v>[a-f0-9]{32}|(?=[A-Za-z_-]{0,26}\d)[\w-]{27})(?![\w-])/,
      isRandom,
    ),
    examples: {
      hits: [
        `?access_token=123456789012345|⟦${fakeHex(32)}⟧&x=1`,
        `token 123456789012345|⟦${fake(27)}⟧ here`,
        `access_token=123456789012345%7C⟦${fakeHex(32)}⟧`,
      ],
      misses: [
        `| 123456789012345 | ${fakeHex(32)} |`,
        `1732659563123|${fakeHex(32)}`,
        `123456789012345|${fakeHex(40)}`,
        '123456789012345|some-ordinary-name-of-thing',
      ],
    },
  },
  provider('typeform_token', ['tfp_'], /tfp_[\w.=-]{40,80}/, `tfp_${fake(59)}`),
  // https://discord.com/developers/docs/reference#authentication
  provider(
    'discord_token',
    DISCORD_HINTS,
    /[MNO][A-Za-z\d]{22,27}\.[\w-]{6}\.[\w-]{27,40}/,
    `MTA${fake(21)}.${fake(6)}.${fake(38)}`,
  ),
  provider(
    'resend_key',
    ['re_'],
    /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,28}(?![\w])/,
    `re_${fake(8)}_${fake(24)}`,
  ),
  // https://github.com/matrix-org/synapse/pull/5588: the user in base64, twenty letters, a checksum
  provider(
    'matrix_token',
    ['syt_', 'syr_'],
    /sy[rt]_(?:[A-Za-z0-9+/=]{1,340}_)?[A-Za-z0-9]{20}_[A-Za-z0-9]{6}(?![\w])/,
    `syt_Ym90_${fake(20)}_${fake(6)}`,
  ),
  // https://open.dingtalk.com/document/robots/customize-robot-security-settings
  provider(
    'dingtalk_secret',
    Array.from('0123456789abcdef', (digit) => `sec${digit}`),
    /SEC[a-f0-9]{64}(?![A-Za-z0-9])/,
    `SEC${fakeHex(64)}`,
  ),
  // https://documentation.onesignal.com/docs/en/keys-and-ids
  provider(
    'onesignal_key',
    ['os_v2_app_', 'os_v2_org_'],
    /os_v2_(?:app|org)_[a-z0-9]{20,128}/,
    `os_v2_app_${fakeHex(103)}`,
  ),
  // https://mailchimp.com/developer/transactional/docs/fundamentals
  randomProvider(
    'mandrill_key',
    ['md-'],
    /md-(?=[A-Za-z_-]{0,21}\d)(?=[a-z\d_-]{0,21}[A-Z])[\w-]{22}(?![\w-])/,
    `md-${fake(22)}`,
  ),
  // Voiceflow's documentation of its API keys
  provider(
    'voiceflow_key',
    ['vf.dm.', 'vf.ws.'],
    /VF\.(?:DM|WS)\.[a-f0-9]{24}\.[A-Za-z0-9]{12,24}/,
    `VF.DM.${fakeHex(24)}.${fake(16)}`,
  ),
  // https://github.com/mailersend/mailersend-nodejs/blob/main/lefthook.yml
  provider('mailersend_key', ['mlsn.'], /mlsn\.[A-Za-z0-9]{40,80}/, `mlsn.${fakeHex(64)}`),
  provider(
    'mailersend_password',
    ['mssp.'],
    /mssp\.[A-Za-z0-9]{5,12}\.[A-Za-z0-9]{12,24}\.[A-Za-z0-9]{5,12}/,
    `mssp.${fake(7)}.${fakeHex(16)}.${fake(7)}`,
  ),
  provider('telnyx_key', ['key0'], /KEY0[A-F0-9]{31}_[A-Za-z0-9]{22}/i, `KEY0${fakeHex(31)}_${fake(22)}`),
  webhook(
    'zapier_webhook',
    ['hooks.zapier.com'],
    /hooks\.zapier\.com\/hooks\/(?:catch|standard)\/[\w/-]{8,80}/,
    `hooks.zapier.com/hooks/catch/123456/${fake(8)}/`,
  ),
  webhook(
    'make_webhook',
    ['hook.eu1.', 'hook.eu2.', 'hook.us1.', 'hook.us2.'],
    /hook\.[eu][us]\d\.make\.com\/[a-z0-9]{24,40}/,
    `hook.eu1.make.com/${fakeHex(32)}`,
  ),
  webhook(
    'ifttt_webhook',
    ['maker.ifttt.com'],
    /maker\.ifttt\.com\/(?:trigger\/[\w-]{1,64}\/(?:json\/)?with\/key|use)\/[\w-]{20,64}/,
    `maker.ifttt.com/use/${fake(43)}`,
  ),
  webhook(
    'google_chat_webhook',
    ['chat.googleapis.com'],
    /chat\.googleapis\.com\/v1\/spaces\/[\w-]{6,20}\/messages\?key=[\w-]{20,60}(?:&token=[\w%-]{20,80})?/,
    `chat.googleapis.com/v1/spaces/${fake(11)}/messages?key=${fake(39)}&token=${fake(43)}`,
  ),
  provider(
    'twitter_bearer',
    ['aaaaaaaaaaaaaaaaaaaa'],
    /A{20,24}[A-Za-z0-9%]{40,120}/,
    `${'A'.repeat(22)}${fake(80)}`,
  ),
  provider('instagram_token', ['igq', 'igaa'], /IG(?:QV|QW|AA)[\w-]{80,300}/, `IGQV${fake(120)}`),
  provider(
    'linkedin_secret',
    ['wpl_ap'],
    /WPL_AP\d\.[A-Za-z0-9]{12,24}\.[A-Za-z0-9+/=]{6,12}/,
    `WPL_AP1.${fake(16)}.${fake(8)}`,
  ),
  // https://firebase.google.com/docs/cloud-messaging/auth-server (legacy server keys)
  provider(
    'firebase_server_key',
    ['aaaa'],
    /AAAA[\w-]{7}:(?:APA91b)?[\w-]{120,160}/,
    `AAAA${fake(7)}:APA91b${fake(134)}`,
  ),
  // https://developers.pinterest.com/docs/developer-tools/token-debugger
  provider(
    'pinterest_token',
    ['pina_', 'pinr_'],
    /pin[ar]_(?=[A-Z]{0,39}\d)[A-Z0-9]{40,300}/,
    `pina_${'Q7XM'.repeat(20)}`,
  ),
];
