import { wordsBefore } from '../characters.ts';
import { decidedBy, fake, fakeHex, WITHIN_WORD } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { FAKE_UUID, provider, randomProvider } from './provider.ts';

/** Keys of signatures, logins and checks of who somebody is. */

const FAKE_PAYLOAD = Buffer.from('{"sub":"1234567890"}').toString('base64url');
const FAKE_HEADER = Buffer.from('{"alg":"HS256"}').toString('base64url');

/** Six characters and 29 before their end. `at` is where it begins. */
function findMaxMind(text: string, at: number): Span | undefined {
  const before = /(?:^|[^\w])(\w{36})$/.exec(wordsBefore(text, at, 52))?.[1];
  const isKey = before !== undefined && /\d/.test(before) && /[A-Z]/.test(before) && before.charAt(6) === '_';
  return isKey && !/\w/.test(text.charAt(at + 4)) ? { start: at - 36, end: at + 4 } : undefined;
}

export const IDENTITY_PROVIDER_RULES: readonly Rule[] = [
  // https://github.com/paseto-standard/paserk (public ones and ids stay)
  provider(
    'paserk_key',
    ['k1.', 'k2.', 'k3.', 'k4.'],
    /k[1-4]\.(?:(?:local|secret)(?:-wrap\.\w{1,16}|-pw)?|seal)\.[\w-]{32,4096}/,
    `k4.secret.${fake(86)}`,
  ),
  // https://github.com/paseto-standard/paseto-spec
  provider(
    'paseto_token',
    ['v1.local.', 'v2.local.', 'v3.local.', 'v4.local.', 'v1.public', 'v2.public', 'v3.public', 'v4.public'],
    /v[1-4]\.(?:local|public)\.[\w-]{64,4096}(?:\.[\w-]{1,1024})?/,
    `v4.public.${fake(120)}`,
  ),
  // https://jedisct1.github.io/minisign: 158 bytes that begin with the names of three algorithms
  provider('minisign_key', ['rwrty0iy'], /RWRTY0Iy[A-Za-z0-9+/]{60,212}={0,2}/, `RWRTY0Iy${fake(204)}`),
  // https://github.com/geldata/gel: a JWT behind what it is for
  provider(
    'gel_token',
    ['edbt_', 'edbt1_', 'nbwt_', 'nbwt1_'],
    /(?:edb|nbw)t1?_eyJ[\w-]{8,1000}\.[\w-]{8,4000}\.[\w-]{20,1000}/,
    `edbt1_${FAKE_HEADER}.${FAKE_PAYLOAD}.${fake(43)}`,
  ),
  // https://developer.amazon.com/docs/login-with-amazon/access-token.html
  provider(
    'amazon_login',
    ['atza|', 'atzr|', 'amzn1.oa2-cs.'],
    /Atz[ar]\|[\w+/=-]{40,2048}|amzn1\.oa2-cs\.v1\.[a-f0-9]{64}/,
    `Atza|${fake(350)}`,
  ),
  // https://dev.maxmind.com/geoip/release-notes/2023-03-16-changes-to-maxmind-license-keys
  {
    id: 'maxmind_key',
    kind: 'SECRET',
    hints: ['_mmk'],
    find: decidedBy(WITHIN_WORD, findMaxMind),
    examples: {
      hits: [`key ⟦${fake(6)}_${fake(29)}_mmk⟧`],
      misses: ['usd_to_mmk', `${'a'.repeat(6)}_${'b'.repeat(29)}_mmk`, `${fake(36)}_mmk`],
    },
  },
  provider(
    'persona_key',
    ['persona_production_', 'persona_sandbox_'],
    /persona_(?:production|sandbox)_[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}/,
    `persona_sandbox_${FAKE_UUID}`,
  ),
  // https://documentation.onfido.com/api/latest: the region may follow the environment
  provider(
    'onfido_token',
    ['api_live', 'api_sandbox'],
    /api_(?:live|sandbox)(?:_[a-z]{2})?\.[\w-]{11}\.[\w-]{32}/,
    `api_live_us.${fake(11)}.${fake(32)}`,
  ),
  randomProvider(
    'hcaptcha_secret',
    Array.from('0123456789abcdef', (digit) => `es_${digit}`),
    /ES_[a-f0-9]{32}(?![A-Za-z0-9_])/,
    `ES_${fakeHex(32)}`,
  ),
  provider(
    'pangea_token',
    ['pts_'],
    /pts_(?=[a-z]{0,31}\d)[a-z2-7]{32}(?![a-z0-9])/,
    `pts_${'q7xm'.repeat(8)}`,
  ),
  // https://documentation.notification.canada.ca: a name, a service and the key
  provider(
    'notify_key',
    ['gcntfy-'],
    /gcntfy-[\w.-]{1,64}?-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}/,
    `gcntfy-site-${FAKE_UUID}-${FAKE_UUID}`,
  ),
  provider(
    'intra42_secret',
    ['s-s4t2ud-', 's-s4t2af-'],
    /s-s4t2(?:ud|af)-[a-f0-9]{64}/,
    `s-s4t2ud-${fakeHex(64)}`,
  ),
  randomProvider(
    'lichess_token',
    ['lip_', 'lio_'],
    /li(?:p_[A-Za-z0-9]{20}|o_[A-Za-z0-9]{32})(?![\w-])/,
    `lip_${fake(20)}`,
  ),
];
