import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from './redactor.ts';
import { fake, fakeHex } from './rule.ts';

const redactor = createRedactor({ key: new Uint8Array(32).fill(7), maxCodeSnippetChars: 2000 });

/** What an agent writes about a key. */
const SENTENCES: readonly ((key: string) => string)[] = [
  (key) => `the key ${key} is in the page`,
  (key) => `STRIPE_KEY=${key}`,
  (key) => JSON.stringify({ api_key: key, token: key, note: `uses ${key}` }),
  (key) => `https://api.example/v1?key=${key}&page=2`,
];

test('[RD34] what a vendor issues to be shown stays, under any name', () => {
  const shown = [
    `pk_live_${fake(24)}`,
    `pk_test_${fake(99)}`,
    `sb_publishable_${fake(31)}`,
    `pk.eyJ${fake(60)}.${fake(22)}`,
    'pk-lf-7f3a91c0-4be2-4d86-a57f-3a91c04be2d8',
    `phc_${fake(43)}`,
    `sq0idp-${fake(22)}`,
    `mdb_sa_id_${fakeHex(24)}`,
    `AROA${'Q3EG'.repeat(4)}A`,
    `AIDA${'Q3EG'.repeat(4)}A`,
    `123456789012-${fakeHex(32)}.apps.googleusercontent.com`,
  ];
  for (const key of shown)
    for (const sentence of SENTENCES) assert.equal(redactor.redactText(sentence(key)), sentence(key));
});

test('[RD34] keys for tests, ids that are half of a credential and forms that public and secret keys share are hidden', () => {
  const hidden = [
    `sk_test_${fake(24)}`,
    `rk_test_${fake(24)}`,
    `sb_secret_${fake(31)}`,
    `sk.eyJ${fake(60)}.${fake(22)}`,
    `tk.eyJ${fake(260)}.${fake(22)}`,
    'sk-lf-7f3a91c0-4be2-4d86-a57f-3a91c04be2d8',
    `AKIA${'Q3EG'.repeat(4)}`,
    `ASIA${'Q3EG'.repeat(4)}`,
    `SK${fakeHex(32)}`,
    `AIza${fake(35)}`,
  ];
  for (const key of hidden)
    for (const sentence of SENTENCES)
      assert.ok(!redactor.redactText(sentence(key)).includes(key), sentence(key));
});

test('[RD34] a name that the user calls sensitive hides what is public elsewhere, too', () => {
  const strict = createRedactor({
    key: new Uint8Array(32).fill(7),
    maxCodeSnippetChars: 2000,
    sensitiveKeys: ['publishable'],
  });
  const text = JSON.stringify({ publishable: `pk_live_${fake(24)}` });
  assert.ok(!strict.redactText(text).includes('pk_live_'));
});

test('[RD34] a key that is longer than its vendor documents is hidden whole', () => {
  const longer = [
    `ghp_${fake(36)}_${fake(40)}`,
    `shpat_${fakeHex(32)}-${fake(20)}`,
    `sntryu_${fakeHex(64)}${fakeHex(20)}`,
    `ATATT3${fake(186)}%3D7F3A91C0`,
    `ATATT3${fake(186)}\\u003d7F3A91C0`,
  ];
  for (const key of longer)
    assert.match(redactor.redactText(`export it: ${key} now`), /^export it: \[SECRET:[a-z2-7]{10}\] now$/);
});

test('[RD34] tokens of GitHub, GitLab and Sentry in the forms of 2026', () => {
  const jwt = [
    Buffer.from('{"alg":"RS256","typ":"JWT"}').toString('base64url'),
    Buffer.from(`{"iss":"42","sub":"${fake(200)}"}`).toString('base64url'),
    fake(342),
  ].join('.');
  const tokens = [
    `ghs_${fake(36)}`,
    `ghs_123456_${jwt}`,
    `ghs_${jwt}`,
    `glwt-${fake(20)}`,
    `ours-glpat-${fake(27)}.01.${fake(9)}`,
    `sntrys_${Buffer.from('{"iat":1741264356,"url":"https://sentry.io","org":"ours"}').toString('base64')}_${fake(43)}`,
    `sntryi_${fakeHex(64)}`,
  ];
  for (const token of tokens)
    assert.match(redactor.redactText(`use ${token} here`), /^use (?:ours-)?\[SECRET:[a-z2-7]{10}\] here$/);
});
