/**
 * A password may be any word. What tells it from a word about passwords: `is required`, `: string`, `= new_password`.
 */

/** Words that say what a password is like, or what happens to it, in the twelve languages. */
const DESCRIPTION = new RegExp(
  `^(?:${[
    // Endings of participles, adverbs and adjectives: English, then the others.
    String.raw`\p{L}{2,20}(?:ed|ing|ly|able|ible|less|ful|ious|ary|ory|ent|ant|ive|onal|tion|ted|ect)`,
    String.raw`ge\p{L}{2,16}(?:t|en|d)|(?:ver|be|un|on|ab|er)\p{L}{3,16}(?:t|en|ig|lich|elijk|d)`,
    String.raw`\p{L}{2,20}(?:é|ée|oire|ide|rect|recte|ctes?|ado|ada|ido|ida|ario|aria|orio|oria|ório|ória|ária|ário|rio|bile|vel|nte|cto|cta|rta|ción|zione|ção|eto|eta|ata|ato|uta|uto)`,
    String.raw`nie\p{L}{3,16}|\p{L}{2,18}(?:ane|one|owe|awne|iwe|kie|łe|ste)`,
    String.raw`\p{L}{2,18}(?:ный|ной|нный|нен|ный|вый|лен|шен|тся|ает|ует|щен|ен|но|на|лся|ть)`,
    // Words without such an ending.
    'a|all|also|an|and|are|as|at|back|bad|be|been|blank|both|bytes|clear|correct|date|dead|done|down|either|else',
    'empty|even|fail|fails|false|file|fine|flag|for|free|from|function|given|gone|good|hash|here|hex|how|if|in|is|it|just',
    'kept|key|known|less|long|lost|low|made|may|more|must|my|name|neither|never|new|next|nil|no|none|not|now|null|of|off',
    'ok|okay|old|on|one|only|open|option|or|our|out|over|pass|plain|plaintext|prompt|ready|reset|right|safe|same|secure',
    'see|sent|set|short|shown|simple|so|stale|still|strong|such|text|that|the|their|them|then|there|these|they|this|to',
    'too|true|unknown|unset|up|used|valid|very|via|weak|what|when|where|which|who|why|with|without|written|wrong|your',
    'failure|fail|success|auth|authentication|login|type|field|value|default|argument|parameter|access|server|client',
    'system|admin|account|user|username|database|header|cookie|session|vault|keychain|keyring|stdin|file|env|url',
    'falsch|kurz|lang|leer|richtig|korrekt|nicht|nötig|noch|schon|sehr|sicher|hier|dort|wie|zu|der|die|das|ein|eine|geheim',
    'faux|vide|trop|pas|ici|dans|le|la|les|un|une|requis|bon|correct|court|mal|muy|no|es|el|en|aquí|falta|corta|corto|vacía',
    'errata|sbagliata|vuota|corta|scaduta|qui|nel|nella|non|è|em|na|não|aqui|vazia|curta|fraca|forte',
    'fout|leeg|kort|juist|te|niet|hier|het|een|puste|za|nie|jest|w|tu|słabe|krótkie',
    'неверный|неверен|пуст|пустой|не|в|на|и|слишком|тут|здесь|это',
  ].join('|')})$`,
  'iu',
);

/** Types of the usual languages, where a type may stand. */
const TYPE =
  /^(?:str|string|text|bytes?|char|varchar|blob|json|uuid|int|integer|long|float|double|number|bool|boolean|date|time|datetime|object|array|list|map|dict|set|tuple|any|unknown|void|never|option|optional|result|secret|secretstr|secretstring|credential|credentials|buffer|file|path)$/i;

/** A name for the thing, not the thing. */
const NAMES_SECRET =
  /pass(?:w(?:or)?d|wort|phrase)?|pwd|\bpw\b|secret|token|(?:api|auth|access|private|my|the|_|-)key|^key|cred|login|(?:user|env|config|settings|input|expected|actual|value)/i;

const LETTERS = /^[\p{L}\p{M}]+(?:[-_][\p{L}\p{M}]+)*$/u;
/** `newPassword`, `SecretStr`, `user_input`: of letters only, names of code. */
const NAME_OF_CODE = /^[a-z]{2,}(?:[A-Z][a-z]+)+$|^(?:[A-Z][a-z]+){2,}$|^[a-z]+(?:_[a-z]+)+_?$/;

/** Nothing but letters, perhaps in parts: it may be a word of a sentence or a name of code. */
export function isPlainWord(value: string): boolean {
  return LETTERS.test(value);
}

/** It says something about a secret, or is the name of its type or of a variable with it. */
export function isAboutSecrets(value: string): boolean {
  return DESCRIPTION.test(value) || isTypeOrName(value);
}

export function isTypeOrName(value: string): boolean {
  return TYPE.test(value) || NAMES_SECRET.test(value);
}

/** It says what something is like, or what happens to it. */
export function isDescription(value: string): boolean {
  return DESCRIPTION.test(value);
}

export function isNameOfCode(value: string): boolean {
  return NAME_OF_CODE.test(value);
}

/** A clause or a pair of name and value ends before `rest`: what stands there is not in the middle of a sentence. */
export function endsClause(rest: string): boolean {
  return CLAUSE_END.test(rest);
}

const CLAUSE_END =
  /^(?:$|[\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7a3\r\n,;|)\]}"'`<&\\，。；、」»”“]|[.!?](?:["'`)\]]|\s|$)|[ \t]{1,8}(?:$|[\r\n|#]|[\p{L}\w.-]{1,24}[ \t]?[:=：]))/u;
