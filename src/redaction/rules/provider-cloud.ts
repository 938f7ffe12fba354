import { fake, fakeHex, matching, onlyWhere } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { FAKE_UUID, provider } from './provider.ts';

/** Keys of clouds, hosts, networks and secret stores. */

export const CLOUD_PROVIDER_RULES: readonly Rule[] = [
  // https://cloud.google.com/docs/authentication/api-keys: one format for public and secret ones, so all are hidden
  provider('google_api_key', ['aiza'], /AIza[\w-]{35}/, `AIza${fake(35)}`),
  // https://developers.google.com/identity/protocols/oauth2#size
  {
    ...provider(
      'google_oauth',
      ['gocspx-', 'ya29.', '1//0'],
      /GOCSPX-[\w-]{20,64}|ya29\.[\w.-]{20,2000}|1\/\/0[\w-]{30,200}/,
      `GOCSPX-${fake(28)}`,
    ),
    consumes: true,
  },
  // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-prefixes (the other ids are public)
  // https://github.com/awslabs/git-secrets (A3T)
  provider(
    'aws_access_key',
    ['akia', 'asia', 'abia', 'acca', 'a3t'],
    /(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])(?![A-Z0-9]{0,9}EXAMPLE)[A-Z0-9]{16}(?![A-Za-z0-9])/,
    `AKIA${'Q3EG'.repeat(4)}`,
  ),
  // https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_temp_use-resources.html: of no documented form; base64
  // of a protocol buffer whose first field reads `origin` or `aws`
  provider(
    'aws_session_token',
    ['iqojb3jpz2lu', 'agojb3jpz2lu', 'fwogzxivyxdz', 'fqogzxivyxdz', 'iqodyxdz'],
    /(?:IQoJb3JpZ2lu|AgoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz|IQoDYXdz)[A-Za-z0-9+/%]{80,4096}={0,2}/,
    `IQoJb3JpZ2lu${fake(200)}`,
  ),
  // https://developer-docs.amazon.com/sp-api: the older access of sellers
  provider(
    'amazon_mws_token',
    ['amzn.mws.'],
    /amzn\.mws\.[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}/,
    `amzn.mws.${FAKE_UUID}`,
  ),
  // https://techdocs.akamai.com/developer/docs/set-up-authentication-credentials
  provider(
    'akamai_token',
    ['akab-'],
    /akab-[a-z0-9]{16}-[a-z0-9]{16}(?!\.)/,
    `akab-${fakeHex(16)}-${fakeHex(16)}`,
  ),
  // https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html
  provider(
    'aws_bedrock_key',
    ['absk', 'bedrock-api-key-'],
    /ABSK[A-Za-z0-9+/]{60,300}={0,2}|bedrock-api-key-[A-Za-z0-9+/=]{20,2000}/,
    `ABSK${fake(120)}`,
  ),
  // https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html
  provider('aws_appsync_key', ['da2-'], /da2-[a-z0-9]{26}/, `da2-${fakeHex(26)}`),
  // https://docs.digitalocean.com/reference/api/create-personal-access-token
  provider(
    'digitalocean_token',
    ['dop_v1_', 'doo_v1_', 'dor_v1_', 'dos_v1_'],
    /do[oprs]_v1_[a-f0-9]{64}/,
    `dop_v1_${fakeHex(64)}`,
  ),
  // https://www.alibabacloud.com/help/en/ram/user-guide/create-an-accesskey-pair
  provider('alibaba_key', ['ltai'], /LTAI[A-Za-z0-9]{12,26}/, `LTAI${fake(20)}`),
  // https://yandex.cloud/en/docs/iam/concepts/authorization/iam-token
  provider(
    'yandex_key',
    ['aqvn', 't1.', 'y0_'],
    /AQVN[\w-]{35,38}|t1\.[A-Z0-9a-z_-]{20,300}=*\.[A-Z0-9a-z_-]{86}={0,2}|y0_[\w-]{55,64}/,
    `AQVN${fake(36)}`,
  ),
  // https://devcenter.heroku.com/changelog-items/3175
  provider('heroku_key', ['hrku-'], /HRKU-[\w-]{36,80}/, `HRKU-${fakeHex(36)}`),
  // https://fly.io/docs/security/tokens
  provider(
    'fly_token',
    ['fo1_', 'fm1_', 'fm2_', 'fm1r_', 'fm1a_'],
    /fo1_[\w-]{43}|fm(?:1[ar]?|2)_[A-Za-z0-9+/=]{60,1000}(?:,fm2_[A-Za-z0-9+/=]{60,1000}){0,4}/,
    `fo1_${fake(43)}`,
  ),
  provider(
    'netlify_token',
    ['nfp_', 'nfc_', 'nfo_', 'nfu_'],
    /nf[pcou]_[A-Za-z0-9]{36,64}/,
    `nfp_${fake(36)}`,
  ),
  // https://vercel.com/changelog/new-token-formats-and-secret-scanning
  // https://vercel.com/docs/vercel-blob (vercel_blob_rw_)
  provider(
    'vercel_token',
    ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_', 'vercel_blob_rw_'],
    /vc[piark]_[A-Za-z0-9]{24,80}|vercel_blob_rw_[A-Za-z0-9]{12,24}_[A-Za-z0-9]{24,64}/,
    `vcp_${fake(56)}`,
  ),
  provider('openshift_token', ['sha256~'], /sha256~[\w-]{43}/, `sha256~${fake(43)}`),
  // https://tailscale.com/docs/reference/key-prefixes
  provider(
    'tailscale_key',
    ['tskey-'],
    /tskey-(?:[a-z]{2,12}-)?[A-Za-z0-9]{6,40}(?:-[A-Za-z0-9]{10,64})?/,
    `tskey-auth-${fake(12)}CNTRL-${fake(32)}`,
  ),
  provider(
    'nebula_key',
    ['dnkey-'],
    /dnkey-[A-Za-z0-9_=-]{26}-[A-Za-z0-9_=-]{52}/,
    `dnkey-${fake(26)}-${fake(52)}`,
  ),
  // https://developer.hashicorp.com/vault/docs/concepts/tokens (older ones: rule vault_old_token)
  provider('vault_token', ['hvs.', 'hvb.', 'hvr.'], /hv[sbr]\.[\w-]{20,300}/, `hvs.${fake(90)}`),
  // https://docs.doppler.com/reference/api (the kinds)
  // https://docs.gitguardian.com/secrets-detection/secrets-detection-engine/detectors/specifics/doppler_apikey (their forms)
  provider(
    'doppler_token',
    ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.', 'dp.said.'],
    /dp\.(?:pt|st|ct|sa|scim|audit|said)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{38,48}/,
    `dp.pt.${fake(43)}`,
  ),
  // https://developer.1password.com/docs/service-accounts/security
  provider(
    'onepassword_token',
    ['ops_eyj', 'a3-'],
    /ops_eyJ[A-Za-z0-9+/=_-]{200,2000}|A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}/,
    `ops_eyJ${fake(250)}`,
  ),
  // https://github.com/C2SP/C2SP/blob/main/age.md
  provider(
    'age_key',
    ['age-secret-key-'],
    /AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,62}/,
    `AGE-SECRET-KEY-1${'Q7XM'.repeat(14)}AB`,
  ),
  // https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/nkey_auth
  provider(
    'nats_seed',
    ['sua', 'suc', 'saa', 'soa', 'sna'],
    /S[UAONC]A[A-Z2-7]{55}(?![A-Z2-7])/,
    `SUA${'Q7XM'.repeat(13)}ABC`,
  ),
  // https://ai.google.dev/gemini-api/docs/api-key
  provider('google_ai_key', ['aq.ab8'], /AQ\.Ab8[\w-]{40,80}/, `AQ.Ab8${fake(47)}`),
  // https://developers.cloudflare.com/fundamentals/api/get-started/ca-keys
  provider(
    'cloudflare_ca_key',
    ['v1.0-'],
    /v1\.0-[a-f0-9]{24}-[a-f0-9]{146}/,
    `v1.0-${fakeHex(24)}-${fakeHex(146)}`,
  ),
  // https://developers.cloudflare.com/fundamentals/api/get-started/token-formats
  provider('cloudflare_token', ['cfut_', 'cfat_', 'cfk_'], /cf(?:ut|at|k)_[\w-]{36,80}/, `cfut_${fake(48)}`),
  provider('tencent_key', ['akid'], /AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])/, `AKID${fake(32)}`),
  provider('volcengine_key', ['aklt'], /AKLT[A-Za-z0-9]{40,64}/, `AKLT${fake(43)}`),
  provider('render_key', ['rnd_'], /rnd_[A-Za-z0-9]{28,48}/, `rnd_${fake(32)}`),
  // https://neon.com/docs/manage/api-keys
  provider('neon_key', ['napi_'], /napi_[A-Za-z0-9]{48,80}/, `napi_${fakeHex(64)}`),
  provider('railway_token', ['railway_'], /railway_[A-Za-z0-9]{32,64}/, `railway_${fake(40)}`),
  provider('aiven_password', ['avns_'], /AVNS_[\w-]{19,24}/, `AVNS_${fake(19)}`),
  // https://ranchermanager.docs.rancher.com/reference-guides/user-settings/api-keys
  provider(
    'rancher_token',
    ['token-'],
    /token-[a-z0-9]{5}:[a-z0-9]{54}/,
    `token-${fakeHex(5)}:${fakeHex(54)}`,
  ),
  provider(
    'backblaze_key',
    ['k000', 'k001', 'k002', 'k003', 'k004', 'k005'],
    /K00[0-5][A-Za-z0-9/+]{27}(?![A-Za-z0-9/+])/,
    `K005${fake(27)}`,
  ),
  // https://www.cockroachlabs.com/docs/cockroachcloud/managing-access#api-access
  provider(
    'cockroach_key',
    ['ccdb1_'],
    /CCDB1_[A-Za-z0-9]{20,24}_[A-Za-z0-9]{40}/,
    `CCDB1_${fake(22)}_${fake(40)}`,
  ),
  // https://docs.k3s.io/cli/token: the hash of the authority, a name, a password
  provider(
    'k3s_token',
    ['k10'],
    /K10[a-f0-9]{64}::[\w.-]{1,32}:[\w.-]{6,128}/,
    `K10${fakeHex(64)}::server:${fakeHex(32)}`,
  ),
  // https://github.com/bitwarden/sdk-internal/blob/main/crates/bitwarden-core/src/auth/access_token.rs (the id stays)
  {
    id: 'bitwarden_token',
    kind: 'SECRET',
    trigger: 'hex-sign',
    find: onlyWhere(
      (text, at) =>
        text.startsWith('0.', at - 10) &&
        /(?:^|[^\w.])0\.[a-f\d]{8}$/.test(text.slice(Math.max(0, at - 11), at)),
      matching(/-(?:[a-f\d]{4}-){3}[a-f\d]{12}\.(?<v>[A-Za-z\d]{30}:[A-Za-z\d+/]{22}={0,2})/),
    ),
    examples: {
      hits: [`use 0.${FAKE_UUID}.⟦${fake(30)}:${fake(22)}==⟧ now`],
      misses: [`0.${FAKE_UUID}`, `10.${FAKE_UUID}.${fake(30)}:${fake(22)}==`, `0.${FAKE_UUID}.json:12`],
    },
  },
  // https://www.unkey.com/docs, https://github.com/unkeyed/unkey/blob/main/web/internal/keys/src/v1.ts: base58
  provider(
    'unkey_root_key',
    ['unkey_'],
    /unkey_[1-9A-HJ-NP-Za-km-z]{21,64}(?!\w)/,
    `unkey_3ZQ7XMk2${fake(7)}Q7XMk2z`,
  ),
  // https://zuplo.com/docs/concepts/api-keys
  provider(
    'zuplo_key',
    ['zpka_'],
    /zpka_[A-Za-z0-9]{24,64}_[a-f0-9]{6,16}(?![a-z0-9])/,
    `zpka_${fakeHex(32)}_${fakeHex(8)}`,
  ),
  // https://www.inngest.com/docs/platform/signing-keys
  provider(
    'inngest_key',
    ['signkey-'],
    /signkey-(?:prod|test|branch|staging)-[a-f0-9]{32,64}/,
    `signkey-prod-${fakeHex(64)}`,
  ),
  // https://docs.netbird.io/manage/public-api (of people)
  provider('netbird_token', ['nbp_'], /nbp_[A-Za-z0-9]{36}/, `nbp_${fake(36)}`),
  // https://docs.datastax.com/en/astra-db-serverless/administration/manage-application-tokens.html
  provider(
    'astra_token',
    ['astracs:'],
    /AstraCS:[A-Za-z0-9]{20,30}:[a-f0-9]{64}/,
    `AstraCS:${fake(24)}:${fakeHex(64)}`,
  ),
  // https://github.com/xataio/xata/blob/main/internal/api/key/key.go (of people and of organizations)
  provider('xata_key', ['xau_', 'xao_'], /xa[uo]_[A-Za-z0-9]{32,48}/, `xao_${fake(33)}`),
  // https://www.ory.com/docs/security-compliance/token-formats (the kinds); source of Ory Hydra
  provider(
    'ory_token',
    ['ory_'],
    /ory_(?:pat|wak|at|rt|ac|st|lo|apikey)_[\w.-]{20,512}/,
    `ory_at_${fake(43)}.${fake(43)}`,
  ),
  // https://www.rfc-editor.org/rfc/rfc8959: the scheme says so of any vendor's
  provider(
    'secret_token_uri',
    ['secret-token:'],
    /secret-token:(?=[^\s"'<>]{0,40}\d)[\w.~!$&'()*+,;=:@%-]{12,512}(?<![.,;:!'])/,
    `secret-token:${fake(40)}`,
  ),
  // https://cloud.baidu.com/doc/qianfan-api
  provider(
    'baidu_key',
    ['bce-v3/'],
    /bce-v3\/ALTAK-[A-Za-z0-9]{16,32}\/[a-f0-9]{40}/,
    `bce-v3/ALTAK-${fake(21)}/${fakeHex(40)}`,
  ),
  // https://trigger.dev/docs/apikeys, https://github.com/triggerdotdev/trigger.dev/blob/main/packages/core/src/v3/apiKeys.ts
  provider(
    'trigger_key',
    ['tr_dev_', 'tr_prod_', 'tr_stg_', 'tr_preview_', 'tr_pat_', 'tr_oat_'],
    /tr_(?:dev|prod|stg|preview|pat|oat)_(?:[as]k_)?[A-Za-z0-9]{20,48}/,
    `tr_preview_ak_${fake(24)}`,
  ),
  // Stytch's documentation of the credentials of a project (public-token- stays)
  provider(
    'stytch_secret',
    ['secret-live-', 'secret-test-'],
    /secret-(?:live|test)-[\w-]{36}=?/,
    `secret-live-${fake(36)}=`,
  ),
  provider('jumpcloud_key', ['jca_'], /jca_[A-Za-z0-9]{36,44}/, `jca_${fake(36)}`),
  provider('permit_key', ['permit_key_'], /permit_key_[A-Za-z0-9]{40,120}/, `permit_key_${fake(86)}`),
  provider('upcloud_token', ['ucat_'], /ucat_[A-Z0-9]{26}/, `ucat_${'Q7XM'.repeat(6)}AB`),
  provider(
    'infisical_token',
    ['st.'],
    /st\.[a-f0-9-]{24,36}\.[a-f0-9]{32}\.[a-f0-9]{32}/,
    `st.${fakeHex(24)}.${fakeHex(32)}.${fakeHex(32)}`,
  ),
  // ncp_iam_BPA… is an id and stays
  provider('ncloud_secret', ['ncp_iam_bpk'], /ncp_iam_BPK[A-Za-z0-9]{20,64}/, `ncp_iam_BPKMKR${fake(34)}`),
  // https://github.com/appwrite/appwrite
  provider('appwrite_key', ['standard_'], /standard_[a-f0-9]{256}/, `standard_${fakeHex(256)}`),
  // https://www.logicmonitor.com/support/rest-api-authentication
  provider(
    'logicmonitor_token',
    ['lmb_'],
    /lmb_(?=[A-Za-z]{0,40}\d)[A-Za-z0-9+/]{40,200}={0,2}/,
    `lmb_${fake(80)}`,
  ),
];
