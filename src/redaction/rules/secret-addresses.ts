import { fake, fakeHex, matching } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { UUID } from '../validators.ts';
import { FAKE_UUID } from './provider.ts';
import { webhook } from './provider-messaging.ts';

/** Addresses that are a key themselves: whoever has one may post, build or ask at somebody's expense. */

export const SECRET_ADDRESS_RULES: readonly Rule[] = [
  // https://docs.metamask.io/services/get-started/endpoints, https://www.alchemy.com/docs/create-an-api-key
  // https://www.quicknode.com/docs/ethereum/endpoints, Ankr's documentation of its RPC service
  // https://docs.chainstack.com/docs/manage-your-node, https://docs.getblock.io/getting-started/authentication-with-access-tokens
  webhook(
    'blockchain_endpoint',
    [
      'infura.io',
      'g.alchemy.com',
      'alchemyapi.io',
      'quiknode.pro',
      'rpc.ankr.com',
      'p2pify.com',
      'chainstack.com',
      'getblock.io',
      'blastapi.io',
    ],
    new RegExp(
      String.raw`(?:infura\.io\/(?:ws\/)?v3\/[a-f0-9]{32}|(?:g\.alchemy\.com|alchemyapi\.io)\/(?:nft\/)?v[23]\/[\w-]{20,64}|quiknode\.pro\/[a-f0-9]{32,64}|rpc\.ankr\.com\/(?:\w{2,32}\/){1,3}[a-f0-9]{64}|(?:p2pify|chainstack)\.com\/[a-f0-9]{32}|getblock\.io\/(?:[\w-]{2,32}\/){0,3}[a-f0-9]{32}|blastapi\.io\/${UUID})(?![\w-])`,
      'i',
    ),
    `infura.io/v3/${fakeHex(32)}`,
  ),
  // https://documentation.solarwinds.com/en/success_center/loggly, https://help.sumologic.com/docs/send-data/hosted-collectors/http-source
  webhook(
    'log_collector',
    ['loggly.com', 'sumologic.com'],
    new RegExp(
      String.raw`(?:loggly\.com\/(?:inputs|bulk)\/${UUID}|sumologic\.com\/receiver\/v1\/http\/[\w+/=-]{40,200})`,
      'i',
    ),
    `loggly.com/inputs/${FAKE_UUID}`,
  ),
  // https://vercel.com/docs/deploy-hooks, https://docs.netlify.com/build/configure-builds/build-hooks
  // https://render.com/docs/deploy-hooks, https://developers.cloudflare.com/pages/configuration/deploy-hooks
  webhook(
    'deploy_hook',
    ['vercel.com/v1', 'netlify.com/build', 'render.com/deploy', 'cloudflare.com/client'],
    new RegExp(
      String.raw`(?:vercel\.com\/v1\/integrations\/deploy\/prj_\w{16,64}\/\w{6,32}|netlify\.com\/build_hooks\/[a-f0-9]{24}|render\.com\/deploy\/srv-[a-z0-9]{16,32}\?key=[\w-]{8,32}|cloudflare\.com\/client\/v4\/pages\/webhooks\/deploy_hooks\/${UUID})`,
      'i',
    ),
    `netlify.com/build_hooks/${fakeHex(24)}`,
  ),
  // https://healthchecks.io/docs/http_api, https://betterstack.com/docs/uptime/cron-and-heartbeat-monitor
  // https://deadmanssnitch.com/docs, https://cronitor.io/docs/telemetry-api
  webhook(
    'heartbeat_address',
    ['hc-ping.com', 'betterstack.com', 'nosnch.in', 'cronitor.link'],
    new RegExp(
      String.raw`(?:hc-ping\.com\/(?:${UUID}|[\w-]{22}\/)|betterstack\.com\/api\/v1\/heartbeat\/\w{16,32}|nosnch\.in\/[a-f0-9]{10}|cronitor\.link\/p\/[a-f0-9]{32})`,
      'i',
    ),
    `hc-ping.com/${FAKE_UUID}`,
  ),
  // https://apphub.webex.com/applications/incoming-webhooks-cisco-systems-38054-23307-75252
  // https://support.atlassian.com/cloud-automation/docs/configure-the-incoming-webhook-trigger-in-atlassian-automation
  // https://support.pagerduty.com/main/docs/services-and-integrations, https://docs.workato.com/connectors/workato-webhooks.html
  // https://help.victorops.com/knowledge-base/rest-endpoint-integration-guide, https://sct.ftqq.com
  webhook(
    'alert_webhook',
    [
      'webexapis.com',
      'atlassian.com/pro',
      'pagerduty.com',
      'workato.com',
      'victorops.com',
      'airtable.com/workflows',
      'sctapi.ftqq.com',
      'qyapi.weixin.qq.com',
    ],
    new RegExp(
      String.raw`(?:webexapis\.com\/v1\/webhooks\/incoming\/[\w-]{60,120}|atlassian\.com\/pro\/hooks\/[a-f0-9]{40}|pagerduty\.com\/(?:integration|x-ere)\/[a-z0-9]{32}|workato\.com\/webhooks\/rest\/${UUID}|victorops\.com\/integrations\/generic\/\d{1,12}\/alert\/${UUID}|airtable\.com\/workflows\/v1\/genericWebhook\/\w{10,24}\/\w{10,24}\/\w{10,24}|sctapi\.ftqq\.com\/SCT\w{16,64}|qyapi\.weixin\.qq\.com\/cgi-bin\/webhook\/send\?key=${UUID})`,
      'i',
    ),
    `atlassian.com/pro/hooks/${fakeHex(40)}`,
  ),
  {
    // https://developers.mattermost.com/integrate/webhooks/incoming, https://docs.rocket.chat/docs/integrations: on hosts of any name
    id: 'chat_hook',
    kind: 'SECRET',
    hints: ['/hooks/'],
    find: matching(
      /\/hooks\/(?<v>(?=[a-z]{0,25}\d)(?=[a-f\d]{0,25}[g-z])[a-z0-9]{26}|(?=[A-Za-z]{0,23}\d)[A-Za-z0-9]{17,24}\/[A-Za-z0-9]{32,64})(?![\w/-])/,
    ),
    examples: {
      hits: [
        'https://chat.example/hooks/⟦k7qz2mxw9rtb4vhn8lcy3sdf6g⟧',
        `https://chat.example/hooks/⟦${fakeHex(24)}/${fake(43)}⟧`,
      ],
      misses: [
        'src/hooks/abcdefghijklmnopqrstuvwxyz',
        'src/hooks/useSomethingVeryLongIndeed',
        'https://chat.example/hooks/pre-commit',
        `https://ci.example/hooks/${fakeHex(26)}`,
      ],
    },
  },
];
