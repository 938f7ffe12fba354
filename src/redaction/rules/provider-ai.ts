import { fake, fakeHex } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { FAKE_UUID, provider, randomProvider } from './provider.ts';

/** Keys of model vendors and of the tools that agents use. */

export const AI_PROVIDER_RULES: readonly Rule[] = [
  // https://platform.openai.com/docs/api-reference/authentication (sk-proj-, sk-svcacct-, sk-admin-)
  // https://docs.claude.com/en/api/administration-api (sk-ant-)
  // https://langfuse.com/faq/all/lost-secret-key (sk-lf-)
  randomProvider('sk_key', ['sk-'], /sk-[A-Za-z0-9_-]{20,300}/, `sk-proj-${fake(48)}`),
  randomProvider('underscore_sk_key', ['sk_'], /sk_[A-Za-z0-9]{32,128}/, `sk_${fakeHex(48)}`),
  // https://huggingface.co/docs/hub/security-tokens
  provider(
    'huggingface_token',
    ['hf_', 'api_org_'],
    /(?:hf_|api_org_)(?=\d{0,29}[A-Za-z])[A-Za-z0-9]{30,64}/,
    `hf_${fake(34)}`,
  ),
  // https://docs.perplexity.ai/getting-started/quickstart
  provider('perplexity_key', ['pplx-'], /pplx-[A-Za-z0-9]{32,64}/, `pplx-${fake(48)}`),
  // https://replicate.com/docs/topics/security/api-tokens
  provider('replicate_token', ['r8_'], /r8_[A-Za-z0-9]{37,40}/, `r8_${fake(37)}`),
  // https://console.groq.com/docs/quickstart
  provider('groq_key', ['gsk_'], /gsk_[A-Za-z0-9]{40,64}/, `gsk_${fake(52)}`),
  // https://docs.x.ai/docs/tutorial
  provider('xai_key', ['xai-'], /xai-[A-Za-z0-9]{60,128}/, `xai-${fake(80)}`),
  // https://docs.langchain.com/langsmith/create-account-api-key
  provider(
    'langsmith_key',
    ['lsv2_', 'ls__'],
    /lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}|ls__[a-f0-9]{32}/,
    `lsv2_pt_${fakeHex(32)}_${fakeHex(10)}`,
  ),
  // https://docs.pinecone.io/guides/projects/manage-api-keys
  provider('pinecone_key', ['pcsk_'], /pcsk_[\w]{40,100}/, `pcsk_${fake(69)}`),
  provider(
    'search_tool_key',
    ['tvly-', 'fc-', 'jina_'],
    /tvly-(?:dev-|prod-)?[A-Za-z0-9]{30,64}|fc-[a-f0-9]{32}|jina_[a-f0-9]{32}[\w-]{20,40}/,
    `tvly-${fake(32)}`,
  ),
  provider('nvidia_key', ['nvapi-'], /nvapi-[\w-]{60,80}/, `nvapi-${fake(64)}`),
  provider('cerebras_key', ['csk-'], /csk-[a-z0-9]{40,64}/, `csk-${fakeHex(48)}`),
  randomProvider('fireworks_key', ['fw_', 'fpk_'], /(?:fw|fpk)_[A-Za-z0-9]{20,40}(?![\w])/, `fw_${fake(24)}`),
  provider('together_key', ['tgp_v1_'], /tgp_v1_[\w-]{40,64}/, `tgp_v1_${fake(43)}`),
  randomProvider('voyage_key', ['pa-'], /pa-[\w-]{43}(?![\w-])/, `pa-${fake(43)}`),
  provider('e2b_key', ['e2b_'], /e2b_[a-f0-9]{40}/, `e2b_${fakeHex(40)}`),
  provider('runpod_key', ['rpa_'], /rpa_[A-Za-z0-9]{36,64}/, `rpa_${fake(44)}`),
  provider('llamacloud_key', ['llx-'], /llx-[A-Za-z0-9]{40,64}/, `llx-${fake(48)}`),
  // https://pydantic.dev/docs/logfire/manage/create-write-tokens; https://pypi.org/project/pydantic-pulumi-logfire (pylf_v2_us_)
  provider(
    'logfire_token',
    ['pylf_v'],
    /pylf_v\d{1,2}_[a-z]{2}_[A-Za-z0-9]{36,64}/,
    `pylf_v1_us_${fake(43)}`,
  ),
  provider('wandb_key', ['wandb_v'], /wandb_v\d_[\w-]{40,120}/, `wandb_v1_${fake(60)}`),
  provider('cursor_key', ['key_', 'crsr_'], /(?:key|crsr)_[a-f0-9]{64}/, `key_${fakeHex(64)}`),
  randomProvider('mem0_key', ['m0-'], /m0-[A-Za-z0-9]{36,48}(?![\w-])/, `m0-${fake(40)}`),
  randomProvider('modal_token', ['ak-', 'as-'], /a[ks]-[A-Za-z0-9]{22}(?![\w-])/, `ak-${fake(22)}`),
  randomProvider('brave_key', ['bsa'], /BSA[\w-]{26,32}(?![\w-])/, `BSA${fake(28)}`),
  // https://docs.apify.com/platform/integrations/api
  provider(
    'apify_token',
    ['apify_api_', 'apify_proxy_'],
    /apify_(?:api|proxy)_[A-Za-z0-9]{30,48}/,
    `apify_api_${fake(36)}`,
  ),
  provider('anyscale_key', ['esecret_'], /esecret_[A-Za-z0-9]{20,64}/, `esecret_${fake(26)}`),
  provider('friendli_token', ['flp_'], /flp_[A-Za-z0-9]{40,64}/, `flp_${fake(46)}`),
  // https://www.daytona.io/docs/api-keys
  provider('daytona_key', ['dtn_'], /dtn_[a-f0-9]{64}/, `dtn_${fakeHex(64)}`),
  provider('context7_key', ['ctx7sk-'], /ctx7sk-[a-f0-9-]{36}/, `ctx7sk-${FAKE_UUID}`),
  // https://docs.dify.ai/en/use-dify/publish/developing-with-apis
  provider(
    'dify_key',
    ['app-', 'dataset-'],
    /(?:app|dataset)-(?=[A-Z]{0,23}[a-z])(?=[a-z]{0,23}[A-Z\d])(?=[A-Za-z]{0,23}\d)[A-Za-z0-9]{24}(?![\w.-])/,
    `app-${fake(24)}`,
  ),
  // Coze's guide for developers, on personal access tokens
  provider(
    'coze_token',
    ['pat_', 'cztei_'],
    /(?:pat|cztei)_(?=[A-Za-z]{0,63}\d)[A-Za-z0-9]{64}(?![\w])/,
    `pat_${fake(64)}`,
  ),
  provider('cartesia_key', ['sk_car_'], /sk_car_[\w-]{20,64}/, `sk_car_${fake(22)}`),
  randomProvider('chroma_key', ['ck-'], /ck-[A-Za-z0-9]{40,48}(?![\w-])/, `ck-${fake(44)}`),
  // https://docs.browserbase.com/reference/api/overview
  randomProvider(
    'browserbase_key',
    ['bb_live_', 'bb_test_'],
    /bb_(?:live|test)_[\w-]{27}(?![\w-])/,
    `bb_live_${fake(27)}`,
  ),
  provider('n8n_key', ['n8n_api_'], /n8n_api_[\w-]{40,128}/, `n8n_api_${fake(80)}`),
  // https://docs.devin.ai/api-reference/authentication
  provider(
    'devin_key',
    ['cog_', 'apk_'],
    /cog_(?=[a-z]{0,39}\d)[a-z0-9]{40,80}|apk_(?:user_)?(?=[A-Za-z]{0,39}\d)[A-Za-z0-9+/]{40,200}={0,2}/,
    `cog_${fakeHex(52)}`,
  ),
  // https://ampcode.com/manual
  provider(
    'amp_token',
    ['sgamp_'],
    /sgamp_(?=\w{0,60}\d)\w{32,128}/,
    `sgamp_user_${'Q7XM'.repeat(6)}AB_${fakeHex(64)}`,
  ),
  // https://github.com/trufflesecurity/trufflehog/issues/5321: by its vendor
  provider(
    'composio_key',
    ['ak_', 'oak_', 'uak_'],
    /(?:o?ak_(?=[a-z\d_-]{0,19}[A-Z])(?=[A-Z\d_-]{0,19}[a-z])[\w-]{20}|uak_[\w-]{43})(?![\w-])/,
    `ak_${fake(20)}`,
  ),
  // https://github.com/mixedbread-ai/openbread: the prefix
  randomProvider('mixedbread_key', ['mxb_'], /mxb_[A-Za-z0-9]{32,64}(?!\w)/, `mxb_${fake(40)}`),
  provider(
    'saladcloud_key',
    ['salad_cloud_'],
    /salad_cloud_[a-z]{2,12}_[A-Za-z0-9]{40,80}/,
    `salad_cloud_user_${fake(60)}`,
  ),
  // https://www.braintrust.dev/docs: of services; those of people begin with sk-
  provider('braintrust_token', ['bt-st-'], /bt-st-[A-Za-z0-9]{32,80}/, `bt-st-${fake(48)}`),
  // https://docs.warp.dev/reference/cli/api-keys
  provider('warp_key', ['wk-1.', 'wk-2.'], /wk-\d\.[a-f0-9]{40,128}/, `wk-1.${fakeHex(64)}`),
  // https://docs.factory.ai/cli/droid-exec/overview: the prefix
  provider(
    'factory_key',
    ['fk-'],
    /fk-(?=[A-Za-z_-]{0,39}\d)(?=[a-z\d_-]{0,39}[A-Z])(?=[A-Z\d_-]{0,39}[a-z])[\w-]{40,128}/,
    `fk-${fake(64)}`,
  ),
];
