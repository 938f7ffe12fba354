import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from './redactor.ts';

const redactor = createRedactor({ key: new Uint8Array(32).fill(6), maxCodeSnippetChars: 2000 });

/** Names of secrets, and what a secret of this kind looks like. */
const PASSWORD = 'Kelpw00dLake7';
const KEY = 'kqzvbnmtrewp77';
const CODE = '493817';
const NAMES: readonly (readonly [language: string, name: string, value: string])[] = [
  ['English', 'Password', PASSWORD],
  ['English', 'API key', KEY],
  ['English', 'Verification code', CODE],
  ['German', 'Passwort', PASSWORD],
  ['German', 'Bestätigungscode', CODE],
  ['French', 'Mot de passe', PASSWORD],
  ['French', 'Clé API', KEY],
  ['Spanish', 'Contraseña', PASSWORD],
  ['Spanish', 'Código de verificación', CODE],
  ['Italian', 'Parola chiave', PASSWORD],
  ['Portuguese', 'Senha', PASSWORD],
  ['Dutch', 'Wachtwoord', PASSWORD],
  ['Polish', 'Hasło', PASSWORD],
  ['Russian', 'Пароль', PASSWORD],
  ['Russian', 'Код подтверждения', CODE],
  ['Chinese', '密码', PASSWORD],
  ['Chinese', '验证码', CODE],
  ['Japanese', 'パスワード', PASSWORD],
  ['Japanese', '認証コード', CODE],
  ['Korean', '비밀번호', PASSWORD],
  ['Korean', '인증번호', CODE],
];

/** A secret under its name, in a form that a rule for plain text does not know. */
interface Form {
  readonly form: string;
  readonly write: (name: string, value: string) => string;
}

const SPELLINGS: readonly Form[] = [
  { form: 'plain', write: (name, value) => `${name}: ${value}` },
  { form: 'capitals', write: (name, value) => `${name.toUpperCase()}: ${value}` },
  { form: 'small letters', write: (name, value) => `${name.toLowerCase()}: ${value}` },
  { form: 'accents apart', write: (name, value) => `${name}: ${value}`.normalize('NFD') },
  {
    form: 'accents apart, capitals',
    write: (name, value) => `${name.toUpperCase()}: ${value}`.normalize('NFD'),
  },
  { form: 'full-width colon', write: (name, value) => `${name}：${value}` },
  { form: 'full-width equals', write: (name, value) => `${name}＝${value}` },
  { form: 'full-width', write: (name, value) => fullWidth(`${name}: ${value}`) },
  { form: 'ideographic blank', write: (name, value) => `${name}:\u3000${value}` },
  { form: 'no-break blank', write: (name, value) => `${name}\u00a0: ${value}`.replaceAll(' ', '\u00a0') },
  {
    form: 'zero width between letters',
    write: (name, value) => Array.from(`${name}: ${value}`).join('\u200b'),
  },
  {
    form: 'soft hyphen in the name',
    write: (name, value) => `${name.slice(0, 2)}\u00ad${name.slice(2)}: ${value}`,
  },
  { form: 'look-alikes', write: (name, value) => `${lookAlike(name)}: ${value}` },
];

function fullWidth(text: string): string {
  return text.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0));
}

/** Of words of Latin letters. */
function lookAlike(name: string): string {
  return /^[ -~]*$/.test(name) ? name.replaceAll('a', 'а').replaceAll('o', 'о') : name;
}

/** The text, if six characters of the value in a row can still be read. */
function leak({ form, write }: Form, name: string, value: string): string | undefined {
  const text = `The note says:\n${write(name, value)}\nThat was all.`;
  const shown = redactor.redactText(text);
  const plain = shown.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  for (let i = 0; i + 6 <= value.length; i++)
    if (shown === text || plain.includes(value.slice(i, i + 6))) return `${form}: ${text}`;
  return undefined;
}

function leaks(forms: readonly Form[]): readonly string[] {
  return forms.flatMap((form) => NAMES.flatMap(([, name, value]) => leak(form, name, value) ?? []));
}

test('[RD4] a secret is hidden under its name in any language, however the letters of both are spelled', () => {
  assert.deepEqual(leaks(SPELLINGS), []);
});
