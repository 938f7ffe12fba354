import { textBefore, wordsBefore } from '../characters.ts';
import { fitsAt } from '../match-at.ts';
import { decidedBy, listOf } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { announced, isAsciiPassword, isPassword, OF_WHAT, OPEN_QUOTE, SIGN, VALUE } from './announcement.ts';
import type { Said } from './announcement.ts';
import { endsClause, isAboutSecrets, isPlainWord } from './plain-words.ts';
import { isReadableId } from './technical-words.ts';
import { inTalk, isFirm, isMixed, speaksOfLogins, speaksOfPasswords } from './talk.ts';

/** Passwords that people say to each other with no verb, beside a name, or when the talk is of one anyway. */

const NAME =
  '(?:(?:wi-?fi|wlan|wpa\\d?)-?)?(?:pass-?(?:wor[dt]|phrase|wd)|kennwort|mot de passe|mdp|contrase(?:ñ|n)a|clave|senha|palavra-passe|wachtwoord|hasł(?:o|em)|haslo|парол(?:ь|ем)|şifre(?:m|si|miz|niz)?|parola(?:m|sı)?|heslo|κωδικός|lösenord(?:et)?|adgangskoden?|kodeord(?:et)?|passord(?:et)?|salasana(?:ni)?|(?<![\\p{L}\\d_])(?:pw|pwd|psk|pass (?:is|es|est|è|ist)(?= )))';
const HINTS = listOf(
  "password's |password’s |password? |passwort? |mot de passe ? |contraseña? |senha? |wachtwoord? |hasło? |пароль? |pw? |pass is |pass es |pass est |pass è |pass ist ",
  'password |passwort |passwd |passphrase |kennwort |mot de passe |mdp |contraseña |contrasena |clave ',
  'senha |palavra-passe |wachtwoord |hasło |hasłem |haslo |пароль |паролем |şifre |şifrem |şifresi ',
  'şifremiz |şifreniz |parola |parolam |heslo |κωδικός |lösenord |lösenordet |adgangskode |adgangskoden ',
  'kodeord |kodeordet |passord |passordet |salasana |salasanani |pw |pwd |psk ',
);
/** Only what a word has not. */
const NOT_A_WORD = String.raw`(?=["'\x60«„“‘]|[^\s]{0,64}[\d!#$%&*+=?^~@])`;

/** What joins them in talk, and joins words about passwords to them as well. */
const SAID = String.raw`(?:['’]s(?: still| now)?|[ \t]?[?？]|,| (?:would|should|must) be| (?:was )?set (?:as|to)| as)?`;

const VERB_OF_TALK = /(?:[?？]| is| es| est| è| ist| be| as| to| still| now)\s{1,3}$/;

/** A value that nothing joins to its name: in quotes, or mixed as no word is. */
function isBeside(said: Said): boolean {
  // Asked for, or one of several things that are listed.
  if (
    !said.isQuoted &&
    (VERB_OF_TALK.test(said.lead) || /[,;:(]\s?$/.test(said.before)) &&
    endsClause(said.rest)
  )
    return isMixed(said.value) && isPassword(said);
  if (said.isQuoted)
    return /[\d!#$%&*+=?^~@-]/.test(said.value) && !/ .* /.test(said.value) && isPassword(said);
  return isFirm(said.value) && isPassword(said);
}

/** Words for who logs in, or where a device joins. */
const USER =
  '(?:user ?(?:name|id)?|login|account|benutzer(?:name)?|nutzer|utilisateur|identifiant|usuario|utente|utilizador|usuário|gebruiker(?:snaam)?|użytkownik|пользователь|користувач|логин|kullanıcı(?: adı)?|uživatel|användare|bruger|bruker|käyttäjä)';
const NETWORK = '(?:ssid|wi-?fi|wlan|network|netzwerk|réseau|red|rete|rede|netwerk|sieć|сеть|мережа|ağ)';
const IS = '(?::| is| ist| est| es| è| é| to)?';
const NO_USER =
  '(?!(?:a|and|con|com|default|e|et|has|i|is|it|log|master|met|mit|must|na|name|new|o|of|old|oder|on|or|own|root|strong|temporary|the|to|und|with|y|z|и)(?![\\p{L}\\d]))';
const WITH =
  '[,;]?(?: (?:and|with|und|mit|et|avec|y|con|e|com|en|met|i|z|и|с|ve))?(?: (?:the|a|das|dem|le|la|a|el|het|o))?';

const SET =
  /(?:set|chang(?:e|ed|ing)|reset(?:ting)?|updat(?:e|ed|ing)|switch(?:ed)?|made)(?: [\p{L}'’]{1,12}){0,4} $/iu;
const CHANGED =
  /(?:gesetzt|geändert|gewechselt|umgestellt|chang|modifi|cambi|actualic|aggiorn|mud[eo]|alter|troq|verander|gewijzigd|ingesteld|zmieni|ustawi|смени|помен|измени|зміни|поміня|değiştir|změn|ändra|ändret|endr|bytt|vaiht|imposta|reset|réinitiali|restablec)/iu;
const TO_OF_OTHERS = 'auf|in|zu|en|à|pour|a|al|para|por|em|op|naar|na|в|на|til|till|i';
/** What a password is set to do, or to be: `to expire`, `to something longer`. */
const NO_PASSWORD =
  /^(?:a|an|another|any(?:thing|one)?|apply|be|become|comply|contain|default|expire|fail|fix|follow|get|give|have|his|her|include|it|its|keep|last|make|match|meet|mine|my|never|no|not|one|our|ours|read|run|satisfy|see|some(?:thing|one)?|stop|test|that|the|their|them|these|this|those|try|what|whatever|which|work|write|your|yours)$/i;

/** Up to three words that no sentence is made of. */
function areWords({ value, lead, before, rest }: Said): boolean {
  const words = value.split(' ');
  return (
    SET.test(before) &&
    /^(?:$|[\r\n,;)]|[.!](?:\s|$))/.test(rest) &&
    words.every((word) => isPlainWord(word) && !NO_PASSWORD.test(word) && !isAboutSecrets(word, lead)) &&
    words.length > 1
  );
}

/** What stands for a password that was spoken of before. */
const MEANT = listOf(
  "one is|one was|which is|which was|it's|it’s|it is|it was|that's|should be|must be|is now|set to|changed to|reset to|updated to|i typed",
  'i entered|i used|i tried|i put|i chose|typed|entered|new one:|old one:|ist jetzt|neue ist|neue lautet',
  'alte war|andere ist|lautet|lautet jetzt|habe ich|ich habe|es ist|nämlich|und zwar|dann ist es',
  "j'ai mis|j’ai mis|j'ai tapé|j’ai tapé|j'ai saisi|c'est|c’est|c'était|nouveau est|nouvelle est",
  "ancien est|ancien était|qui est|j'ai essayé|he puesto|he escrito|he usado|he metido|he probado|puse",
  'es la|nueva es|nuevo es|anterior era|otra es|vieja era|que es|ho messo|ho scritto|ho usato',
  'ho inserito|ho provato|nuova è|vecchia era|che è|coloquei|botei|digitei|usei|tentei|nova é|antiga era',
  'que é|het is|ik heb|nieuwe is|oude was|nowe to|stare to|wpisałem|wpisałam|to jest|новый|старый|ввел',
  'ввёл|это|новий|старий|yenisi|eskisi|nové je|nya är|gamla var|nye er|gamle var|uusi on',
);
/** What is given to be tried. */
const TO_TRY = listOf(
  'try|try with|use|versuch|versuch es mit|versuche|nimm|probier|probier mal|essaie|essayez|prueba con',
  'usa|prova|prova con|tente|tenta com|probeer|spróbuj|попробуй|попробуйте',
);
const behind = (phrases: readonly string[]): string =>
  `(?:${phrases.toSorted((a, b) => b.length - a.length).join('|')})(?: (?:with|now|mit|mal))?:?[ \\t]{1,3}${NOT_A_WORD}${OPEN_QUOTE}${VALUE}`;
const hintsOf = (phrases: readonly string[]): readonly string[] => phrases.map((phrase) => `${phrase} `);

/** Who logs in, and with what. */
const ACCOUNTS = ['admin', 'root', 'user', 'demo', 'test', 'guest', 'operator', 'service', 'ops', 'sysadmin'];
const AND = ['and', 'und', 'et', 'e', 'y', 'en', 'i', 'и', 'con', 'com', 'mit', 'with', '-', '–'];
/** Before a pair, or before its second half, a line has said something; a colon between blanks is of a form. */
const IN_SENTENCE = /(?:[\p{L},>;]|\S[:：])[ \t]{1,3}["'\x60(]?(?:[\p{L}\d][\p{L}\d_.@+-]{1,63})?$/u;

/** The turn before was a question. */
const ASKED_BEFORE = /[?？][^\p{L}\r\n]{0,4}[\r\n]{1,2}[^\r\n]{0,24}$/u;

/** Whose it is says that the word itself was asked for. */
const ASKED_FOR_WORD =
  /(?:what|which|tell|give|have|say|confirm|lautet|welche|nenn|quel|donne|cuál|diga|dígame|qual|dica|jakie|podać|какой|назов|wat is)[^?\r\n]{0,24} (?:your|ihr|dein|votre|ton|su|tu|sua|suo|seu|uw|je|twoje|pana|pani|ваше?|твой)(?!\p{L})[^?\r\n]{0,24}(?:memorable|pass(?:word|phrase)|kenn?wort|passwort|mot de passe|contrase|clave|parola|senha|wachtwoord|hasło|парол|слово)[^?\r\n]{0,16}\?[\r\n]/iu;
const isAnswerOfWord = (value: string): boolean =>
  /^\p{L}{5,24}$/u.test(value) &&
  !/^(?:again|anything|forgot\w*|hello|maybe|moment|never|nichts|nothing|okay|please|really|sorry|thanks|unknown|vergessen|which|yeah|oublié|desculpe|perdón|scusi|bedankt|спасибо)$/iu.test(
    value,
  );

/** What says of the word before it that it is a password. */
const NAME_BEHIND = listOf(
  'as the password|as password|as your password|as a password|as his password|as her password|as my password|is the password|is your password|is my password|was the password',
  'als passwort|als kennwort|ist das passwort|comme mot de passe|est le mot de passe|como contraseña|es la contraseña|come password|è la password|como senha|é a senha|als wachtwoord|is het wachtwoord|jako hasło|to hasło|как пароль|это пароль',
);
/** Nothing that a password is only a part of comes behind it. */
const NAME_BEHIND_AT = new RegExp(
  `(?: (?:${NAME_BEHIND.join('|')}))(?![\\p{L}\\d_]| (?!(?:for|on|to|in|of|and|für|auf|pour|para|per|voor|na|dla|для)(?!\\p{L}))\\p{L})`,
  'iuy',
);
const WORD_BEFORE = /[^\s"'\x60«»„“”]{6,64}["'\x60»“”]?$/u;

/** What opens in front of a word, or is its name. */
const NO_PART = /^(?:[([{]|\*{1,3}|<\w{1,8}>|[\w-]{1,24}=)+(?=\S{6})/;

function findBeforeName(text: string, at: number): Span | undefined {
  const found = WORD_BEFORE.exec(wordsBefore(text, at, 66));
  if (!found || !fitsAt(NAME_BEHIND_AT, text, at)) return undefined;
  const lead = NO_PART.exec(found[0])?.[0].length ?? 0;
  const value = found[0].slice(lead).replace(/["'\x60»“”]$/, '');
  const start = Math.max(0, at - 66) + found.index + lead;
  const said = { value, before: textBefore(text, start, 80), lead: '', rest: '', isQuoted: false };
  return isFirm(value) && isPassword(said) ? { start, end: start + value.length } : undefined;
}

/** Right behind the word it is none of what the password is for: `on` is a verb in Finnish. */
const NORTH_VERB = String.raw`[ \t]{1,3}(?:je|bylo|είναι|ήταν|är|var|er|on|oli|olarak)[ \t]{1,3}`;

/** A remark of code begins so as well. */
const IN_LIST = /\S[:：,][ \t]{1,3}[\p{L}\d][\p{L}\d_.@+-]{1,63}$/u;

export const SPOKEN_PASSWORD_RULES: readonly Rule[] = [
  {
    id: 'password_beside',
    kind: 'SECRET',
    hints: HINTS,
    find: announced(
      String.raw`${NAME}${OF_WHAT}${SAID}[ \t]{1,3}${NOT_A_WORD}${OPEN_QUOTE}${VALUE}`,
      isBeside,
    ),
    examples: {
      hits: [
        'Mi contraseña ⟦Girasol99!⟧ ya no funciona',
        'la clave del wifi "⟦gaviota-con-sal⟧"',
        'My password ⟦Sunflower99⟧ no longer works',
        'Şifrem ⟦Aycicegi99!⟧ artık çalışmıyor',
      ],
      misses: [
        'the password "password" is weak',
        'the password reset page',
        'password v2 endpoints',
        'the password for server12 is stored',
        'Şifrem artık çalışmıyor.',
      ],
    },
  },
  {
    id: 'announced_password_north',
    kind: 'SECRET',
    hints: ['şifre', 'parola', 'heslo', 'κωδικ', 'lösenord', 'adgangskode', 'kodeord', 'passord', 'salasana'],
    find: announced(
      String.raw`(?:şifre(?:m|si|miz|niz)?|parola(?:m|sı)?|heslo|(?<!ταχυδρομικός )κωδικός(?: πρόσβασης)?|lösenord(?:et)?|adgangskoden?|kodeord(?:et)?|passord(?:et)?|salasana(?:ni)?)(?:${NORTH_VERB}|${OF_WHAT}(?:${SIGN}|${NORTH_VERB}))${OPEN_QUOTE}${VALUE}`,
      (said) =>
        isPassword(said) &&
        (/[:=]\s*["'\x60]?$/.test(said.lead) || said.isQuoted || !isPlainWord(said.value)),
    ),
    examples: {
      hits: [
        'Şifre: ⟦aycicegi⟧,',
        'Heslo je ⟦Slunecnice7⟧.',
        'Ο κωδικός που έβαλα ήταν ⟦iliotropio1974⟧',
        'Lösenordet är ⟦Solros77⟧',
        'Adgangskode: ⟦solsikke⟧.',
        'Salasana on ⟦Auringonkukka7⟧',
        'Salasana on ⟦Auringonkukka7⟧ from d80:e4b5',
      ],
      misses: [
        'Heslo je povinné.',
        'Lösenordet är fel.',
        'Passordet er feil.',
        'Salasana on väärä.',
        'Şifre: gerekli',
      ],
    },
  },
  {
    // Of a device or a network there may be no word for a user before it
    id: 'qualified_password',
    kind: 'SECRET',
    hints: HINTS,
    find: announced(
      String.raw`${NAME}(?:[ \t]{1,3}[\p{L}\d._-]{2,20}){1,2}${SIGN}${NOT_A_WORD}${OPEN_QUOTE}${VALUE}`,
      (said) => isFirm(said.value) && isPassword(said),
    ),
    examples: {
      hits: ['Wachtwoord backup: ⟦Zonnebl0em⟧', 'Password NAS: ⟦Sunfl0wer⟧'],
      misses: ['password hash algorithm: sha256', 'password rules: letters', 'password field id: input_12'],
    },
  },
  {
    id: 'password_of_pair',
    kind: 'SECRET',
    hints: listOf(
      'user|login |login:|account |benutzer|nutzer |utilisateur|identifiant|usuario|utente|utilizador',
      'usuário|gebruiker|użytkownik|пользователь|користувач|логин|kullanıcı|uživatel|användare|bruger ',
      'bruker |käyttäjä|ssid|wifi|wi-fi|wlan|network |netzwerk|réseau|red |rete |rede |netwerk|sieć |сеть ',
      'мережа ',
    ),
    wordStart: true,
    find: announced(
      String.raw`(?:${USER}${IS} ["'\x60]?${NO_USER}[\p{L}\d_.@+-]{2,64}["'\x60]?${WITH} (?:${NAME}|pass)|${NETWORK}${IS} (?:["'\x60„“«][^"'\x60„“”«»\r\n]{1,40}["'\x60“”»]|(?=[\p{L}_-]{0,32}[\d\p{Lu}_-])[\p{L}\d_.-]{2,33})${WITH} (?:${NAME}|key|schlüssel|clé|chiave|chave|sleutel|klucz|ключ|pass))${IS}[ \t]{1,3}${OPEN_QUOTE}${VALUE}`,
      isPassword,
    ),
    examples: {
      hits: [
        'utente mrossi, password ⟦girasole⟧.',
        'network "Dune", password ⟦gull-dune-42⟧.',
        'SSID Dune5G, key ⟦gulldune⟧.',
      ],
      misses: [
        'user name and password are required',
        'usuario y contraseña no funcionan',
        'utente e password sono obbligatori',
        'the network key exchange',
        'network-policy v2, key rotation weekly',
      ],
    },
  },
  {
    id: 'password_set_to',
    kind: 'SECRET',
    hints: ['password ', 'passphrase ', 'pass to ', 'pass for ', 'pw to ', 'pw for ', 'pwd to '],
    wordStart: true,
    find: announced(
      String.raw`(?:pass(?:word|phrase)?|pwd?)${OF_WHAT} (?:back )?to[ \t]{1,3}${OPEN_QUOTE}(?<v>(?:(?<=["'\x60«„“])[^"'\x60»“”\r\n\\]{3,64}|[\p{L}-]{3,20}(?: [\p{L}-]{3,20}){1,2}(?![\p{L}-])|[^\s"'\x60«»„“”‘’<>,;\\()]{3,128}))`,
      (said) =>
        SET.test(said.before) &&
        !NO_PASSWORD.test(said.value) &&
        (areWords(said) || (!said.value.includes(' ') && isPassword(said))),
    ),
    examples: {
      hits: [
        'I set the pass to ⟦bluefin salad⟧.',
        "We've reset the pw to ⟦Sunflower99⟧ for him",
        'I set the pass to ⟦bluefin⟧.',
        'I set the pass to ⟦bluefin⟧. 49 tests go to it',
      ],
      misses: [
        'I set the password to expire.',
        'I set the password to something longer.',
        'set the pass to run last.',
        'he got the pass to the museum.',
      ],
    },
  },
  {
    id: 'password_changed_to',
    kind: 'SECRET',
    hints: HINTS,
    find: announced(
      String.raw`${NAME}(?: [\p{L}]{2,12}){0,2} (?:${TO_OF_OTHERS})[ \t]{1,3}${NOT_A_WORD}${OPEN_QUOTE}${VALUE}`,
      (said) =>
        (CHANGED.test(said.before) || CHANGED.test(said.lead) || CHANGED.test(said.rest)) &&
        isMixed(said.value) &&
        isPassword(said),
    ),
    examples: {
      hits: [
        'Ich habe das Passwort auf ⟦Birnbaum99⟧ gesetzt.',
        "J'ai changé le mot de passe en ⟦Tournesol99⟧.",
        'Zmieniłem hasło na ⟦Slonecznik99⟧.',
      ],
      misses: [
        'Ich habe das Passwort auf Wunsch geändert.',
        'das Passwort auf Server12',
        'Zmieniłem hasło na serwerze.',
      ],
    },
  },
  {
    id: 'changed_password_cjk',
    kind: 'SECRET',
    hints: ['密码', '密碼', 'パスワード', '비밀번호', '비번을', '암호를', '패스워드'].flatMap((word) =>
      word.length > 2
        ? [word]
        : ['改', '重', '已', '修', '设', '設', '更', '变', '被'].map((sign) => word + sign),
    ),
    find: announced(
      String.raw`(?:(?:密码|密碼)(?:已|被)?(?:经)?(?:重置|重設|修改|更改|变更|设置|設定|改|设)(?:成|为|為)?了? ?|パスワード[はを] ?|(?:비밀번호|비번|암호|패스워드)(?:를|을) ?)${OPEN_QUOTE}(?<v>(?:(?<=["'\x60「『“])[^"'\x60」』”\r\n\\]{3,64}|(?!["'\x60「『“])[!-&*+\-.\/0-9:=?-Z^-z~@#$%_]{3,128}))(?=["'\x60」』”]? ?(?:[，。,；;！）)\s]|に(?:変更|設定|リセット|し)|(?:으로|로) ?(?:변경|초기화|설정|재설정|바꾸|바꿨|했)|$))`,
      isAsciiPassword,
    ),
    examples: {
      hits: [
        '把密码改成了⟦Xiangrikui99⟧。',
        'パスワードを⟦Himawari99⟧に変更しました',
        '비밀번호를 ⟦haebaragi!99⟧ 로 초기화했습니다',
      ],
      misses: ['密码已重置', '密码改成新的。', 'パスワードを変更しました', '비밀번호를 변경했습니다'],
    },
  },
  {
    id: 'password_meant',
    kind: 'SECRET',
    hints: hintsOf(MEANT),
    wordStart: true,
    find: inTalk(
      speaksOfPasswords,
      behind(MEANT),
      (said) => isMixed(said.value) && !isReadableId(said.value) && isPassword(said),
    ),
    examples: {
      hits: [
        'auth changed, the new one is ⟦r3d::Kelp::2025⟧',
        'the password from compose.yml, which is ⟦k3lp_local1⟧.',
        "mon mot de passe. J'ai mis ⟦Tournesol*57⟧ mais non",
      ],
      misses: [
        'the new one is Kelpwood77',
        'Wrong password; it is now version 1.2.3',
        'the old password store, the new one is vault-prod-2',
        'the password, which is hashed.',
      ],
    },
  },
  {
    id: 'password_to_try',
    kind: 'SECRET',
    hints: hintsOf(TO_TRY),
    wordStart: true,
    find: inTalk(
      speaksOfPasswords,
      behind(TO_TRY),
      (said) => isFirm(said.value) && !isReadableId(said.value) && isPassword(said),
    ),
    examples: {
      hits: ['If the password fails, try ⟦Kelpwood77⟧.'],
      misses: [
        'If the password fails, try server12.',
        'the password tool needs help, use python3',
        'try Kelpwood77',
      ],
    },
  },
  {
    // Of a field or a note: `it shows "…"`
    id: 'password_quoted',
    kind: 'SECRET',
    hints: [
      'shows ',
      'says ',
      'reads ',
      'zeigt ',
      'steht ',
      'affiche ',
      'muestra ',
      'mostra ',
      'dice ',
      'diz ',
      'toont ',
      'staat ',
    ],
    wordStart: true,
    find: inTalk(
      speaksOfPasswords,
      String.raw`(?:shows|says|reads|zeigt|steht|affiche|muestra|mostra|dice|diz|toont|staat):? ${OPEN_QUOTE}${VALUE}`,
      (said) => said.isQuoted && !/\s/.test(said.value) && isMixed(said.value) && isPassword(said),
    ),
    examples: {
      hits: ['Wrong password: the note says "⟦Gr4nite!Wall⟧" with a capital'],
      misses: ['the password page says "Wrong password"', 'the note says "Gr4nite!Wall"'],
    },
  },
  {
    id: 'credential_pair',
    kind: 'SECRET',
    hints: [' / ', ' // ', ...ACCOUNTS.map((name) => `${name}/`), 'admin:', 'root:'],
    find: inTalk(
      (text, at) =>
        (text.startsWith(' //', at) ? IN_LIST : IN_SENTENCE).test(textBefore(text, at, 68)) &&
        speaksOfLogins(text, at),
      String.raw`(?:(?: |(?:${ACCOUNTS.join('|')}))\/|(?:admin|root):| \/\/) ?${OPEN_QUOTE}${VALUE}`,
      (said) =>
        (isFirm(said.value) || /^(?:[A-Z]{3,12}[a-z]{2,8}|[a-z]{3,12}[A-Z]{2,8})$/.test(said.value)) &&
        isPassword(said),
    ),
    examples: {
      hits: [
        "I'll log in with ops / ⟦kelpwood2021⟧ as it says",
        'root pw is above, the switch login is admin/⟦Kelpwood77⟧',
      ],
      misses: [
        'ops / kelpwood2021',
        'Log in with Google / GitHub / GitLab.',
        'the login is at /admin/settings2',
        'login took 2.3 s / request',
      ],
    },
  },
  {
    id: 'account_and_password',
    kind: 'SECRET',
    hints: ['admin', 'root'].flatMap((name) => AND.map((and) => `${name} ${and} `)),
    wordStart: true,
    find: inTalk(
      speaksOfLogins,
      String.raw`(?:admin|root) (?:${AND.join('|')}) ${NOT_A_WORD}${OPEN_QUOTE}${VALUE}`,
      (said) => isFirm(said.value) && isPassword(said),
    ),
    examples: {
      hits: ['la password del NAS: admin e ⟦Girasole79⟧'],
      misses: ['the password of admin and editor1', 'admin e Girasole79'],
    },
  },
  {
    id: 'login_with',
    kind: 'SECRET',
    hints: listOf(
      'logged in as |log in as |login as |sign in as |signed in as |get in as |get in with |angemeldet als |eingeloggt als |anmelden als |einloggen als ',
      'ingelogd als |zalogowany jako |вошел как |вошёл как ',
    ),
    wordStart: true,
    find: announced(
      String.raw`(?:(?:log(?:ged)? ?in|sign(?:ed)? in|get in) as|get in with|(?:angemeldet|eingeloggt|anmelden|einloggen|ingelogd) als|zalogowany jako|вош[её]л как) ["'\x60]?[\p{L}\d_.@+-]{2,64}["'\x60]? (?:with|using|and|mit|und|met|en|z|i|с|и) (?:the )?(?:password |passwort |wachtwoord )?${NOT_A_WORD}${OPEN_QUOTE}${VALUE}`,
      (said) => (isFirm(said.value) || (said.isQuoted && isMixed(said.value))) && isPassword(said),
    ),
    examples: {
      hits: ['I logged in as ci-bot with ⟦Autumn-Leaf3⟧ there', "get in with guest and '⟦lavender-fields7⟧'"],
      misses: [
        'logged in as alice with server12',
        'log in as root and run step2',
        'sign in as admin with Chrome120',
      ],
    },
  },
  {
    id: 'new_of_changed_password',
    kind: 'SECRET',
    hints: ['password ', 'passphrase '],
    find: announced(
      String.raw`pass(?:word|phrase)(?: was| has been| is)?(?: changed| updated| reset| switched)? from ["'\x60]?[^\s"'\x60<>,;()]{4,64}["'\x60]? to ${NOT_A_WORD}${OPEN_QUOTE}${VALUE}`,
      (said) => isMixed(said.value) && isPassword(said),
    ),
    examples: {
      hits: ['password changed from Koala2019 to ⟦Koala2020⟧.'],
      misses: ['moved the password from vault to env', 'password from config to server'],
    },
  },
  {
    id: 'passphrase_of_words',
    kind: 'SECRET',
    hints: [
      'passphrase',
      'pass phrase',
      'парольная фраза',
      'phrase de passe',
      'frase de contraseña',
      'frase d’accesso',
    ],
    find: announced(
      String.raw`(?:pass ?phrase|парольная фраза|phrase de passe|frase de contraseña|frase d['’]accesso)${OF_WHAT}${SIGN}${OPEN_QUOTE}(?<v>[\p{L}\d'’-]{2,16}(?: [\p{L}\d'’-]{2,16}){1,7}(?![\p{L}\d'’-]))`,
      ({ value, lead, rest }) =>
        /^["'\x60»”]?[.!]?(?:$|\s*[\r\n])/.test(rest) &&
        value.split(' ').every((word) => !NO_PASSWORD.test(word) && !isAboutSecrets(word, lead)),
    ),
    examples: {
      hits: ['# passphrase of the key: ⟦red sunday 1987⟧\n'],
      misses: [
        'passphrase: leave empty for none',
        'passphrase: see the wiki',
        'passphrase: required for export',
      ],
    },
  },
  {
    id: 'password_before_its_name',
    kind: 'SECRET',
    hints: NAME_BEHIND.map((words) => ` ${words}`),
    find: decidedBy(NAME_BEHIND_AT, findBeforeName),
    before: (text) => WORD_BEFORE.exec(text)?.index ?? -1,
    examples: {
      hits: [
        'use ⟦Autumn-Leaf3⟧ as password.',
        '⟦Autumn-Leaf3⟧ is the password.',
        'Nimm ⟦Herbst-Laub3⟧ als Passwort.',
      ],
      misses: [
        'use sha256 as password hash',
        'server12 is the password store',
        'use anything as password.',
        'use bcrypt as password hasher',
      ],
    },
  },
  {
    id: 'password_beside_cjk',
    kind: 'SECRET',
    hints: ['密码', '密碼', '비번'].flatMap((word) =>
      Array.from('abcdefghijklmnopqrstuvwxyz0123456789', (sign) => word + sign),
    ),
    find: announced(
      String.raw`(?:密码|密碼|비번)(?<v>[!-&*+\-.\/0-9:=?-Z^-z~@#$%_]{6,128})`,
      (said) => isMixed(said.value) && isAsciiPassword(said),
    ),
    examples: {
      hits: ['用户名admin,密码⟦taiyang99⟧。'],
      misses: ['密码sha256加密', '密码v2接口'],
    },
  },
  {
    id: 'password_in_answer',
    kind: 'SECRET',
    hints: listOf(
      'customer: |caller: |client: |member: |guest: |user: |kunde: |kundin: |anrufer: |client : |cliente: |utente: |usuario: |usuário: |klant: |beller: |klient: |клиент: |客户：|用户：|お客様：|고객: ',
    ),
    wordStart: true,
    find: inTalk(
      (text, at) => speaksOfPasswords(text, at) && ASKED_BEFORE.test(textBefore(text, at, 120)),
      String.raw`[\p{L}]{2,8} ?[:：] ?${OPEN_QUOTE}${VALUE}`,
      (said) =>
        /^[.!"'\x60]?(?:$|\s*[\r\n])/.test(said.rest) &&
        isPassword(said) &&
        (isMixed(said.value) || (ASKED_FOR_WORD.test(said.before) && isAnswerOfWord(said.value))),
    ),
    examples: {
      hits: [
        'Agent: And the password for the account?\nCaller: ⟦mangotango7⟧\n',
        'Berater: Wie lautet Ihr Kundenkennwort?\nKunde: ⟦Leuchtturm⟧.\n',
      ],
      misses: ['Agent: Did you forget the password?\nCaller: Yes', 'Agent: Hello?\nCaller: mangotango7'],
    },
  },
];
