import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveText } from './live-text.ts';
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

const MARKDOWN: readonly Form[] = [
  { form: 'bold name and colon', write: (name, value) => `**${name}:** ${value}` },
  { form: 'bold name', write: (name, value) => `- **${name}**: ${value}` },
  { form: 'bold line', write: (name, value) => `**${name}: ${value}**` },
  { form: 'bold value', write: (name, value) => `${name}: **${value}**.` },
  { form: 'italic name', write: (name, value) => `*${name}:* ${value}` },
  { form: 'italic name by underscores', write: (name, value) => `_${name}_: ${value}` },
  { form: 'bold name by underscores', write: (name, value) => `__${name}:__ ${value}` },
  { form: 'name and value as code', write: (name, value) => `\`${name}\`: \`${value}\`` },
  { form: 'bold name, value as code', write: (name, value) => `* **${name}**: \`${value}\`` },
  { form: 'bold name, bold code', write: (name, value) => `**${name}:** **\`${value}\`**` },
  { form: 'struck out', write: (name, value) => `~~${name}: ${value}~~` },
  { form: 'value in the next line', write: (name, value) => `${name}:\n${value}` },
  { form: 'value after an empty line', write: (name, value) => `**${name}:**\n\n  ${value}` },
  { form: 'code block', write: (name, value) => `${name}:\n\`\`\`\n${value}\n\`\`\`` },
  {
    form: 'code block of a language',
    write: (name, value) => `**${name}**:\n\n\`\`\`text\n${value}\n\`\`\``,
  },
  { form: 'code in the next line', write: (name, value) => `## ${name}\n\n\`${value}\`` },
  { form: 'row of a table', write: (name, value) => `| User | ops |\n|---|---|\n| ${name} | ${value} |` },
  { form: 'row with bold and code', write: (name, value) => `| **${name}** | \`${value}\` | note |` },
];

const MARKUP: readonly Form[] = [
  { form: 'bold element', write: (name, value) => `<b>${name}:</b> ${value}` },
  { form: 'bold element, colon behind', write: (name, value) => `<strong>${name}</strong>: ${value}` },
  { form: 'code element', write: (name, value) => `<p>${name}: <code>${value}</code></p>` },
  { form: 'cells', write: (name, value) => `<tr><td>${name}</td><td>${value}</td></tr>` },
  {
    form: 'cells with attributes on lines',
    write: (name, value) => `<td class="l">${name}:</td>\n  <td class="v" id="x">\n    ${value}\n  </td>`,
  },
  {
    form: 'head and cell',
    write: (name, value) => `<th scope="row">${name}</th><td><code>${value}</code></td>`,
  },
  { form: 'definition list', write: (name, value) => `<dl><dt>${name}</dt>\n<dd>${value}</dd></dl>` },
  { form: 'line break', write: (name, value) => `<p>${name}<br/>${value}</p>` },
  { form: 'property list', write: (name, value) => `<key>${name}</key>\n<string>${value}</string>` },
  { form: 'colours', write: (name, value) => `\u001b[1m${name}\u001b[0m: \u001b[32m${value}\u001b[0m` },
  { form: 'colours as escapes', write: (name, value) => `${name}\\e[0m: \\033[32m${value}\\033[0m` },
  { form: 'three quotes', write: (name, value) => `${name} = """${value}"""` },
];

const CODES: readonly Form[] = [
  { form: 'percent codes', write: (name, value) => encodeURIComponent(`${name}: ${value}`) },
  {
    form: 'percent codes twice',
    write: (name, value) => encodeURIComponent(encodeURIComponent(`${name}: ${value}`)),
  },
  {
    form: 'small percent codes',
    write: (name, value) =>
      encodeURIComponent(`${name}: ${value}`).replaceAll(/%../g, (code) => code.toLowerCase()),
  },
  { form: 'entities by number', write: (name, value) => references(`${name}: ${value}`) },
  { form: 'entities by name', write: (name, value) => entities(`${name}: ${value}`) },
  { form: 'escapes', write: (name, value) => escapes(`${name}: ${value}`) },
  { form: 'base64', write: (name, value) => base64(`${name}: ${value}`) },
  { form: 'base64 twice', write: (name, value) => base64(base64(`${name}: ${value}`)) },
  {
    form: 'base64 in a data URL',
    write: (name, value) => `data:text/plain;base64,${base64(`${name}: ${value}`)}`,
  },
  { form: 'hex', write: (name, value) => Buffer.from(`${name}: ${value}`).toString('hex') },
  { form: 'Markdown in entities', write: (name, value) => references(`**${name}**: ${value}`) },
  { form: 'Markdown in base64', write: (name, value) => base64(`**${name}:** \`${value}\``) },
];

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function references(text: string): string {
  return text.replace(/[^\w ]/gu, (char) => `&#${char.codePointAt(0)};`);
}

function entities(text: string): string {
  const names = { ñ: 'ntilde', é: 'eacute', ó: 'oacute', ä: 'auml', ł: 'lstrok', ':': 'colon' };
  return Object.entries(names).reduce((coded, [char, name]) => coded.replaceAll(char, `&${name};`), text);
}

function escapes(text: string): string {
  return text.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function fullWidth(text: string): string {
  return text.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0));
}

/** Of words of Latin letters. */
function lookAlike(name: string): string {
  return /^[ -~]*$/.test(name) ? name.replaceAll('a', 'а').replaceAll('o', 'о') : name;
}

function inNote(text: string): string {
  return `The note says:\n${text}\nThat was all.`;
}

/** The text, if six characters of the value in a row can still be read. */
function leak({ form, write }: Form, name: string, value: string): string | undefined {
  const text = inNote(write(name, value));
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

/** What looks like a form above, and announces nothing. */
const PLAIN = [
  'The **password**: strength and the like are for the form to say.',
  '**Password:**\n\n- at least eight letters\n- one digit',
  '| User | Password | Notes |\n|---|---|---|\n',
  '| Field | Type |\n|---|---|\n| `password` | string |\n| `token` | string | required |',
  '| password | required | min8chars |',
  'Username:\nPassword:\nRegister\n',
  '<label>Password</label><input type="password" name="password" placeholder="at least 8">',
  '<li>Password</li><li>E-mail2</li>',
  '<th>User</th><th>Password</th><th>Role2</th>',
  '<tr><td>Password</td></tr><tr><td>Room 12b</td></tr>',
  'password:\n  type: string\n  minLength: 8\n',
  'cat password | grep base64 | sort',
  '**Tokens:** 4096, **Passwords:** none',
  'The `password` is **required**, the `token` is `optional`.',
  'password = """"""',
  '## Password\n\nIt is `hashed` with argon2.',
];

test('[RD19] a secret is hidden under its name in any language, in whatever code both are written', () => {
  assert.deepEqual(leaks(CODES), []);
});

test('[RD38] names that are set off with no secret behind them stay', () => {
  assert.deepEqual(
    PLAIN.map((text) => redactor.redactText(text)),
    PLAIN,
  );
});

test('[RD38] a secret is hidden that Markdown, HTML or a terminal sets off from its name', () => {
  const forms = [...MARKDOWN, ...MARKUP];
  assert.deepEqual(leaks(forms), []);
  const inJson = forms.map(({ form, write }) => ({
    form: `${form} in JSON`,
    write: (name: string, value: string) => JSON.stringify({ note: inNote(write(name, value)) }),
  }));
  assert.deepEqual(leaks(inJson), []);
});

test('[RD6] [RD38] what is set off is hidden alike however the text is split', () => {
  const texts = [...SPELLINGS, ...MARKDOWN, ...MARKUP, ...CODES].map(({ write }, i) => {
    const [, name, value] = NAMES[i % NAMES.length] ?? ['', '', ''];
    return inNote(write(name, value));
  });
  // Only `user:` tells that the clause ends before it.
  texts.push('<b>Password</b>: driftwood user: ops');
  // What is set off later in a sentence sets off no name before it.
  texts.push('密码_ k000short figd_short **');
  for (const text of [...texts, ...PLAIN]) {
    for (const size of [1, 7]) {
      const live = new LiveText(redactor, { hidden() {} });
      let shown = '';
      for (let at = 0; at < text.length; at += size) {
        live.append(text.slice(at, at + size));
        shown += live.settle();
      }
      assert.equal(shown + live.ended(true), redactor.redactText(text));
    }
  }
});
