import { decidedBy, fake, fakeHex, WITHIN_WORD } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { FAKE_UUID, provider } from './provider.ts';

/** Keys of code hosts, package registries, builds and quality checks. */

/** `project:environment.hash`. `at` is the colon. */
function findUnleash(text: string, at: number): Span | undefined {
  const behind = /^:[a-z]{4,12}\.[a-f0-9]{48,64}(?![\w-])/.exec(text.slice(at, at + 80))?.[0];
  const before = /(?:^|[^\w*-])([\w*-]{1,64}|\[\])$/.exec(text.slice(Math.max(0, at - 65), at))?.[1];
  return behind === undefined || before === undefined
    ? undefined
    : { start: at - before.length, end: at + behind.length };
}

export const CODE_PROVIDER_RULES: readonly Rule[] = [
  // https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/about-authentication-to-github
  // https://github.blog/changelog/2026-05-15-github-app-installation-tokens-per-request-override-header (ghs_APPID_JWT)
  provider(
    'github_token',
    ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    /gh[pousr]_(?:[A-Za-z0-9]{36,255}|(?:\d{1,12}_)?eyJ[\w-]{8,2000}\.[\w-]{8,4000}\.[\w-]{20,1000})/,
    `ghp_${fake(36)}`,
  ),
  // https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/about-authentication-to-github
  provider(
    'github_pat',
    ['github_pat_'],
    /github_pat_[A-Za-z0-9_]{22,255}/,
    `github_pat_${fake(22)}_${fake(59)}`,
  ),
  // https://docs.gitlab.com/security/tokens/#token-prefixes
  provider(
    'gitlab_token',
    [
      'glpat-',
      'gldt-',
      'glrt-',
      'glrtr-',
      'glcbt-',
      'glptt-',
      'glft-',
      'glsoat-',
      'glimt-',
      'glagent-',
      'glffct-',
      'gloas-',
      'glwt-',
    ],
    /gl(?:pat|dt|rtr?|cbt|ptt|ft|soat|imt|agent|ffct|oas|wt)-[A-Za-z0-9_.-]{19,300}/,
    `glpat-${fake(20)}`,
  ),
  // Of this service: src/access/key-text.ts
  provider('explain_key', ['explain_'], /explain_[0-9a-z]{57}(?![0-9a-z])/, `explain_${fakeHex(57)}`),
  provider('gitlab_runner', ['gr1348941'], /GR1348941[\w-]{20,64}/, `GR1348941${fake(20)}`),
  // https://github.blog/changelog/2021-09-23-npm-has-a-new-access-token-format
  provider('npm_token', ['npm_'], /npm_[A-Za-z0-9]{30,64}/, `npm_${fake(36)}`),
  // https://pypi.org/help/#apitoken: a macaroon in base64url
  provider('pypi_token', ['pypi-ag'], /pypi-Ag[\w-]{30,1000}/, `pypi-AgEIcHlwaS5vcmc${fake(60)}`),
  // https://guides.rubygems.org/api-key-scopes
  provider('rubygems_key', ['rubygems_'], /rubygems_[a-f0-9]{48}/, `rubygems_${fakeHex(48)}`),
  // https://packagist.com/docs/composer-authentication#token-format: 60 hex digits and a checksum
  provider(
    'packagist_token',
    ['packagist_'],
    /packagist_[a-z]{3}_[a-f0-9]{68}/,
    `packagist_ort_${fakeHex(68)}`,
  ),
  provider('clojars_token', ['clojars_'], /CLOJARS_[A-Za-z0-9]{60}/i, `CLOJARS_${fakeHex(60)}`),
  provider('nuget_key', ['oy2'], /oy2[a-z0-9]{43}(?![a-z0-9])/, `oy2${fakeHex(43)}`),
  provider(
    'jfrog_token',
    ['akcp', 'cmvmdgtuo'],
    /AKCp[A-Za-z0-9]{60,80}|cmVmdGtuO[A-Za-z0-9+/=]{50,70}/,
    `AKCp${fake(69)}`,
  ),
  // https://buildkite.com/docs/platform/security/tokens, https://github.com/buildkite/agent/blob/main/internal/redact/redact.go
  provider(
    'buildkite_token',
    [
      'bkua_',
      'bkur_',
      'bktx_',
      'bkaa_',
      'bkar_',
      'bkct_',
      'bkcqt_',
      'bkaj_',
      'bkjat_',
      'bkpt_',
      'bkrt_',
      'bktr_',
      'bkat_',
      'bkpat_',
      'bkps_',
    ],
    /bk(?:u[ar]|tx|a[ajrt]|ct|cqt|jat|[pr]t|tr|pat|ps)_(?=[\w.-]{0,80}\d)[\w.-]{24,2048}(?<![.-])/,
    `bkct_k7Qz2m.${fake(60)}`,
  ),
  // https://circleci.com/docs/guides/toolkit/managing-api-tokens
  provider(
    'circleci_token',
    ['ccipat_', 'ccpro_', 'cciprj_'],
    /CCI?P(?:AT|RO|RJ)_[A-Za-z0-9]{20,24}_[a-f0-9]{40}/i,
    `CCIPAT_${fake(22)}_${fakeHex(40)}`,
  ),
  // https://docs.sonarsource.com/sonarqube-server/2026.2/user-guide/managing-tokens (the three kinds)
  provider('sonar_token', ['sqp_', 'sqa_', 'squ_'], /sq[pau]_[a-z0-9]{40}/, `squ_${fakeHex(40)}`),
  // https://sourcegraph.com/docs/cli/how-tos/revoking_an_access_token
  provider(
    'sourcegraph_token',
    ['sgp_'],
    /sgp_(?:[A-Fa-f0-9]{16}_|local_)?[A-Fa-f0-9]{40}/,
    `sgp_${fakeHex(40)}`,
  ),
  provider('pulumi_token', ['pul-'], /pul-[a-f0-9]{40}/, `pul-${fakeHex(40)}`),
  // https://learning.postman.com/docs/developer/postman-api/authentication
  provider(
    'postman_key',
    ['pmak-'],
    /PMAK-[A-Fa-f0-9]{24}-[A-Fa-f0-9]{34}/,
    `PMAK-${fakeHex(24)}-${fakeHex(34)}`,
  ),
  provider(
    'octopus_key',
    ['api-'],
    /API-(?![A-F0-9]{25,40}(?![A-Za-z0-9]))[A-Z0-9]{25,40}(?![A-Za-z0-9])/,
    `API-${'Q7XM'.repeat(6)}AB`,
  ),
  provider('infracost_key', ['ico-'], /ico-[A-Za-z0-9]{32}(?!\.[a-z]{3}|[A-Za-z0-9])/, `ico-${fake(32)}`),
  provider(
    'atlassian_token',
    ['atatt3', 'atctt3', 'atstt3', 'atbb'],
    /AT[ACS]TT3[\w=+/-]{60,400}|ATBB[A-Za-z0-9]{24,64}/,
    `ATATT3${fake(186)}`,
  ),
  provider('scalingo_token', ['tk-us-'], /tk-us-[\w-]{48}/, `tk-us-${fake(48)}`),
  // https://docs.sentry.io/security-legal-pii/security/token-formats
  provider(
    'sentry_token',
    ['sntrys_', 'sntryu_', 'sntrya_', 'sntryi_'],
    /sntry(?:s_[A-Za-z0-9+/=]{20,1000}(?:_[A-Za-z0-9+/]{1,43})?|[uai]_[a-f0-9]{64})/,
    `sntryu_${fakeHex(64)}`,
  ),
  // https://docs.docker.com/reference/api/hub/latest
  provider('docker_token', ['dckr_pat_', 'dckr_oat_'], /dckr_[op]at_[\w-]{27,40}/, `dckr_pat_${fake(27)}`),
  // https://docs.docker.com/engine/swarm/join-nodes, https://docs.docker.com/engine/swarm/swarm_manager_locking
  provider(
    'docker_swarm',
    ['swmtkn-1-', 'swmkey-1-'],
    /SWMTKN-1-[a-z0-9]{50}-[a-z0-9]{25}|SWMKEY-1-[A-Za-z0-9+/]{43}/,
    `SWMTKN-1-${fakeHex(50)}-${fakeHex(25)}`,
  ),
  // https://confluence.atlassian.com/bitbucketserver/http-access-tokens-939515499.html
  provider('bitbucket_http_token', ['bbdc-'], /BBDC-[A-Za-z0-9+/]{40,48}/, `BBDC-${fake(44)}`),
  // https://github.com/rust-lang/crates.io/blob/main/crates/crates_io_database/src/utils/token.rs
  provider('crates_token', ['cio'], /cio(?:_tp_)?[A-Za-z0-9]{32}(?![A-Za-z0-9])/, `cio${fake(32)}`),
  provider(
    'jetbrains_token',
    ['perm:', 'perm-'],
    /perm[:-][\w=+/-]{16,120}\.[\w=+/-]{2,80}\.[\w=+/-]{20,120}/,
    `perm-${fake(24)}.${fake(8)}.${fake(40)}`,
  ),
  provider(
    'snyk_token',
    ['snyk_uat.', 'snyk_sat.'],
    /snyk_[us]at\.[a-f0-9]{8}\.[\w.=-]{40,200}/,
    `snyk_uat.${fakeHex(8)}.${fake(60)}`,
  ),
  // https://launchdarkly.com/docs/sdk/concepts/client-side-server-side#keys
  provider(
    'launchdarkly_key',
    ['sdk-', 'mob-', 'api-'],
    /(?:sdk|mob|api)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}/,
    `sdk-${FAKE_UUID}`,
  ),
  provider('statsig_key', ['secret-'], /secret-[A-Za-z0-9]{43}(?![A-Za-z0-9])/, `secret-${fake(43)}`),
  provider(
    'harness_token',
    ['pat.', 'sat.'],
    /[ps]at\.[\w-]{20,24}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}/,
    `pat.${fake(22)}.${fakeHex(24)}.${fake(20)}`,
  ),
  provider('codeclimate_token', ['ccpat_', 'ccsat_'], /cc[ps]at_[A-Za-z0-9]{20,64}/, `ccpat_${fake(40)}`),
  // https://docs.doppler.com/docs/deno-deploy (of people and of organizations)
  provider('deno_token', ['ddp_', 'ddo_'], /dd[op]_[A-Za-z0-9]{36}/, `ddp_${fake(36)}`),
  provider('socket_token', ['sktsec_'], /sktsec_[\w-]{32,64}(?:_api)?/, `sktsec_${fake(43)}_api`),
  // https://docs.convex.dev/cli/deploy-key-types
  provider(
    'convex_deploy_key',
    ['prod:', 'dev:', 'preview:'],
    /(?:prod|dev|preview):[a-z0-9:-]{4,64}\|[\w+/=-]{32,400}/,
    `prod:fast-otter-123|${fake(100)}`,
  ),
  // https://www.jenkins.io/doc/developer/security/secrets: what stands in its files in place of a secret
  provider(
    'jenkins_secret',
    ['{aqaaabaaaa'],
    /\{AQAAABAAAA[A-Za-z0-9+/]{20,600}={0,2}\}/,
    `{AQAAABAAAA${fake(54)}=}`,
  ),
  provider('chromatic_token', ['chpt_'], /chpt_[a-f0-9]{12,24}(?![a-z0-9])/, `chpt_${fakeHex(15)}`),
  // https://wakatime.com/developers#authentication
  provider(
    'wakatime_key',
    ['waka_'],
    /waka_(?:sec_|tok_|ref_)?(?:[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}|[A-Za-z0-9]{40,128})/,
    `waka_${FAKE_UUID}`,
  ),
  // https://docs.getunleash.io/reference/api-tokens-and-client-keys: a project before the environment
  {
    id: 'unleash_token',
    kind: 'SECRET',
    hints: [':production.', ':development.', ':staging.', ':test.', ':default.'],
    find: decidedBy(WITHIN_WORD, findUnleash),
    examples: {
      hits: [`use ⟦*:production.${fakeHex(56)}⟧ now`],
      misses: ['env:production.yaml', `x:test.${fakeHex(40)}`],
    },
  },
  // https://learning.postman.com/docs/developer/postman-api/authentication: of a collection
  provider(
    'postman_collection_key',
    ['pmat-'],
    /PMAT-[A-Z0-9]{26}(?![A-Za-z0-9])/,
    `PMAT-${'Q7XM'.repeat(6)}AB`,
  ),
  provider('gitbook_token', ['gb_api_'], /gb_api_[A-Za-z0-9]{32,64}/, `gb_api_${fake(40)}`),
  // https://github.com/sourcegraph/sourcegraph-public-snapshot/tree/main/internal/accesstoken: of its gateway
  provider('sourcegraph_gateway_token', ['sgd_'], /sgd_[a-f0-9]{64}/, `sgd_${fakeHex(64)}`),
  // https://docs.val.town/reference/api
  provider('valtown_token', ['vtwn_'], /vtwn_(?=\w{0,24}\d)[\w-]{20,80}/, `vtwn_${fake(28)}`),
  // https://github.com/AikidoSec/ci-api-client
  provider(
    'aikido_key',
    ['aik_ci_', 'aik_secret_'],
    /AIK_(?:CI|SECRET)_(?:[A-Z]{2}_)?[A-Za-z0-9]{32,96}/,
    `AIK_CI_${fake(64)}`,
  ),
  provider(
    'bitrise_token',
    ['bitpat_', 'bitwat_'],
    /bit[pw]at_(?=[\w-]{0,60}\d)[\w-]{32,128}/,
    `bitpat_${fake(43)}`,
  ),
  // https://github.com/eclipse-openvsx/openvsx
  provider(
    'openvsx_token',
    ['ovsxat_', 'ovsxp_'],
    /ovsx(?:at|p)_[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}/,
    `ovsxat_${FAKE_UUID}`,
  ),
  // https://developers.plane.so/api-reference/introduction
  provider('plane_key', ['plane_api_'], /plane_api_[a-f0-9]{32}/, `plane_api_${fakeHex(32)}`),
  provider('rootly_key', ['rootly_'], /rootly_[a-f0-9]{64}/, `rootly_${fakeHex(64)}`),
];
