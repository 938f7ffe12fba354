import { textBefore } from '../characters.ts';
import { isTextAboutSecrets } from '../about-secrets.ts';
import { matching, onlyWhere } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { isAboutSecrets, isPhrase } from './plain-words.ts';
import { isActualValue } from './secret-value.ts';

/** Passwords that tests fill into the forms of pages: the field is called so, the value stands behind or beside it. */

const FIELD = String.raw`(?:passw(?:or)?d|passphrase|passcode|passwort|kennwort|mot_?de_?passe|contrase[ñn]a|senha|pwd|(?:^|[^a-z])p(?:ass|w))`;
/** A field, to the end of what finds it, on to the call that fills it. */
const FINDS_FIELD = new RegExp(
  String.raw`${FIELD}[\w-]{0,16}(?:\\?["'\x60\])/]|/i){1,8}(?:(?:, ?exact: ?\w{4,5})? ?\}\))?(?:\.(?:first|clear|click|focus|last)\(\)|\.perform\(|\)){0,3}\s{0,24}\.?$`,
  'i',
);
/** A call that finds a field, and the beginning of what is given to it. */
const ENDS_IN_FIELD = new RegExp(
  String.raw`${FIELD}[\w-]{0,16}["'\x60/i]{1,3}\){1,3}(?:, ?\{ ?target: ?\{ ?)?$`,
  'i',
);
const FILL_CALL = String.raw`(?:type|fill|sendkeys|send_keys|settext|setvalue|set_value|entertext|enter_text|typetext|inputtext|val|set|input|presssequentially|addvalue|replacetext)`;
const VALUE = String.raw`(?<v>(?<=")(?!\$[A-Za-z_])(?:[^"\r\n{}$]|\$(?!\{)){3,128}(?=["{])|(?<=')(?:[^'\r\n{}$]|\$(?!\{)){3,128}(?=['{])|(?<=\x60)(?:[^\x60\r\n{}$]|\$(?!\{)){3,128}(?=[\x60{]))`;

const isValue = (value: string): boolean =>
  isActualValue(value) && !isTextAboutSecrets(value) && !isAboutSecrets(value.trim());

/** Members by which the tools of agents that use a browser name a field, and those with what is to be typed into it. */
const MEMBER_OF_FIELD =
  /(?:element|selector|locator|target|name|label|field|placeholder|description|input|id|css|xpath)(?:_?(?:name|label|selector|description))?\\{0,4}["'][ \t]?:[ \t]?\\{0,4}["'](?:[^"'\r\n]|(?<==\\{0,4})["']){0,60}$/i;
const MEMBER = String.raw`\\{0,4}["'][\w-]{1,24}\\{0,4}["']\s?:\s?(?:\\{0,4}["'][^"'\r\n\\]{0,80}\\{0,4}["']|[\w.-]{1,16})\s{0,16},\s{0,16}`;
/** That a member ends is seen first: to look for words that make it no field costs far more. */
const REST_OF_FIELD = String.raw`(?=[^"'\r\n\\]{0,40}(?:\\{0,4}["']?\])?\\{0,4}["']\s{0,16},)(?![^"'\r\n]{0,40}(?:error|hint|label|link|button|message|help|strength|toggle|reset|forgot|show|hide|rule|polic|requirement|heading|title|icon|length))[^"'\r\n\\]{0,40}(?:\\{0,4}["']?\])?\\{0,4}["']\s{0,16},\s{0,16}`;
const TYPED = String.raw`\\{0,4}["'](?:text|value|keys|input_text|input_value|fill_value|text_to_type)\\{0,4}["'][ \t]?:[ \t]?\\{0,4}["']`;
/** Of several words only what people remember: an element's text is a sentence. */
const isTyped = (value: string): boolean => isValue(value) && (!/\s/.test(value) || isPhrase(value));

/** A call that finds a field is not longer. */
const MAX_BEFORE = 120;

const isInMember = (text: string, at: number): boolean =>
  MEMBER_OF_FIELD.test(textBefore(text, at, MAX_BEFORE));

/** Behind a value of Robot Framework two blanks at least, a tab, or the end of the line. */
const CELL = String.raw`(?:[ \t]{2,24}|\t{1,8})(?<v>(?![$@&%]\{)[^\s]{3,64}(?: [^\s]{1,64}){0,8})(?=[ \t]{0,8}(?:\r?\n|$)|[ \t]{2}|\t)`;

export const FILLED_FORM_RULES: readonly Rule[] = [
  {
    // https://docs.cypress.io, https://playwright.dev/docs/input, https://www.selenium.dev, https://webdriver.io, Espresso, XCUITest
    id: 'filled_field',
    kind: 'SECRET',
    hints: [
      'type(',
      'fill(',
      'sendkeys(',
      'send_keys(',
      'settext(',
      'setvalue(',
      'set_value(',
      'entertext(',
      'enter_text(',
      'typetext(',
      'inputtext(',
      '.val(',
      '.set(',
      'sequentially(',
      'addvalue(',
      'replacetext(',
    ],
    find: onlyWhere(
      (text, at) => FINDS_FIELD.test(textBefore(text, at, MAX_BEFORE).replace(/press$/, '')),
      matching(new RegExp(String.raw`\.?(?:sequentially|${FILL_CALL})\(["'\x60]${VALUE}`, 'i'), isValue),
    ),
    examples: {
      hits: [
        "cy.get('#password').type('⟦driftwood⟧')",
        "cy.get('input[name=password]').type('⟦driftwood⟧{enter}')",
        'driver.find_element(By.ID, "password").send_keys("⟦driftwood⟧")',
        "page.getByLabel('Password').fill('⟦drift wood⟧')",
        'app.secureTextFields["Password"].typeText("⟦driftwood⟧")',
        "$('#password').val('⟦driftwood⟧')",
        "page.getByRole('textbox', { name: 'Password' }).fill('⟦driftwood⟧')",
        "cy.get('#password').type('⟦dr1ft$$wood⟧')",
      ],
      misses: [
        "cy.get('#email').type('driftwood')",
        "cy.get('#password').type(password)",
        "cy.get('#password').type('required')",
        "cy.get('#password'); cy.get('#zone').type('driftwood')",
      ],
    },
  },
  {
    // The field and the value are arguments of one call
    id: 'field_and_value',
    kind: 'SECRET',
    hints: [
      'fill(',
      'fill_in',
      '.type(',
      '>type(',
      'typetext(',
      'setvalue(',
      'userevent.',
      'fillfield(',
      'selenium.type(',
    ],
    find: matching(
      new RegExp(
        String.raw`(?:fill|fill_in|[.>]type|typetext|setvalue|userevent\.\w{4,12}|fillfield)[( ]\s{0,8}(?:[\w.]{0,40}\()?["'\x60/](?:[^\r\n,]{0,60}[^a-z\r\n,])?${FIELD}[^\r\n,]{0,24},\s{0,8}(?:with: ?)?["'\x60]${VALUE}`,
        'i',
      ),
      isValue,
    ),
    examples: {
      hits: [
        "await page.fill('input[name=\"password\"]', '⟦driftwood⟧')",
        "fill_in 'user_password', with: '⟦driftwood⟧'",
        "->type('password', '⟦driftwood⟧')",
        "await userEvent.type(screen.getByLabelText(/password/i), '⟦driftwood⟧')",
      ],
      misses: [
        "page.fill('#email', 'driftwood')",
        "page.fill('#password', password)",
        "fill_in 'Password', with: user.password",
        "t.type('password', 'string')",
      ],
    },
  },
  {
    // https://testing-library.com/docs/dom-testing-library/api-events, https://developer.mozilla.org/docs/Web/API/HTMLInputElement
    id: 'value_of_field',
    kind: 'SECRET',
    hints: ['.value = ', '.value=', 'value: '],
    find: onlyWhere(
      (text, at) => ENDS_IN_FIELD.test(textBefore(text, at, MAX_BEFORE)),
      matching(new RegExp(String.raw`\.?value(?: ?= ?|: )["'\x60]${VALUE}`, 'i'), isValue),
    ),
    examples: {
      hits: [
        "document.getElementById('password').value = '⟦driftwood⟧';",
        "fireEvent.change(getByLabelText('Password'), { target: { value: '⟦driftwood⟧' } })",
      ],
      misses: [
        "document.getElementById('zone').value = 'driftwood';",
        "document.getElementById('password').value = '';",
      ],
    },
  },
  {
    // https://github.com/microsoft/playwright-mcp: `{"element": "Password input", "ref": "e12", "text": "…"}`
    id: 'typed_by_tool',
    kind: 'SECRET',
    hints: [
      'password',
      'passwort',
      'kennwort',
      'passphrase',
      'passcode',
      'contrase',
      'senha',
      'wachtwoord',
      'mot de passe',
      'passwd',
      'pwd"',
      'pass"',
    ],
    find: onlyWhere(
      isInMember,
      matching(
        new RegExp(
          String.raw`(?:passw(?:or)?[dt]|passphrase|passcode|pass|kennwort|mot de passe|contrase[ñn]a|senha|wachtwoord|pwd)${REST_OF_FIELD}(?:${MEMBER}){0,4}${TYPED}(?<v>(?:[^"'\r\n\\{}$]|(?<=[^"'])\$(?!\{)){3,128})(?=\\{0,4}["'])`,
          'i',
        ),
        isTyped,
      ),
    ),
    examples: {
      hits: [
        '{"element": "Password input", "ref": "e12", "text": "⟦driftwood⟧"}',
        '{"name": "Password", "type": "textbox", "ref": "e7", "value": "⟦driftwood⟧"}',
        String.raw`"{\"selector\":\"input[type=password]\",\"text\":\"⟦driftwood⟧\"}"`,
        "{'target': 'Passwort-Feld', 'text': '⟦drift wood sea⟧'}",
      ],
      misses: [
        '{"element": "Email input", "ref": "e12", "text": "driftwood"}',
        '{"element": "Password input", "ref": "e12", "text": "required"}',
        '{"element": "Password hint", "ref": "e12", "text": "Eight letters"}',
        '{"element": "Forgot password link", "ref": "e12", "text": "Forgotten"}',
        '{"note": "Password input", "text": "driftwood"}',
        '{"element": "Password input", "ref": "e12"}',
      ],
    },
  },
  {
    // The same, of a PIN
    id: 'pin_typed_by_tool',
    kind: 'SECRET',
    hints: ['pin"', 'pin\\', 'pin input', 'pin field', 'pin code', 'pin box', 'pin-code', 'pin_code'],
    find: onlyWhere(
      isInMember,
      matching(
        new RegExp(
          String.raw`(?<![a-z])pin(?![a-z])${REST_OF_FIELD}(?:${MEMBER}){0,4}${TYPED}(?<v>\d{4,8})(?=\\{0,4}["'])`,
          'i',
        ),
      ),
    ),
    examples: {
      hits: [
        '{"selector":"#pin","value":"⟦4711⟧"}',
        '{"element": "PIN code field", "ref": "e3", "text": "⟦471147⟧"}',
      ],
      misses: [
        '{"selector":"#pinned","value":"4711"}',
        '{"selector":"#year","value":"2024"}',
        '{"note":"#pin","value":"4711"}',
      ],
    },
  },
  {
    // https://cucumber.io/docs/gherkin
    id: 'step_with_password',
    kind: 'SECRET',
    hints: ['fill in "', 'fills in "', 'filled in "'],
    find: matching(
      /fill(?:s|ed)? in "[^"\n]{0,24}(?:passw(?:or)?d|passphrase|pin)" with "(?<v>[^"\r\n<$][^"\r\n<]{2,63})(?=")/i,
      isValue,
    ),
    examples: {
      hits: ['And I fill in "Password" with "⟦driftwood⟧"'],
      misses: ['And I fill in "Zone" with "driftwood"', 'And I fill in "Password" with "<password>"'],
    },
  },
  {
    // https://robotframework.org/robotframework/latest/RobotFrameworkUserGuide.html#variable-section, SeleniumLibrary, Browser
    id: 'robot_password',
    kind: 'SECRET',
    hints: [
      'assword}',
      'passwd}',
      'pwd}',
      'pass}',
      ' pw}',
      '_pw}',
      'secret}',
      'token}',
      'input password ',
      'fill secret ',
      'type secret ',
    ],
    find: onlyWhere(
      (text, at) =>
        /^(?:input|fill|type) /i.test(text.slice(at, at + 6)) ||
        /\$\{[\w ]{0,40}$/.test(textBefore(text, at, MAX_BEFORE)),
      matching(
        new RegExp(
          String.raw`(?:(?:assword|passwd|pwd|pass|[ _]pw|secret|token)\} ?=?|(?:input password|(?:fill|type) secret)[ \t]{1,24}\S{1,64}(?: \S{1,64}){0,4})${CELL}`,
          'i',
        ),
        (value) => isValue(value) && !/^(?:get|set|log|should|create|evaluate|run|\[)\b/i.test(value),
      ),
    ),
    examples: {
      hits: [
        '${LOGIN PASSWORD}    ⟦drift-wood⟧\n',
        '${PASSWORD} =    ⟦driftwood⟧\n',
        '    Input Password    id:pw    ⟦driftwood⟧\n',
      ],
      misses: [
        '${PASSWORD}    ${SECRET}\n',
        '${ZONE}    driftwood\n',
        'Input Password    id:pw    ${PW}\n',
        '${PASSWORD}    Get Value\n',
      ],
    },
  },
  {
    id: 'robot_field',
    kind: 'SECRET',
    hints: ['input text ', 'fill text ', 'type text '],
    find: matching(
      new RegExp(
        String.raw`(?:input|fill|type) text[ \t]{1,24}(?:[^\s]{0,40}[^a-z\s])?${FIELD}[\w\]"'-]{0,16}${CELL}`,
        'i',
      ),
      isValue,
    ),
    examples: {
      hits: ['    Input Text    pw_field    ⟦drift-wood⟧\n'],
      misses: ['    Input Text    name_field    drift-wood\n', '    Input Text    pw_field    ${PW}\n'],
    },
  },
];
