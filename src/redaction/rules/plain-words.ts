import { isTechnical } from './technical-words.ts';

/**
 * A password may be any word. What tells it from a word about passwords: `is required`, `: string`, `= new_password`.
 */

/** Things whose names end as a participle, an adverb or an adjective does. */
const THINGS = [
  'bed|bleed|breed|creed|deed|feed|greed|hundred|kindred|need|sacred|seaweed|seed|speed|steed|weed|evening|morning|lightning',
  'darling|duckling|sterling|spring|starling|string|sibling|wedding|pudding|viking|earring|herring|ceiling|building|clothing|being',
  'thing|something|everything|nothing|swing|sling|sting|bring|boxing|fishing|camping|butterfly|dragonfly|firefly|family|belly|bully',
  'ally|july|italy|holly|jelly|lily|molly|billy|kelly|sally|lolly|teddy|rally|valley|table|cable|vegetable|stable|constable|gable|fable',
  'sable|bible|crucible|olive|native|detective|motive|locomotive|captive|archive|wireless|fearless',
].join('|');

/**
 * Words that say in English what a password is like, or what happens to it: participles, adverbs, adjectives. Those in
 * -ent, -ant, -ect and -ary are counted up: most words that end so are things.
 */
const ENGLISH = new RegExp(
  String.raw`^(?!(?:${THINGS})$)(?:\p{L}{2,12}-){0,2}\p{L}{2,20}(?:ed|ing|ly|able|ible|less|ful|ious|ive|onal)$`,
  'iu',
);
/** The same endings in the other languages. */
const FOREIGN = new RegExp(
  `^(?:${[
    String.raw`(?:aan|af|in|mee|op|toe|uit|voor)?ge\p{L}{2,16}(?:t|en|d)|(?:ver|be|un|on|ab|er)\p{L}{3,16}(?:t|en|ig|lich|elijk|d)`,
    String.raw`\p{L}{2,20}(?:é|ée|oire|ide|rect|recte|ctes?|ado|ada|[ií]d[oa]|ario|aria|orio|oria|ório|ória|ária|ário|rio|bile|vel|nte|cto|cta|rta|ción|zione|ção|eto|eta|ata|ato|uta|uto)`,
    String.raw`nie\p{L}{3,16}|\p{L}{2,18}(?:ane|one|owe|awne|iwe|kie|łe|ste)`,
    String.raw`\p{L}{2,18}(?:ный|ной|нный|нен|ный|вый|лен|шен|тся|ает|ует|щен|ен|но|на|лся|ть)`,
  ].join('|')})$`,
  'iu',
);

/** Words that say so without such an ending, in the twelve languages. */
const STATED = new RegExp(
  `^(?:${[
    'a|all|also|always|an|and|are|as|at|back|bad|be|been|blank|both|bytes|clear|correct|date|dead|done|down|either|else',
    'empty|even|fail|fails|false|file|fine|first|flag|for|free|from|function|given|gone|good|hash|here|hex|how|if|in|is|it|just|chosen|found|hidden|held|left|recovery|taken|stolen|broken|forgotten',
    'kept|key|known|less|long|lost|low|made|may|more|must|my|name|neither|never|new|next|nil|no|none|not|now|null|of|off|once',
    'ok|okay|old|on|one|only|open|option|or|our|out|over|pass|plain|plaintext|prompt|ready|reset|right|safe|same|second|secure',
    'see|sent|set|short|shown|simple|so|stale|still|strong|such|text|that|the|their|them|then|there|these|they|this|through|to',
    'too|true|twice|unknown|unset|up|used|valid|very|via|weak|what|when|where|which|who|why|with|without|written|wrong|your',
    'anonymous|auto|guest|public|section|options|flags|arguments|parameters|fields|values|prompts|rules|managers|files|failure|fail|success|auth|authentication|login|type|field|value|default|argument|parameter|access|server|client|validation',
    'encryption|description|confirmation|protection|rotation|hash|salt|invalid|expired|required|disabled|enabled|changed|missing',
    'system|admin|account|user|username|database|header|cookie|session|vault|keychain|keyring|stdin|file|env|url',
    'absent|adjacent|ancient|apparent|coherent|compliant|consistent|constant|convenient|current|deficient|dependent|different',
    'dormant|efficient|equivalent|evident|existent|frequent|identical|implicit|important|inconsistent|independent|insufficient',
    'irrelevant|nonexistent|noncompliant|permanent|persistent|present|prominent|recent|redundant|relevant|resistant|silent',
    'significant|sufficient|transient|transparent|urgent|vacant|direct|indirect|incorrect|perfect|suspect|arbitrary|customary',
    'mandatory|necessary|obligatory|compulsory|ordinary|primary|satisfactory|secondary|temporary|unnecessary|voluntary|visible',
    'falsch|kurz|lang|leer|richtig|korrekt|nicht|nötig|noch|schon|sehr|sicher|hier|dort|wie|zu|der|die|das|ein|eine|geheim|pflicht',
    'faux|vide|trop|pas|ici|dans|le|la|les|un|une|requis|requise|bon|correct|court|mal|muy|no|es|el|en|aquí|falta|corta|corto|vacía',
    'errata|sbagliata|vuota|corta|scaduta|qui|nel|nella|non|è|em|na|não|aqui|vazia|curta|fraca|forte',
    'fout|leeg|kort|juist|te|niet|hier|het|een|puste|za|nie|jest|w|tu|słabe|krótkie',
    'неверный|неверен|пуст|пустой|не|в|на|и|слишком|тут|здесь|это|новый|старый|прежний|слабый|надёжный|надежный|простой|сложный',
    'neu|neues|alt|altes|stark|schwach|unsicher|gleich|anders|nouveau|ancien|sûr|solide|faible|simple|identique|différent|nuev[ao]|viej[ao]',
    'segur[ao]|débil|fuerte|igual|distint[ao]|diferente|nuov[ao]|vecchi[ao]|sicur[ao]|insicur[ao]|debole|semplice|divers[ao]|nov[ao]|velh[ao]|frac[ao]',
    'nieuw|oud|veilig|onveilig|sterk|zwak|gelijk|hetzelfde|anders|nowe|stare|silne|bezpieczne|proste|inne|takie|gerekli|zorunlu|yanlış',
    'povinné|špatné|nové|staré|slabé|silné|stejné|fel|rätt|nytt|gammalt|svagt|starkt|feil|riktig|nytt|gammelt|forkert|rigtig|nyt|gammel|väärä|oikea|uusi|vanha|heikko|vahva',
    'λάθος|σωστός|νέος|παλιός|υποχρεωτικός|неправильний|новий|старий|слабкий',
  ].join('|')})$`,
  'iu',
);

/** Types of the usual languages, where a type may stand. */
const TYPE =
  /^(?:str|string|text|bytes?|char|varchar|blob|json|uuid|int|integer|long|float|double|number|bool|boolean|date|time|datetime|object|array|list|map|dict|set|tuple|any|unknown|void|never|option|optional|result|secret|secretstr|secretstring|credential|credentials|buffer|file|path)$/i;

/** A name for the thing, not the thing: `new_password`, `userToken`, `apikey`. Digits and other signs are in no such name here. */
const NAMES_SECRET = new RegExp(
  [
    String.raw`^[\p{L}_$.-]{0,40}(?:pass(?:wor[dt]|wd|phrase)|kennwort|secret|token|(?:api|auth|access|private|secret|my|_|-|\.)key|credential)s?(?:[_$.-][\p{L}_$.-]{0,40})?$`,
    String.raw`^(?:[\p{L}$.-]{1,40}_)?(?:pass|pwd|pw|keys?|creds?|login|user|env|config|settings|input|expected|actual|value)(?:_[\p{L}_$.-]{1,40})?$`,
  ].join('|'),
  'iu',
);
/** The same in camel case. */
const NAMES_SECRET_IN_CAMEL =
  /^[a-z]{1,20}(?:[A-Z][a-z]{0,20}){0,3}(?:Pass|Pwd|Pw|Keys?|Creds?|Login|User|Input|Value)$|^(?:pass|pwd|pw|key|cred|login|user|env|config|settings|input|expected|actual|value)[A-Z][A-Za-z]{0,40}$/;

const LETTERS = /^[\p{L}\p{M}]+(?:[-_][\p{L}\p{M}]+)*$/u;
/** `newPassword`, `SecretStr`, `user_input`: of letters only, names of code. */
const NAME_OF_CODE = /^[a-z]{2,}(?:[A-Z][a-z]+)+$|^(?:[A-Z][a-z]+){2,}$|^[a-z]+(?:_[a-z]+)+_?$/;

/** `_password`, `token$1`: what people and bundlers add to a name that is taken. */
export function isMadeUnique(value: string): boolean {
  const name = value.replaceAll(/^_+|\$\d{1,2}$/g, '');
  return name !== value && isTypeOrName(name);
}

/** Nothing but letters, perhaps in parts: it may be a word of a sentence or a name of code. */
export function isPlainWord(value: string): boolean {
  return LETTERS.test(value);
}

/**
 * It says something about a secret, or is the name of its type or of a variable with it. `lead` is what announces it, up
 * to the value: it tells the language. Without one nothing is a sentence, so that no ending of a word counts.
 */
export function isAboutSecrets(value: string, lead?: string): boolean {
  return isTypeOrName(value) || (lead === undefined ? STATED.test(value) : isDescription(value, lead));
}

/** It says what something is like, or what happens to it. */
export function isDescription(value: string, lead: string): boolean {
  return STATED.test(value) || hasEndingOfWord(value, lead);
}

export function isTypeOrName(value: string): boolean {
  return (
    TYPE.test(value) || NAMES_SECRET.test(value) || NAMES_SECRET_IN_CAMEL.test(value) || isTechnical(value)
  );
}

/** A participle, an adverb or an adjective, by its ending. */
function hasEndingOfWord(value: string, lead: string): boolean {
  return ENGLISH.test(value) || (!IN_ENGLISH.test(lead) && FOREIGN.test(value));
}

const IN_ENGLISH =
  /(?:pass(?:word|phrase|code|wd|w?r?d)?|pwd|pw|secret|token|key|credentials?|authorization|bearer)s?\b[\w"'\\\] @.-]{0,60}?(?:[:=>\-?|.+]{1,4}|\b(?:is|was|reads|equals|to|now|still|currently)[:：]?)[\s"'\x60]{0,16}$/i;

/** What a description of a secret begins with, and no phrase that people remember. */
const BEGINS_DESCRIPTION =
  /^(?:as|copy|enter|found|for|from|generate[ds]?|get|if|insert|it|must|no|not|only|obtained|optional|optionally|or|paste|provided|required|same|see|set|should|shared|stored|there|this|to|use[ds]?|value|when|where|will|with|your) /;

/** `four blue birds sing`: several words in small letters that say nothing about secrets, as people choose them for one. */
export function isPhrase(value: string): boolean {
  return (
    /^[\p{Ll}\p{M}\d][\p{Ll}\p{M}\d'’-]{0,20}(?: [\p{Ll}\p{M}\d'’-]{1,20}){1,15}$/u.test(value) &&
    !BEGINS_DESCRIPTION.test(value) &&
    !/(?:^| )(?:api|auth|client|credentials?|header|key|keys|pass(?:word|phrase|code)?s?|secrets?|tokens?|user|value|bytes|characters?|chars|digits|hex|string)(?: |$)/.test(
      value,
    )
  );
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
