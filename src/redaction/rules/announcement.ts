import { wordsBefore } from '../characters.ts';
import { isTextAboutSecrets, isTranslation } from '../about-secrets.ts';
import { matchAt } from '../match-at.ts';
import { decidedBy } from '../rule.ts';
import type { Find } from '../rule.ts';
import { goesOnAsCode, isCode, isCodeInQuotes, isNextName, isPlaceholder, isRandom } from '../validators.ts';
import {
  endsClause,
  isAboutSecrets,
  isNameOfCode,
  isPlainWord,
  isTypeOrName,
  isMadeUnique,
} from './plain-words.ts';
import { isRole, isStepOfMethod, isTechnical, isVersion } from './technical-words.ts';

/**
 * How a sentence, a chat line or a member's name announces a secret in English, German, French, Spanish, Italian,
 * Portuguese, Dutch, Polish, Russian, Chinese, Japanese and Korean: what joins a name and its value, and what a value is.
 */

/** What a secret is of or for, up to the end of the sentence: `for the server`, `от сервера`. Any other noun would be what the sentence is about. */
const FOR_WHAT = String.raw`[ \t]{1,3}(?:for|of|to|on|in|from|at|f[üu]r|des|der|von|vom|zum|zur|im|am|an|auf|beim|du|de|pour|sur|au|del|para|di|dell?a|nel|per|do|da|dos|voor|van|op|na|dla|od|w|от|для|к|на|в|від)(?:[ \t]{1,3}[\p{L}\d._@-]{0,23}[\p{L}\d_@-]){1,4}?`;
/** What the Romance and Slavic languages say behind it: `senha antiga`, `mot de passe actuel`. */
const WHICH = String.raw`[ \t]{1,3}(?:actuel|provisoire|temporaire|par défaut|antig[ao]|atual|nov[ao]|provisóri[ao]|temporári[ao]|padrão|anterior|actual|nuev[ao]|viej[ao]|antigu[ao]|temporal|provisional|por defecto|nuov[ao]|vecchi[ao]|attuale|temporane[ao]|provvisori[ao]|predefinit[ao]|precedente|tymczasowe|nowe|stare|obecne|domyślne)`;
/** What somebody did with it: `that I used yesterday`, `que puse`, `που έβαλα`. */
const WHOSE_DOING = String.raw`,?[ \t]{1,3}(?:(?:(?:that|which)[ \t])?(?:I|we|he|she|they)|que|che|das ich|die ich|dat ik|które|который|που)(?:[ \t]{1,3}[\p{L}'’]{1,16}){1,3}?,?`;
export const OF_WHAT = `(?:${WHICH})?(?:${FOR_WHAT})?(?:${WHOSE_DOING})?`;
/** What is said of it in brackets. */
const REMARK = String.raw`[ \t]\([^()\r\n]{2,40}\)(?=[ \t]{0,4}[:：])`;
/** Signs and words that join a name and its value. */
export const SIGN = String.raw`(?:${REMARK})?[ \t]{0,4}(?:=>|->|:{1,3}=|[=:：＝])(?!=)[ \t]{0,8}`;
export const VERB = String.raw`(?:(?=, c['’]est),)?[ \t]{1,3}(?:(?:is |was )?(?:set|changed|reset|updated) to|is (?:simply|just|actually)|will be|happens to be|turn(?:s|ed) out to be|is|was|reads|equals|ist|war|lautet(?:e)?|hei(?:ß|ss)t|est|était|es|era|(?:è|é|e['’])|foi|to(?: było)?|był[oa]?|jest|brzmi|ser[áà]|sera|wird|c['’]est|это|такой|является|будет|был[оа]?|був|[-–—])(?: now| still| currently| jetzt| ahora| agora| nu| teraz)?[:：]?[ \t]{1,4}`;
/** In Chinese, Japanese and Korean the joining word is glued to both. */
export const PARTICLE = String.raw`[ \t]{0,2}(?:是|为|為|叫|就是|は、?|が|는|은|이|가|[ \t])[：:]?[ \t]{0,3}`;

export const OPEN_QUOTE = String.raw`(?<quote>\\{0,4}["'\x60]|[«„“”‘「『])?`;
export const VALUE = String.raw`(?<v>(?:(?<=["'\x60«„“”‘「『])[^"'\x60»“”’」』\r\n\\]{3,64}|[^\s"'\x60«»„“”‘’「」『』<>,;\\()（），。；、|]{3,128}))`;

const END_OF_SENTENCE = /(?:[.:!?]{1,3}|…)$/;

/** In the middle of a sentence the sign is of the value. */
const GOES_ON = /^ \p{Ll}/u;

/** So much behind a value tells whether a clause ends there. */
const REST = 40;

/** As `matching`, without the end of the sentence, and judging by what comes behind the value. */
export function announced(source: string, valid: (said: Said) => boolean): Find {
  const pattern = new RegExp(source, 'iuy');
  return decidedBy(new RegExp(`(?:${source})[^]{${REST}}`, 'iu'), (text, at) => {
    const match = matchAt(pattern, text, at);
    const { v = '', quote } = match?.groups ?? {};
    if (!match) return undefined;
    const end = at + match[0].length;
    const isOver = quote === undefined && !(v.endsWith('!') && GOES_ON.test(text.slice(end, end + 3)));
    const tail = isOver ? (END_OF_SENTENCE.exec(v)?.[0].length ?? 0) : 0;
    const value = v.slice(0, v.length - tail);
    const rest = text.slice(end - tail, end - tail + REST);
    const lead = text.slice(at, end - v.length);
    const before = wordsBefore(text, at, MAX_BEFORE);
    if (value.length < 3 || !valid({ value, before, lead, rest, isQuoted: quote !== undefined }))
      return undefined;
    return { start: end - v.length, end: end - tail };
  });
}

/** A name in front of the word that announces a value. */
const MAX_BEFORE = 80;

/** A value, what stands before what announces it, this, what follows it, and whether quotes stand around it. */
export interface Said {
  readonly value: string;
  readonly before: string;
  readonly lead: string;
  readonly rest: string;
  readonly isQuoted: boolean;
}

const IN_EXPANSION = /\w:[?+][^\n{]*\}/;
const YAML_TYPE = /^!{1,2}[a-z][a-z_]{1,24}[ \t]+(?:[|>["'{]|\S+(?:[ \t]*[\r\n]|$))/i;

/** What joins a name in quotes and its value. */
const JOINT = /["'] ?[:=]>? ?["']$/;

/** `{"user": name, "password": password}`: what closes the list is not of the value. */
const CLOSED = /(?<=^[^[({]{1,64})[\]})]{1,3}$/;

/** `the password to authenticate`: in English `to` joins no name and value, unless something is set or changed to it. */
const INFINITIVE =
  /^(?:access|authenticate|avoid|be|change|check|compare|confirm|connect|continue|decrypt|encrypt|enter|gain|get|log|login|make|match|open|pass|prevent|proceed|protect|remember|reset|save|send|sign|start|store|unlock|use|validate|verify)$/i;

/** `pierwszy.drugi`, behind a word for a password that no program has for a name; a member would be of something. */
function isPairOfWords(value: string, lead: string): boolean {
  return (
    FOREIGN_NAME.test(lead) &&
    /^\p{Ll}{3,20}\.\p{Ll}{3,20}$/u.test(value) &&
    !/^(?:app|args|auth|conf|config|cred|data|db|env|form|opts|params|req|request|self|settings|this|user)\p{L}{0,12}\./u.test(
      value,
    )
  );
}

const FOREIGN_NAME =
  /^(?:kenn?wort|mots? de passe|contrase|parola|palavra|wachtwoord|has[łl]o|парол|heslo|lösenord|adgangskode|salasana)/iu;

/** Behind a value a remark in brackets, or the other half of what logs in: `and the user is ops`. */
const GOES_ON_WITH_USER =
  /^ (?:\((?!\))|(?:and|und|et|y|e|en|i|и)(?: (?:the|der|le|el|il|o|de|het))? (?:user|login|account|benutzer|gebruiker|utilisateur|identifiant|usuario|utente|utilizador|usuário|użytkownik|пользователь|логин))/iu;

export function isPassword({ value, before, lead, rest, isQuoted }: Said): boolean {
  if (isPlaceholder(value) || isNextName(value) || /^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return false;
  if (isRole(value + rest)) return false;
  if (!isQuoted && (isMadeUnique(value) || isStepOfMethod(before + lead + value))) return false;
  const inner = isQuoted ? value : value.replace(CLOSED, '');
  if (inner !== value && (isPlaceholder(inner) || isTypeOrName(inner) || isNameOfCode(inner))) return false;
  if (
    isQuoted ? isCodeInQuotes(value) || /^\s.*\S$/.test(value) : isCode(value) && !isPairOfWords(value, lead)
  )
    return false;
  // Of a shell and of YAML, which say what becomes of a value or is its type
  if (
    !isQuoted &&
    ((/^[?+]/.test(value) && IN_EXPANSION.test(lead + value + rest)) ||
      (value.startsWith('!') && YAML_TYPE.test(value + rest)))
  )
    return false;
  if (INFINITIVE.test(value) && / to[ \t]{1,4}$/.test(lead)) return false;
  if (!isQuoted && isCode(value + rest.charAt(0)) && !isPairOfWords(value, lead)) return false;
  if (isTextAboutSecrets(value) || (isQuoted && goesOnAsCode(value))) return false;
  if (isQuoted && isTranslation(value, before + lead.replace(JOINT, ''))) return false;
  if (isQuoted && isVersion(value) && /["'] ?: ?["']$/.test(lead)) return false;
  if (isQuoted) return !isAboutSecrets(value) && (/\S{3}/.test(value) || /\s\S+\s/.test(value));
  if (/^[\d.,:/%-]+$/.test(value)) return /^\d{4,12}$/.test(value) && endsClause(rest);
  if (!isPlainWord(value) && isTechnical(value)) return false;
  if (!isPlainWord(value)) return !/^[/.]{1,2}[\w/.-]*$|^[\w.-]+\/[\w./-]+$|^\d+[\p{L}%]{1,6}$/u.test(value);
  return (
    value.length >= 4 &&
    (endsClause(rest) || GOES_ON_WITH_USER.test(rest)) &&
    !isAboutSecrets(value, lead) &&
    !isNameOfCode(value)
  );
}

export function isKey(said: Said): boolean {
  const value = said.isQuoted ? said.value : said.value.replace(/[\])}>]{1,3}$/, '');
  if (value.length < 8 || !/^[\w+/=~.!@#$%^&*-]+$/.test(value) || !isPassword(said)) return false;
  return /\d/.test(value) ? isRandom(value) : /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(value) && value.length >= 12;
}

/** Only ASCII can be told from the sentence that goes on behind it. */
export function isAsciiPassword(said: Said): boolean {
  return /^[!-~]+$/.test(said.value) && isPassword(said);
}

export const CJK_VALUE = String.raw`(?<v>(?:(?<=["'\x60「『“])[^"'\x60」』”\r\n\\]{3,64}|(?!["'\x60「『“])[!#-&*+\-.\/0-9:=?-Z^-z~@#$%_]{3,128}))`;

/** A word of two signs is part of many others: its hint is the word with what joins it to a value. */
export function joinedInCjk(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => (word.length > 2 ? [word] : CJK_JOINTS.map((joint) => word + joint)));
}

/** What sets a name off from its value: Markdown, elements, colours of terminals. */
const SET_OFF = ['*', '`', '_', '~', '|', '<', '\n', '\u001b', '\\'];
const CJK_JOINTS = ['是', '为', '為', '：', ':', '=', ' ', '"', '는', '은', ...SET_OFF];
