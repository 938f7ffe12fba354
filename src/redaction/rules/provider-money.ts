import { fake, fakeHex } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { FAKE_UUID, provider, randomProvider } from './provider.ts';

/** Keys of payment and commerce services. */

export const MONEY_PROVIDER_RULES: readonly Rule[] = [
  // https://docs.stripe.com/keys (pk_ is publishable and stays)
  provider(
    'stripe_key',
    ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'sk_prod_', 'rk_prod_', 'sk_org_'],
    /[sr]k_(?:live|test|prod|org)_[A-Za-z0-9_]{10,200}/,
    `sk_live_${fake(24)}`,
  ),
  // https://docs.stripe.com/webhooks#verify-official-libraries
  provider('stripe_webhook', ['whsec_'], /whsec_[A-Za-z0-9+/=]{24,128}/, `whsec_${fake(32)}`),
  // https://developer.squareup.com/docs/build-basics/access-tokens (sq0idp- is the id of an application and stays)
  provider(
    'square_token',
    ['sq0atp-', 'sq0csp-', 'sq0atb-', 'sq0csb-'],
    /sq0(?:at|cs)[pb]-[\w-]{20,64}/,
    `sq0atp-${fake(22)}`,
  ),
  // https://shopify.dev/changelog/length-of-the-shopify-access-token-is-increasing
  // https://shopify.dev/changelog/app-secret-key-length-has-increased
  provider(
    'shopify_token',
    ['shpat_', 'shpca_', 'shppa_', 'shpss_', 'shpua_', 'prtapi_'],
    /(?:shp(?:at|ca|pa|ss|ua)|prtapi)_[A-Za-z0-9]{32,64}/,
    `shpat_${fakeHex(32)}`,
  ),
  provider('shippo_token', ['shippo_'], /shippo_(?:live|test)_[a-f0-9]{40}/, `shippo_live_${fakeHex(40)}`),
  // https://docs.tosspayments.com/reference/using-api/api-keys (live_ck_ is of clients and stays)
  provider(
    'toss_key',
    ['live_sk_', 'test_sk_', 'live_gsk_', 'test_gsk_'],
    /(?:live|test)_g?sk_[A-Za-z0-9]{20,64}/,
    `live_gsk_${fake(32)}`,
  ),
  // https://docs.omise.co/api-authentication (pkey_ is public and stays)
  provider('omise_key', ['skey_'], /skey_(?:test_)?[a-z0-9]{19,24}(?![a-z0-9])/, `skey_${fakeHex(19)}`),
  // https://docs.midtrans.com/docs/midtrans-account (Mid-client- is public and stays)
  provider(
    'midtrans_key',
    ['mid-server-', 'sb-mid-server-'],
    /(?:SB-)?Mid-server-[\w-]{16,64}/,
    `Mid-server-${fake(24)}`,
  ),
  // https://developer.brex.com/docs/authentication
  provider('brex_token', ['bxt_'], /bxt_[A-Za-z0-9]{32,64}/, `bxt_${fake(40)}`),
  // https://polar.sh/docs/integrate/authentication, https://github.com/polarsource/polar/blob/main/server/polar/kit/crypto.py
  // (polar_ci_ is an id and stays)
  provider(
    'polar_token',
    ['polar_oat_', 'polar_pat_', 'polar_at_', 'polar_rt_', 'polar_cs_', 'polar_crt_'],
    /polar_(?:oat|pat|cs|crt|[ar]t_[uo])_[\w-]{43}/,
    `polar_oat_${fake(43)}`,
  ),
  // https://docs.ramp.com/developer-api/v1/authorization (ramp_id_ is an id and stays)
  provider('ramp_secret', ['ramp_sec_'], /ramp_sec_[A-Za-z0-9]{32,64}/, `ramp_sec_${fake(48)}`),
  // https://github.com/checkout/checkout-sdk-node/blob/master/src/config.js: of either age
  randomProvider(
    'checkout_key',
    ['sk_'],
    /sk_sbox_[a-z0-9]{26}[a-z2-7]?[*#$=]?|sk_[a-z2-7]{26}(?:[a-z2-7]|[*#$=](?!\w))(?![\w-])|sk_(?:test_)?[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}/,
    `sk_sbox_${'q7xm2k'.repeat(4)}k7*`,
  ),
  // https://woocommerce.com/document/woocommerce-rest-api: the consumer's key is half of a credential
  provider(
    'woocommerce_key',
    ['ck_', 'cs_'].flatMap((first) => Array.from('0123456789abcdef', (digit) => first + digit)),
    /c[ks]_[a-f0-9]{40}(?![a-z0-9])/,
    `cs_${fakeHex(40)}`,
  ),
  // https://docs.stripe.com/api/payment_intents/object#payment_intent_object-client_secret: not to be logged
  provider(
    'stripe_client_secret',
    ['pi_1', 'pi_3', 'seti_1', 'seti_3'],
    /(?:pi|seti)_[A-Za-z0-9]{14,40}_secret_[A-Za-z0-9]{16,64}/,
    `pi_3${fake(23)}_secret_${fake(25)}`,
  ),
  // https://www.mercadopago.com/developers/en/docs/your-integrations/credentials (the public key is a UUID)
  provider(
    'mercadopago_token',
    ['app_usr-', 'test-'],
    /(?:APP_USR|TEST)-\d{10,20}-\d{6}-[a-f0-9]{32}-\d{5,12}/,
    `APP_USR-1234567890123456-010203-${fakeHex(32)}-123456789`,
  ),
  // https://docs.xendit.co/docs/api-keys (xnd_public_ stays)
  provider(
    'xendit_key',
    ['xnd_'],
    /xnd_(?:production|development)_[A-Za-z0-9]{40,80}/,
    `xnd_production_${fake(60)}`,
  ),
  provider('easypost_key', ['ezak', 'eztk'], /EZ[AT]K[A-Za-z0-9]{54}/, `EZAK${fake(54)}`),
  provider('duffel_token', ['duffel_'], /duffel_(?:test|live)_[\w=-]{43}/, `duffel_live_${fake(43)}`),
  provider(
    'flutterwave_key',
    ['flwseck', 'flwpubk'],
    /FLW(?:SECK|PUBK)(?:_TEST)?-?[A-Za-z0-9-]{12,64}/,
    `FLWSECK_TEST-${fakeHex(32)}-X`,
  ),
  // https://developer.paypal.com/braintree/docs/guides/authorization/tokenization-key
  provider(
    'braintree_token',
    ['access_token$'],
    /access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}/,
    `access_token$production$${fakeHex(16)}$${fakeHex(32)}`,
  ),
  provider(
    'lob_key',
    ['live_', 'test_'],
    /(?:live|test)_(?:pub_)?[a-f0-9]{31,40}(?![a-z0-9])/,
    `live_${fakeHex(35)}`,
  ),
  // https://razorpay.com/docs/api/authentication
  provider(
    'razorpay_key',
    ['rzp_live_', 'rzp_test_'],
    /rzp_(?:live|test)_[A-Za-z0-9]{14,24}/,
    `rzp_live_${fake(14)}`,
  ),
  // https://plaid.com/docs/api/items
  provider(
    'plaid_token',
    ['access-'],
    /access-(?:sandbox|development|production)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}/,
    `access-sandbox-${FAKE_UUID}`,
  ),
  // https://developer.paddle.com/api-reference/about/api-keys
  provider(
    'paddle_key',
    ['pdl_'],
    /pdl_(?:live_|sdbx_)?(?:apikey|ntfset)_[A-Za-z0-9]{24,32}_[A-Za-z0-9]{20,40}(?:_[A-Za-z0-9]{3})?/,
    `pdl_live_apikey_${fake(26)}_${fake(22)}_AbC`,
  ),
  randomProvider(
    'gocardless_token',
    ['live_', 'sandbox_'],
    /(?:live|sandbox)_[\w-]{40}(?![\w-])/,
    `live_${fake(40)}`,
  ),
  randomProvider(
    'mollie_key',
    ['live_', 'test_'],
    /(?:live|test)_[A-Za-z0-9]{30,36}(?![\w-])/,
    `live_${fake(30)}`,
  ),
  // https://docs.adyen.com/development-resources/api-credentials
  provider(
    'adyen_key',
    ['aqe'],
    /AQE[a-z][A-Za-z0-9+/]{60,300}-[A-Za-z0-9+/=]{30,60}-[^\s"'<>]{10,24}/,
    `AQEy${fake(90)}-${fake(44)}-${fake(16)}`,
  ),
  provider(
    'coinbase_key',
    ['organizations/'],
    /organizations\/[a-f0-9-]{36}\/apiKeys\/[a-f0-9-]{36}/,
    `organizations/${FAKE_UUID}/apiKeys/${FAKE_UUID}`,
  ),
  // https://docs.klarna.com/api/authentication
  provider(
    'klarna_key',
    ['klarna_live_api_', 'klarna_test_api_'],
    /klarna_(?:live|test)_api_[\w+/=-]{40,200}/,
    `klarna_live_api_${fake(80)}`,
  ),
  provider(
    'cashfree_secret',
    ['cfsk_ma_'],
    /cfsk_ma_(?:prod|test)_[a-f0-9]{32}_[a-f0-9]{8}/,
    `cfsk_ma_prod_${fakeHex(32)}_${fakeHex(8)}`,
  ),
  // https://docs.asaas.com/docs/authentication-2
  provider(
    'asaas_key',
    ['$aact_'],
    /\$aact_(?:(?:prod|hmlg)_)?[A-Za-z0-9+/]{40,300}={0,2}/,
    `$aact_prod_000${fake(160)}`,
  ),
  // https://docs.mercury.com/docs/getting-started: without the scheme
  provider(
    'mercury_token',
    ['mercury_production_', 'mercury_sandbox_'],
    /mercury_(?:production|sandbox)_\w{24,128}_yrucrem/,
    `mercury_production_wma_${fake(45)}_yrucrem`,
  ),
  // https://developer.paypal.com/api/rest/authentication
  provider('paypal_token', ['a21aa'], /A21AA[\w-]{60,160}/, `A21AA${fake(92)}`),
  // https://developer.ebay.com/api-docs/static/gs_create-the-ebay-api-keysets.html: the certificate's id is the secret
  provider(
    'ebay_secret',
    ['prd-', 'sbx-'],
    /(?:PRD|SBX)-[a-f0-9]{12}(?:-[a-f0-9]{4}){4}(?![a-z0-9-])/,
    `PRD-${fakeHex(12)}-${fakeHex(4)}-91c0-4be2-d865`,
  ),
];
