import { wordsBefore } from '../characters.ts';
import { decidedBy, fake, fakeHex, matching, onlyWhere, WITHIN_WORD } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { isRandom } from '../validators.ts';
import { FAKE_UUID, provider, randomProvider } from './provider.ts';

/** Keys of databases, observability and office services. */

/** Eleven characters, ten `A` and 43 more. `at` is the first `A`. */
function findDropbox(text: string, at: number): Span | undefined {
  const match = /^A{10}[\w-]{43}(?![\w-])/.exec(text.slice(at, at + 54));
  if (!match || !isRandom(match[0])) return undefined;
  return { start: at - 11, end: at + match[0].length };
}

/** Any sign may follow the first two; vowels begin words. */
const SANITY_HINTS = Array.from('bcdfghjkmnpqrstvwxz0123456789', (sign) => `sk${sign}`);

export const DATA_PROVIDER_RULES: readonly Rule[] = [
  // https://linear.app/developers/graphql
  provider(
    'linear_key',
    ['lin_api_', 'lin_oauth_', 'lin_wh_'],
    /lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,128}/,
    `lin_api_${fake(40)}`,
  ),
  // https://developers.notion.com/page/changelog (ntn_ since 2024)
  provider(
    'notion_token',
    ['ntn_', 'secret_'],
    /ntn_[A-Za-z0-9]{46,64}|secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])/,
    `ntn_${fake(46)}`,
  ),
  // https://developers.figma.com/docs/rest-api/authentication
  provider('figma_token', ['figd_', 'figo_', 'figu_'], /fig[dou]h?_[\w-]{20,128}/, `figd_${fake(40)}`),
  // https://docs.aws.amazon.com/secretsmanager/latest/userguide/mes-partner-DatabricksPAT.html
  provider('databricks_token', ['dapi'], /dapi[a-f0-9]{32}(?:-\d)?/, `dapi${fakeHex(32)}`),
  // https://grafana.com/docs/grafana/latest/administration/service-accounts
  provider(
    'grafana_token',
    ['glsa_', 'glc_'],
    /glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,400}/,
    `glsa_${fake(32)}_${fakeHex(8)}`,
  ),
  // https://planetscale.com/docs/api/service-tokens
  provider(
    'planetscale_token',
    ['pscale_'],
    /pscale_(?:tkn|pw|oauth|pass)_[\w.=-]{20,128}/,
    `pscale_tkn_${fake(43)}`,
  ),
  // https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys
  provider(
    'newrelic_key',
    ['nrak-', 'nrjs-', 'nrii-', 'nral-', 'nriq-', 'nrra-'],
    /NR(?:AK|JS|II|AL|IQ|RA)-[A-Za-z0-9-]{19,64}/,
    `NRAK-${'Q7XM'.repeat(7)}`,
  ),
  // https://www.dropbox.com/developers/reference/oauth-guide
  provider('dropbox_token', ['sl.'], /sl\.(?:[a-z]\.)?[\w-]{120,2000}/, `sl.u.${fake(140)}`),
  // https://docs.aws.amazon.com/secretsmanager/latest/userguide/mes-partner-DatadogApplicationKey.html
  provider('datadog_key', ['ddapp_'], /ddapp_[A-Za-z0-9]{34}/, `ddapp_${fake(34)}`),
  provider('frameio_token', ['fio-u-'], /fio-u-[\w=-]{64}/, `fio-u-${fake(64)}`),
  provider('readme_key', ['rdme_'], /rdme_[a-z0-9]{70}/, `rdme_${fakeHex(70)}`),
  provider('prefect_key', ['pnu_', 'pnb_'], /pn[ub]_[A-Za-z0-9]{36}/, `pnu_${fakeHex(36)}`),
  // https://www.contentful.com/developers/docs/references/authentication
  provider('contentful_token', ['cfpat-'], /CFPAT-[\w-]{43}/, `CFPAT-${fake(43)}`),
  // https://docs.dynatrace.com/docs/manage/identity-access-management/access-tokens-and-oauth-clients/access-tokens (the part before the second dot is public)
  provider(
    'dynatrace_token',
    ['dt0c01.', 'dt0s01.', 'dt0s16.'],
    /dt0[cs]\d\d\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}/i,
    `dt0c01.${'Q7XM'.repeat(6)}.${'Q7XM'.repeat(16)}`,
  ),
  // https://developers.hubspot.com/docs/apps/legacy-apps/private-apps/overview
  provider(
    'hubspot_token',
    ['pat-na', 'pat-eu', 'pat-ap'],
    /pat-(?:na|eu|ap)\d-[a-f0-9-]{36}/i,
    `pat-na1-${fakeHex(36)}`,
  ),
  // https://supabase.com/docs/guides/api/api-keys (sb_publishable_ stays)
  provider(
    'supabase_key',
    ['sbp_', 'sb_secret_'],
    /sbp_(?:v0_)?[a-f0-9]{40}|sb_secret_[\w-]{20,64}/,
    `sbp_${fakeHex(40)}`,
  ),
  // https://docs.mapbox.com/api/accounts/tokens/#token-format (pk. is public and stays)
  provider(
    'mapbox_token',
    ['sk.eyj', 'tk.eyj'],
    /[st]k\.eyJ[\w-]{40,2000}\.[\w-]{20,40}/,
    `sk.eyJ${fake(80)}.${fake(22)}`,
  ),
  // https://airtable.com/developers/web/guides/personal-access-tokens
  provider('airtable_token', ['pat'], /pat[A-Za-z0-9]{14}\.[a-f0-9]{64}/, `pat${fake(14)}.${fakeHex(64)}`),
  provider(
    'settlemint_token',
    ['sm_aat_', 'sm_pat_', 'sm_sat_'],
    /sm_[aps]at_[A-Za-z0-9]{16,32}/,
    `sm_pat_${fake(16)}`,
  ),
  // https://posthog.com/docs/api (phc_ is public and stays)
  // https://github.com/PostHog/posthog/blob/master/posthog/auth.py (pha_, phr_)
  provider('posthog_key', ['phx_', 'phs_', 'pha_', 'phr_'], /ph[xsar]_[A-Za-z0-9]{40,64}/, `phx_${fake(43)}`),
  // https://docs.honeycomb.io/configure/environments/manage-api-keys
  provider(
    'honeycomb_key',
    ['hcaik_', 'hcaic_', 'hcxik_', 'hcxmk_', 'hcamk_'],
    /hc[a-z](?:(?:ik|ic|mk|lk)_[a-z0-9]{50,64}|mk_[a-z0-9]{26}:[A-Za-z0-9]{32})/,
    `hcaik_${fakeHex(58)}`,
  ),
  // https://axiom.co/docs/reference/tokens
  provider(
    'axiom_token',
    ['xaat-', 'xapt-'],
    /xa[ap]t-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}/,
    `xaat-${FAKE_UUID}`,
  ),
  provider('grafana_key', ['eyjrijoi'], /eyJrIjoi[\w+/=-]{60,400}/, `eyJrIjoi${fake(80)}`),
  // https://www.mongodb.com/docs/atlas/configure-api-access (mdb_sa_id_ is an id and stays)
  provider('atlas_secret', ['mdb_sa_sk_'], /mdb_sa_sk_[\w-]{36,64}/, `mdb_sa_sk_${fake(40)}`),
  provider('dbt_token', ['dbtc_', 'dbtu_', 'dbts_'], /dbt[cus]_[\w-]{32,80}/, `dbtc_${fake(42)}`),
  provider('tinybird_token', ['p.eyj'], /p\.eyJ[\w-]{20,300}\.[\w-]{20,100}/, `p.eyJ${fake(80)}.${fake(43)}`),
  provider('clickup_token', ['pk_'], /pk_\d{5,12}_[A-Z0-9]{32}/, `pk_12345678_${'Q7XM'.repeat(8)}`),
  provider('klaviyo_key', ['pk_'], /pk_[a-f0-9]{34}(?![a-z0-9])/, `pk_${fakeHex(34)}`),
  provider('trello_token', ['atta'], /ATTA[a-f0-9]{64,72}/, `ATTA${fakeHex(72)}`),
  provider(
    'salesforce_session',
    ['00d'],
    /00D[A-Za-z0-9]{12,15}![\w.]{80,120}/,
    `00D${fake(12)}!${fake(96)}`,
  ),
  provider('pubnub_key', ['sec-c-'], /sec-c-[A-Za-z0-9]{40,64}/, `sec-c-${fake(48)}`),
  // https://developer.okta.com/docs/reference/core-okta-api/#authentication
  provider('okta_token', ['ssws '], /SSWS 00[\w-]{38,42}/i, `SSWS 00${fake(40)}`),
  provider(
    'riot_key',
    ['rgapi-'],
    /RGAPI-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}/i,
    `RGAPI-${FAKE_UUID}`,
  ),
  provider('sanity_token', SANITY_HINTS, /sk[A-Za-z0-9]{80,180}(?![A-Za-z0-9])/, `skR${fake(140)}`),
  // https://docs.segmentapis.com/tag/Getting-Started
  provider('segment_token', ['sgp_'], /sgp_[A-Za-z0-9]{64}/, `sgp_${fake(64)}`),
  // https://www.zoho.com/accounts/protocol/oauth/web-apps/access-token-expiry.html
  provider(
    'zoho_token',
    ['1000.'],
    /1000\.[a-f0-9]{32}\.[a-f0-9]{32}(?![\w])/,
    `1000.${fakeHex(32)}.${fakeHex(32)}`,
  ),
  // https://io.adafruit.com/api/docs/#authentication
  provider('adafruit_key', ['aio_'], /aio_[A-Za-z0-9]{28}(?![A-Za-z0-9])/, `aio_${fake(28)}`),
  // https://www.canva.dev/docs/connect/authentication
  provider('canva_secret', ['cnvca'], /cnvca[\w-]{40,64}/, `cnvca${fake(51)}`),
  // https://www.elastic.co/docs/deploy-manage/api-keys/elastic-cloud-api-keys
  provider(
    'elastic_cloud_key',
    ['essu_', 'essa_', 'esso_'],
    /ess[uao]_[A-Za-z0-9+/]{60,200}={0,2}/,
    `essu_${fake(90)}`,
  ),
  // https://docs.databricks.com/aws/en/dev-tools/auth/oauth-m2m: secrets of service principals
  provider('databricks_secret', ['dose'], /dose[a-f0-9]{32}(?![a-z0-9])/, `dose${fakeHex(32)}`),
  provider('coralogix_key', ['cxtp_', 'cxup_'], /cx[tu]p_[A-Za-z0-9]{24,40}/, `cxtp_${fake(30)}`),
  // https://help.ubidots.com/en/articles/590078-find-your-token-from-your-ubidots-account
  provider('ubidots_token', ['bbff-', 'bbus-'], /BB(?:FF|US)-[A-Za-z0-9]{30,36}/, `BBFF-${fake(30)}`),
  // Close's documentation of its API keys
  provider(
    'close_key',
    ['api_'],
    /api_[A-Za-z0-9]{22}\.[A-Za-z0-9]{22}(?![\w.])/,
    `api_${fake(22)}.${fake(22)}`,
  ),
  provider('kaggle_token', ['kgat_'], /KGAT_[a-f0-9]{32}/, `KGAT_${fakeHex(32)}`),
  // https://docs.agora.io/en/video-calling/get-started/manage-agora-account
  {
    id: 'agora_certificate',
    kind: 'SECRET',
    hints: ['appcertificate', 'app_certificate'],
    find: matching(/app[_ ]?certificate["']?(?: is |[ \t]{0,4}[:=][ \t]{0,4})["']?(?<v>[a-f0-9]{32})(?!\w)/i),
    examples: {
      hits: [`appCertificate: "⟦${fakeHex(32)}⟧"`],
      misses: ['appCertificate: $CERT', 'the app certificate is missing'],
    },
  },
  provider('adobe_secret', ['p8e-'], /p8e-[a-z0-9]{32}/i, `p8e-${fake(32)}`),
  // https://developers.intercom.com/docs/build-an-integration/learn-more/authentication: `tok:` and more, in base64
  provider(
    'intercom_token',
    ['dg9rom', 'dg9roj'],
    /dG9rO[jm][A-Za-z0-9+/]{50,90}={0,2}/,
    `dG9rOj${fake(54)}=`,
  ),
  {
    // https://www.dropbox.com/developers/reference/oauth-guide: the older tokens, which do not expire
    id: 'dropbox_long_token',
    kind: 'SECRET',
    hints: ['aaaaaaaaaa'],
    find: onlyWhere(
      (text, at) => /(?:^|[^\w-])[\w-]{10}[B-Za-z0-9_-]$/.test(wordsBefore(text, at, 28)),
      decidedBy(WITHIN_WORD, findDropbox),
    ),
    examples: {
      hits: [`= '⟦${fake(11)}${'A'.repeat(10)}${fake(43)}⟧'`],
      misses: ['A'.repeat(40), `${fake(11)}${'A'.repeat(10)}${fake(50)}`],
    },
  },
  {
    // https://docs.honeycomb.io/api/authentication: the header of the older keys
    id: 'honeycomb_header',
    kind: 'SECRET',
    hints: ['x-honeycomb-team'],
    find: matching(
      /x-honeycomb-team["']?[:=, ]{1,3}["']?(?<v>[A-Za-z0-9]{22}|[a-f0-9]{32})(?![\w])/i,
      isRandom,
    ),
    examples: {
      hits: [`x-honeycomb-team: ⟦${fake(22)}⟧`, `headers["x-honeycomb-team"="⟦${fakeHex(32)}⟧"`],
      misses: ['x-honeycomb-team: $TEAM', 'x-honeycomb-dataset: web'],
    },
  },
  {
    // https://clickhouse.com/docs/cloud/manage/openapi
    id: 'clickhouse_secret',
    kind: 'SECRET',
    hints: ['4b1d'],
    wordStart: true,
    find: matching(
      /4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])/,
      (value) => isRandom(value) && /[G-Zg-z]/.test(value),
    ),
    examples: {
      hits: [`with ⟦4b1d${fake(38)}⟧ now`],
      misses: [`4b1d${fakeHex(38)}`, `4b1d${fake(60)}`],
    },
  },
  {
    // https://developers.asana.com/docs/personal-access-token
    id: 'asana_token',
    kind: 'SECRET',
    hints: ['0/1', '1/1', '2/1'],
    wordStart: true,
    find: matching(/\d(?:\/\d{10,20}){1,2}:[a-f0-9]{32}(?![a-zA-Z0-9])/),
    examples: {
      hits: [
        `of ⟦2/1203456789012345/1203456789012346:${fakeHex(32)}⟧ now`,
        `⟦0/1203456789012345:${fakeHex(32)}⟧`,
      ],
      misses: [`1203456789012345:${fakeHex(32)}`, `2/1203456789012345:${fakeHex(40)}`, '2/12:30'],
    },
  },
  // https://developer.nylas.com/docs/v3/auth
  provider('nylas_key', ['nyk_v'], /nyk_v\d_[A-Za-z0-9]{48,80}/, `nyk_v0_${fake(64)}`),
  // https://developers.samsara.com/docs/authentication
  provider('samsara_token', ['samsara_api_'], /samsara_api_[A-Za-z0-9]{30,40}/, `samsara_api_${fake(30)}`),
  // https://docs.retool.com/org-users/guides/retool-api/authentication
  provider('retool_token', ['retool_01'], /retool_[0-7][a-z0-9]{25}(?![a-z0-9])/, `retool_01${fakeHex(24)}`),
  // https://dub.co/docs/api-reference/tokens
  randomProvider('dub_key', ['dub_'], /dub_[A-Za-z0-9]{24}(?!\w)/, `dub_${fake(24)}`),
  // https://cal.com/docs/api-reference/v1/authentication
  provider('cal_key', ['cal_'], /cal_(?:live_|test_)?[a-f0-9]{32}(?![a-z0-9])/, `cal_live_${fakeHex(32)}`),
  // https://www.plain.com/docs/api-reference/graphql/authentication
  provider('plain_key', ['plainapikey_'], /plainApiKey_[\w-]{40,64}/, `plainApiKey_${fake(43)}`),
  // https://yandex.com/dev/translate: a time and two numbers; of its dictionary and predictor as well
  provider(
    'yandex_service_key',
    ['trnsl.1.1.', 'dict.1.1.', 'pdct.1.1.'],
    /(?:trnsl|dict|pdct)\.1\.1\.\d{8}T\d{6}Z\.[a-f0-9]{16}\.[a-f0-9]{40}/,
    `trnsl.1.1.20190511T083532Z.${fakeHex(16)}.${fakeHex(40)}`,
  ),
  // https://docs.devcycle.com: dvc_client_ and dvc_mobile_ are public and stay
  provider(
    'devcycle_key',
    ['dvc_server_'],
    /dvc_server_(?=\w{0,30}\d)[\w-]{32,80}/,
    `dvc_server_${fakeHex(40)}`,
  ),
  // https://liveblocks.io/docs/authentication (pk_ is public and stays)
  provider(
    'liveblocks_key',
    ['sk_dev_', 'sk_prod_'],
    /sk_(?:dev|prod)_(?=[\w-]{0,40}\d)[\w-]{40,100}/,
    `sk_dev_${fake(64)}`,
  ),
  provider('turbopuffer_key', ['tpuf_'], /tpuf_[A-Za-z0-9]{28,48}/, `tpuf_${fake(32)}`),
  provider('salesforce_refresh', ['5aep861'], /5Aep861[\w.+/=-]{60,160}/, `5Aep861${fake(80)}`),
];
