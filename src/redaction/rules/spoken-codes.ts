import { textBefore, wordsBefore } from '../characters.ts';
import { matchAt } from '../match-at.ts';
import { decidedBy, listOf, matching, onlyWhere } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { SIGN, VERB } from './announcement.ts';
import { speaksOfAnswers, speaksOfCodes, speaksOfPins } from './talk.ts';
import { isAboutSecrets } from './plain-words.ts';

/** Codes of doors, safes, messages and cards, as people say them to each other, and the answers that unlock an account. */

const UNITS =
  'bits|bytes|characters|chars|days|entries|files|hours|items|lines|minutes|ms|pages|rows|seconds|steps|times|tokens|users|versions|weeks|words|years|kg|mm|cm|km|m|eur|usd|euros?|dollars|meters?|feet|inches|places|people|zeilen|lignes|líneas|righe|linhas|regels|linii|строк';
/** Digits, perhaps in groups, with a letter or a key of the pad. */
const DIGITS = String.raw`["'«„“「『【\[（(]?(?:[A-Z]-)?(?<v>\d{1,2}(?:[ -]\d{1,2}){2,3}|\d{3}[ -]\d{3,4}|\d{4}[ -]\d{4}|[#*]?(?:\p{L}{0,2}\d{3,8}|\d{1,5}\p{L}\d{0,5})[#*]?)(?![\w%-]|[.,:/]\d|:[ \t]| (?:${UNITS})(?!\p{L}))`;
const JOINT = String.raw`(?:${SIGN}|${VERB}|[ \t]{1,3}(?:är|er|je|on|είναι|ήταν)[ \t]{1,3}|(?<=[\u3040-\uffff])(?:[是为為はがは은는이가]|です)?[：:]?[ \t]{0,3})`;

/** Round numbers are sizes and times of the day. */
const isNoPlainNumber = (value: string): boolean => !/^(?:[1-9]0{3,}|1024|2048|4096|8192)$/.test(value);
const isDoorCode = (value: string): boolean =>
  (/[#*]/.test(value) || value.length >= 4) &&
  value === value.toUpperCase() &&
  isNoPlainNumber(value) &&
  !/^(?:0[5-9]|1\d|2[0-3])00$/.test(value);
const isMessageCode = (value: string): boolean =>
  /^\d(?:[ -]?\d){3,7}$/.test(value) &&
  !/^\d{1,2}-\d{1,2}-\d{1,2}$|^(?:19|20)\d\d(?:[ -](?:19|20)\d\d)?$/.test(value) &&
  isNoPlainNumber(value);

const DOOR = [
  'key ?safe|lock ?box|pad ?lock|key ?pad|key ?box|safe|garage|gate|door|entry|entrance|building|alarm|locker|parking|elevator|lift|gym',
  'barrier|intercom|buzzer|bridge|meeting|unlock|disarm|shed|phone|tablet|screen|handy|entsperr|sperr|ontgrendel|telefon|haustür|tür|tor|garagen|schranken|tresor|schlüsselsafe|schlüsseltresor|eingangs|keller|hof|deur|poort|kluis|sleutelkluis|port|dør|dörr',
].join('|');
const BRAND =
  'airbnb|alipay|amazon|apple|bankid|binance|bizum|blik|coinbase|digid|discord|doctolib|duo|facebook|github|google|icloud|instagram|kakao(?:talk)?|linkedin|microsoft|mobilepay|netflix|okta|outlook|paypal|revolut|signal|slack|snapchat|spotify|steam|swish|telegram|tiktok|twint|twitter|uber|viber|vipps|wechat|weibo|whatsapp|yahoo';
/** What stands before the word for a code. */
const OF_DOOR_BEFORE = new RegExp(`(?<!\\p{L})(?:${DOOR})(?: access)?[ -]?$`, 'iu');
const OF_MESSAGE_BEFORE = new RegExp(
  `(?<!\\p{L})(?:${BRAND}|sms|text message|otp|2fa|verification|confirmation|login|one[- ]time)[ -]?$`,
  'iu',
);
/** Of places, parcels, errors and prices are other codes. */
const OTHER_BEFORE =
  /(?:zip|post(?:al)?|area|country|error|status|exit|promo|discount|coupon|voucher|product|order|booking|reference|tracking|source|bar|qr|dress|swift|sort|bic|branch|bank|airport|colou?r|dial(?:ling)?|state|region|language|currency|vat|tax|invite|referral|fehler|bestell|artikel|produkt|buchungs)[ -]?$/iu;
/** What somebody got or gave. */
const GIVEN =
  /(?:receiv\w{1,3}|got|sent|texted|enter(?:ed)?|typed?|erhalten|bekommen|reçu|recib\p{L}{1,2}|ricevuto|recebi|ontvangen|otrzymał[ea]m|получил\p{L}?)(?: (?:the|a|this|my|your|den|le|el|il|o|de))? $/iu;
/** Behind the date of a card. */
const OF_CARD =
  /(?:exp|valid|vence|gültig|scad|ważna)\p{L}{0,6}[^\r\n]{0,10}\d\d ?\/ ?\d\d(?:\d\d)?[,;]? $/iu;
const YOURS =
  /(?<!\p{L})(?:your|my|ihr|dein|mein|votre|ton|mon|su|tu|mi|suo|tuo|mio|seu|teu|meu|uw|je|mijn|twój|mój|ваш|твой|мой|твій|мій)(?: [\p{L}\d]{2,16})?[ -]$/iu;

/** What stands behind it. */
const OF_DOOR = [
  "(?:de déverrouillage|de desbloqueo|di sblocco|de desbloqueio|odblokowania|разблокировки|розблокування|dostępu|доступа|d’accès|d[’']accès|de acceso|di accesso|de acesso)",
  '(?:für|zu[rm]?|vo[nm]) (?:(?:der|die|das|den|dem) )?(?:haustür|tür|tor|garage|schranke|tresor|safe|schlüsselsafe|keller|eingang|hof)',
  "(?:(?:du|de|de la|des) |(?:de )?l['’])?(?:portail|immeuble|porte|entrée|garage|alarme|coffre(?:-fort)?|barrière|parking|interphone|boîte à clés|hall)",
  '(?:(?:del?|de la) )?(?:portal|puerta|garaje|cochera|alarma|caja fuerte|entrada|verja|candado|edificio)',
  "(?:(?:del|della|di) |dell['’])?(?:cancello|portone|porta|garage|allarme|cassaforte|ingresso|cassetta|lucchetto)",
  '(?:d[oae] )?(?:portão|porta|garagem|alarme|cofre|prédio|entrada|condomínio|cadeado)',
  '(?:van|voor) (?:de|het) (?:poort|deur|voordeur|garage|kluis|alarm|sleutelkluis|slot)',
  '(?:do|od) (?:bramy|drzwi|domofonu|furtki|garażu|sejfu|alarmu|klatki|budynku|skrytki)',
  '(?:от|для|на|к) (?:домофона|двери|подъезда|ворот|калитки|сейфа|гаража|замка|сигнализации|шлагбаума)',
  '(?:for|to|of|on) (?:the |my |our )?(?:door|gate|garage|front door|back door|building|alarm|safe|lock|lockbox|key safe|shed|bike lock|padlock)',
].join('|');
const OF_MESSAGE = [
  '(?:(?:that|which) )?(?:I|we|you) (?:just )?(?:got|received|see|have)(?: (?:by|via|per) (?:sms|text))?|(?:that|which) (?:came|arrived|was sent)(?: (?:by|via|per|to) (?:my )?(?:sms|text|phone))?',
  "que (?:j['’]ai reçu|recibí|me llegó|me ha llegado|recebi|chegou)|che (?:ho ricevuto|mi è arrivato)|(?:den|der) (?:ich bekommen habe|ich erhalten habe|kam|gekommen ist),?|die ik (?:kreeg|heb ontvangen)|który (?:dostał[ea]m|przyszedł)|который (?:приш[её]л|я получил[а]?)",
  `(?:(?:de|do|di|del|für|von|voor|van|for|from|od|do|от|для|в|із|из) )?(?:${BRAND})`,
  '(?:(?:from|from the|by|via|per|aus|aus der|par|por|del|do|da|z|ze|из|з|із|no) )?(?:sms|смс|text|text message)',
  "(?:de |di |d[’'])?(?:vérification|confirmation|sécurité|validation|verificación|verificação|verifica|conferma)",
  '(?:weryfikacyjny|potwierdzający|подтверждения|проверки|підтвердження)',
].join('|');
const CODE_SAID = new RegExp(
  `(?:codes?|combination|combo|c[oó]digo|codice|k[oó]d(?:em|e|en|u|um)?|koodi|код)(?: (?:(?<door>${OF_DOOR})|(?<message>${OF_MESSAGE})|(?<other>[\\p{L}\\d]{3,16})(?=[ \\t]?[:：])))?(?:${JOINT}|(?<bare>[ \\t]{1,3}))${DIGITS}`,
  'iuy',
);

/** `your code review: 4821` */
const OF_PROGRAM =
  /^(?:base|block|blocks|change|changes|coverage|file|files|lines?|paths?|point|points|quality|review|reviews|size|style)$/i;
/** Of a lock with a dial. */
const IN_TURNS = /^(?=.*\d\d)\d{1,2}(?:-\d{1,2}){2}$/;

/** Of a lock they are keys. */
const MARKDOWN = /^\*{1,2}|\*{1,2}$/g;

/** @param at where the word for a code stands: what it is of is said before or behind it */
function findCode(text: string, at: number): Span | undefined {
  const match = matchAt(CODE_SAID, text, at);
  const { v = '', door, message, bare, other } = match?.groups ?? {};
  if (!match) return undefined;
  const before = wordsBefore(text, at, 32);
  if (other !== undefined && (!YOURS.test(before) || OF_PROGRAM.test(other))) return undefined;
  if (bare !== undefined && /^(?:19|20)\d\d$/.test(v)) return undefined;
  const isOfDoor =
    door !== undefined || OF_DOOR_BEFORE.test(before) || (/^comb/i.test(match[0]) && IN_TURNS.test(v));
  const isOfMessage =
    message !== undefined ||
    OF_MESSAGE_BEFORE.test(before) ||
    (bare === undefined && YOURS.test(before) && !OTHER_BEFORE.test(before));
  const isInGroups = /^\d{6}$|^\d{3}[ -]\d{3}$/.test(v);
  const isGiven = isInGroups && GIVEN.test(before) && !OTHER_BEFORE.test(before);
  const isOfCard = /^\d{3}$/.test(v) && OF_CARD.test(before);
  if (isGiven || isOfCard) return { start: at + match[0].length - v.length, end: at + match[0].length };
  if (!(isOfDoor && isDoorCode(v)) && !(isOfMessage && isMessageCode(v.replace(MARKDOWN, ''))))
    return undefined;
  const end = at + match[0].length;
  return { start: end - v.length, end };
}

/** Names that hold their kind in themselves. */
const WHOLE_NAME = [
  '(?:key ?safe|lock ?box|key ?box|schlüsselsafe|sleutelkluis)(?=[ \\t]?[:：])|digicode|blik|passcode|(?:2fa|mfa)(?=:)|authenticator(?: app)?(?= (?:shows|says|gives|is))(?: (?:shows|says|gives))?',
  '(?:门锁|门禁|大门|保险箱|保险柜|单元门)(?:密码|密碼|码)|开门码|验证码|驗證碼',
  '(?:玄関|オートロック|金庫|キーボックス)の(?:暗証番号|番号|コード|パスワード)|認証コード|確認コード',
  '(?:현관문?|공동현관|도어락|금고|대문) ?(?:비밀번호|비번|코드)',
].join('|');

/** What a code may be for that opens or closes. */
const LOCK =
  /lock|safe|door|gate|garage|shed|keypad|box|entry|alarm|disarm|bike|vault|schloss|tür|(?<!\p{L})tor(?!\p{L})|tresor|coffre|porte|portail|cadenas|boîte|caja|puerta|candado|portal|cassaforte|porta|cancello|lucchetto|cofre|cadeado|portão|kluis|deur|poort|slot|sejf|drzwi|brama|kłódka|сейф|двер|ворот|замок/u;
const hasLockBefore = (text: string, at: number): boolean =>
  LOCK.test(text.slice(Math.max(0, at - 80), at + 16).toLowerCase());

/** What leads to a code that was asked for. */
const SO_IT_IS = listOf(
  "it's|it’s|it is|it says|that's|that is|code is|es ist|der code ist|er lautet|c'est|c’est|c'est le",
  'c’est le|es el|è il|código es|código é|codice è|het is|kod to|это|код|ya llegó|one is|one was',
  'gamle var|nye er|gamla var|alte war|neue ist|ancien était|nouveau est|anterior era|nueva es',
  'vecchio era|nuovo è|antigo era|novo é|oude was|nieuwe is|stary to|nowy to|старый|новый|vanha oli',
  'eskisi|yenisi',
);
const ANSWERED = `(?:${SO_IT_IS.toSorted((a, b) => b.length - a.length).join('|')})[,:]?[ \\t]{1,3}`;
const BEHIND_CODE = '(?=[ \\t]{0,2}(?:$|[.!?,;)\\r\\n"]|です|입니다|[ \\t]\\p{L}))';

/** Of boards, packages and games are other pins. */
const PIN_OF_THING =
  /(?<!\p{L})(?:adc|board|bowling|chip|clock|connector|cpu|data|dependency|enable|gpio|ground|header|hair|i\/?o|input|interrupt|kernel|led|node|numpy|output|package|power|push|reset|safety|signal|spi|version|lib\w{0,12})[ _-]$/iu;

/** Digits that are put into what opens: this stands behind them. */
const TYPED = new RegExp(
  `(?<lead>(?:type|enter|press|punch|dial|key in|tippe|gib|drücke|tapez|composez|tapa|compose|marca|teclea|pulsa|digita|digite|toets|wpisz|wciśnij|набери|введите|нажми)(?: in)?(?: the code| den code| le code| el código| il codice)? )${DIGITS}(?:,? \\p{L}{1,6}){1,3}? (?:key ?pad|gate|door|lock|panel|intercom|alarm|safe|lock ?box|tür|tor|tastenfeld|haustür|schloss|tresor|portail|porte|digicode|clavier|puerta|teclado|portal|cancello|portone|tastiera|portão|porta|poort|deur|bramie|drzwiach|domofonie|домофоне|двери)(?!\\p{L})`,
  'iuy',
);

/** How an answer begins. */
const SO = [
  'yes',
  'ok',
  'sure',
  'ja',
  'oui',
  'sí',
  'sì',
  'si',
  'sim',
  'tak',
  'да',
  'é',
  'è',
  'es',
  'to',
  'est',
];

/** The beginning of a line: who speaks. */
const SPEAKER =
  /[\r\n](?:[\t >*[(]{0,3}(?:\d{1,2}:\d{2}(?::\d{2})?[\])]?[ -]{0,3})?[<@]?\p{L}[\p{L}\d .'’_()-]{0,24}>?)?$/u;
const ASKED =
  /[?？]|sent|send|read|tell|give|confirm|geschickt|gesendet|nennen|envoy|donne|envia|reenvia|diga|invi|legg|dett|mand|verstuurd|gestuurd|poda|wysła|назов|отправ|прислал|告诉|发送|教えて|送り|불러|말씀|보내/u;
/** In a turn before, on a line of its own, somebody asked for a code. */
function isAskedFor(text: string, at: number): boolean {
  return SPEAKER.test(textBefore(text, at, 44)) && wasAsked(text, at);
}
/** `I got the code, it is` */
const GOT_CODE =
  /(?:receiv\w{1,3}|got|texted me|erhalten|bekommen|reçu|recib\p{L}{1,2}|ricevuto|recebi|ontvangen|dostał[ea]m|получил\p{L}?) (?:\p{L}{1,6} )?(?:code|c[oó]digo|codice|kod|код)[,.:;]? (?:\p{L}{1,6} )?$/iu;
function wasAsked(text: string, at: number): boolean {
  const before = textBefore(text, at, 200);
  return (
    /[\r\n]/.test(before) &&
    (speaksOfCodes(text, at) || speaksOfPins(text, at)) &&
    ASKED.test(before.toLowerCase())
  );
}

const MOTHERS =
  "mother['’]s maiden name|maiden name of (?:my|the|his|her|your) mother|(?:mädchen|geburts)name (?:der|meiner|ihrer|seiner) mutter|nom de jeune fille de (?:la|ma|sa|votre) mère|apellido de soltera de (?:la|mi|su|tu) madre|cognome da nubile (?:della|di mia|di sua) (?:madre|mamma)|nome de solteira da (?:minha |sua )?mãe|meisjesnaam van (?:mijn|de|haar|zijn|uw) moeder|nazwisko panieńskie matki|девичья фамилия матери";
const ANSWER =
  '(?:interac|security|secret|challenge|recovery|e-?transfer) answer|answer to (?:my|the|your|his|her) (?:security|secret|recovery) question|antwort auf die sicherheitsfrage|geheime antwort|réponse secrète|réponse à (?:la|ma) question (?:secrète|de sécurité)|respuesta (?:secreta|de seguridad)|risposta (?:segreta|di sicurezza)|resposta (?:secreta|de segurança)|(?:geheim ?|beveiligings)antwoord|odpowiedź na pytanie (?:pomocnicze|zabezpieczające)|ответ на (?:секретный|контрольный) вопрос';
const ANSWER_IN_TALK = 'answer|antwort|réponse|respuesta|risposta|resposta|antwoord|odpowiedź|ответ';
/** One to three words that end a clause. */
const WORDS = String.raw`["'«„“]?(?<v>(?=\S{3})[\p{L}\d'’-]{1,24}(?: [\p{L}\d'’-]{2,24}){0,2})(?=["'»“”]?(?:$|[\r\n,;!)|]|\.(?:\s|$)))`;
const isAnswer = (value: string): boolean => !NO_ANSWER.test(value) && !isAboutSecrets(value, 'secret is ');
const NO_ANSWER =
  /^(?:a|an|asked|correct|case|different|hidden|in|incorrect|is|it|my|never|no|none|not|on|optional|required|saved|see|stored|that|the|unknown|use|very|what|wrong|yes|your)(?:[ ]|$)|^\d{1,3}$/i;

export const SPOKEN_CODE_RULES: readonly Rule[] = [
  {
    id: 'spoken_code',
    kind: 'SECRET',
    hints: [
      'code',
      'combination',
      'combo ',
      'combo:',
      'código',
      'codigo',
      'codice',
      'kod',
      'kód',
      'koodi',
      'код',
    ],
    find: decidedBy(CODE_SAID, findCode),
    examples: {
      hits: [
        'key safe code ⟦C4178⟧.',
        'gate code is ⟦#4921⟧, ring',
        'Le code du portail est ⟦41B78⟧.',
        'код от домофона ⟦4178⟧',
        'Your Signal code: ⟦481-019⟧',
        'Votre code de vérification est ⟦50 44 17⟧.',
        'Kod BLIK ⟦602 382⟧ – wazny',
        'Код з SMS: ⟦7712⟧',
        'Ihr PayPal-Code lautet: ⟦481 019⟧',
      ],
      misses: [
        'door code: unknown',
        'the gate code 12 lines',
        'alarm code 2000 lines',
        'el código de error es 50012',
        'code du portail v2',
        'your code is 200 lines long',
        'Your order code: see below',
        'su código es 404',
        'Kod BLIK jest ważny 2 minuty',
        'the code 4821 is ready',
      ],
    },
  },
  {
    id: 'code_of_door',
    kind: 'SECRET',
    hints: listOf(
      'key safe:|key safe :|keysafe:|lockbox:|lock box:|key box:|keybox:|schlüsselsafe:|sleutelkluis:',
      'digicode|blik|passcode |2fa:|mfa:|authenticator |门锁密|门禁密|大门密|保险箱密|保险柜密|单元门密|门锁码|门禁码|开门码|验证码|驗證碼|玄関の|金庫の|オートロックの|キーボックスの|認証コ|確認コ|현관 비|현관비',
      '현관문|공동현관|도어락|금고 비|금고비|대문 비',
    ),
    find: matching(new RegExp(`(?:${WHOLE_NAME})(?:${JOINT}|[ \\t]{1,3})${DIGITS}`, 'iu'), isDoorCode),
    examples: {
      hits: ['key safe: ⟦4178⟧', '玄関の暗証番号は⟦4178⟧です', 'digicode ⟦41B78⟧', 'BLIK: ⟦602382⟧'],
      misses: ['key safe: left of the door', 'digicode en panne', '门禁密码已重置'],
    },
  },
  {
    id: 'opened_with',
    kind: 'SECRET',
    hints: listOf(
      'opens with |open with |unlocks with |arm with |armed with |arms with |armed by |bike lock |bike lock:|padlock |padlock:|front door |front door:|back door:|side gate:|front gate:|garage door:|lockbox is |the safe is ',
      "öffnet mit |geht mit |öffnen mit |s'ouvre avec |s’ouvre avec ",
      'abre con |abre com |apre con |open met |otwiera się kodem |открывается кодом |открывается по коду ',
      'keypad |combination |combo ',
    ),
    find: onlyWhere(
      hasLockBefore,
      matching(
        new RegExp(
          `(?:(?:opens?|unlocks) with|(?:dis)?arm(?:ed|s)? (?:with|by)|(?:bike lock|padlock|front door|back door|side gate|front gate|garage door|lock ?box|the safe)(?: is|:)|(?:öffne[nt]|geht) mit|s['’]ouvre avec|abre con|abre com|apre con|open met|otwiera się kodem|открывается (?:кодом|по коду)|(?:combination|combo)(?: is|:)|keypad(?: (?:at|on|by|for|next to) (?:the |my )?\\p{L}{2,16})? (?:wants|takes|is|needs|accepts))(?: (?:(?:the|dem|le|el|il|o|de) )?(?:code|pin|c[oó]digo|codice))? ${DIGITS}`,
          'iu',
        ),
        isDoorCode,
      ),
    ),
    examples: {
      hits: [
        'The lockbox next to the door opens with ⟦2581⟧.',
        'the garage keypad wants ⟦11948*⟧',
        'The safe combination is ⟦24-8-31⟧.',
        'Le coffre s’ouvre avec ⟦4471⟧.',
      ],
      misses: [
        'The door opens with a squeak.',
        'the file opens with 2049',
        'The gate opens with the release at 1800.',
        'keypad is 12 keys wide',
      ],
    },
  },
  {
    id: 'code_typed',
    kind: 'SECRET',
    hints: listOf(
      'type |enter |press |punch |dial |key in |tippe |gib |drücke |tapez |composez |tapa |compose |marca |teclea |pulsa |digita |digite |toets |wpisz |wciśnij |набери |введите |нажми ',
    ),
    wordStart: true,
    find: decidedBy(TYPED, (text, at) => {
      const match = matchAt(TYPED, text, at);
      const { v = '', lead = '' } = match?.groups ?? {};
      return match && isDoorCode(v)
        ? { start: at + lead.length, end: at + lead.length + v.length }
        : undefined;
    }),
    examples: {
      hits: ['Type ⟦7719#⟧ on the keypad.', 'Punch in ⟦7719⟧ at the gate.'],
      misses: ['type 4096 in the field', 'enter 7719 rows at once', 'press 2 at the door'],
    },
  },
  {
    id: 'recovery_code',
    kind: 'SECRET',
    hints: listOf(
      'recovery code|backup code|rescue code|restore code|wiederherstellungscode|code de secours|code de récup|codes de secours',
      'código de recup|código de respaldo|codice di recup|herstelcode|kod zapasowy|kod odzysk|код восст|резервный код|リカバリーコード|バックアップコード|복구 코드|백업 코드',
    ),
    find: matching(
      new RegExp(
        `(?:(?:recovery|backup|rescue|restore) codes?|wiederherstellungscodes?|codes? de (?:secours|récupération)|código de (?:recuperación|recuperação|respaldo)|codice di recupero|herstelcode|kod (?:zapasowy|odzyskiwania)|код восстановления|резервный код|リカバリーコード|バックアップコード|(?:복구|백업) 코드)(?:${JOINT}|[ \\t]{1,3})["'\\x60]?(?<v>(?=[a-z-]{0,40}\\d)[a-z\\d]{4,10}(?:-[a-z\\d]{4,10}){1,7})(?![\\w-]|\\.\\w)`,
        'iu',
      ),
    ),
    examples: {
      hits: ['recovery code: ⟦k7qp-x2mv⟧.'],
      misses: ['recovery code paths: read-only', 'backup code: well-known', 'recovery code for step-2'],
    },
  },
  {
    id: 'pin_said',
    kind: 'SECRET',
    hints: ['pin is ', 'pin was '],
    wordStart: true,
    find: onlyWhere(
      (text, at) => !PIN_OF_THING.test(textBefore(text, at, 24)),
      matching(
        new RegExp(
          `pin (?:is|was) ["']?(?<v>\\d{4}|\\d{6})(?![\\w%-]|[.,:/]\\d| (?:${UNITS})(?!\\p{L}))`,
          'iu',
        ),
        isNoPlainNumber,
      ),
    ),
    examples: {
      hits: ['the bridge pin is ⟦558219⟧', 'my netflix pin is ⟦0412⟧.'],
      misses: ['the GPIO pin is 1234', 'the numpy pin is 1264 days old', 'the pin is 2048'],
    },
  },
  {
    id: 'code_meant',
    kind: 'SECRET',
    hints: SO_IT_IS.map((phrase) => (phrase === 'ya llegó' ? phrase : `${phrase} `)),
    wordStart: true,
    find: onlyWhere(
      (text, at) => speaksOfPins(text, at) || wasAsked(text, at) || GOT_CODE.test(textBefore(text, at, 60)),
      matching(new RegExp(`${ANSWERED}${DIGITS}${BEHIND_CODE}`, 'iu'), isMessageCode),
    ),
    examples: {
      hits: [
        'Jeg har glemt min pinkode. Den gamle var ⟦6031⟧.',
        'Agente: Le acabo de reenviar el SMS. Llegó?\nCliente: Ya está, es el ⟦481019⟧.',
      ],
      misses: [
        'The old one was 6031.',
        'Agent: Which order number?\nCustomer: It is 482913.',
        'I lost my PIN; it was 2019.',
      ],
    },
  },
  {
    id: 'code_in_answer',
    kind: 'SECRET',
    hints: [
      ...Array.from('0123456789', (digit) => `: ${digit}`),
      ...SO.map((word) => `: ${word}`),
      ...listOf('客户：|客戶：|用户：|顾客：|お客様：|ユーザー：|利用者：|고객：'),
    ],
    find: onlyWhere(
      isAskedFor,
      matching(
        new RegExp(
          `(?:: (?:(?:${SO.join('|')})[,.]? )?|\\p{L}{2,4}：)${DIGITS}(?=[ \\t]{0,2}(?:$|[.!,\\r\\n"]|です|입니다))`,
          'iu',
        ),
        isMessageCode,
      ),
    ),
    examples: {
      hits: [
        'Agent: I have sent you a code, could you read it?\nCustomer: ⟦481 019⟧.',
        'Berater: Ich habe einen Code per SMS geschickt.\nKunde: ⟦481019⟧\n',
        '客服：请告诉我验证码。\n客户：⟦481019⟧.',
      ],
      misses: [
        'Agent: What is the order number?\nCustomer: 482913',
        'Agent: What is the error code?\nCustomer: 500123',
        'code: 481019',
      ],
    },
  },
  {
    id: 'security_answer',
    kind: 'SECRET',
    hints: listOf(
      'interac answer|security answer|secret answer|challenge answer|recovery answer|transfer answer',
      "answer to |maiden name of|mother’s m|mother's m|mädchenname|geburtsname|antwort auf|geheime antwort",
      'nom de jeune fille|réponse secr|réponse à|apellido de sol|respuesta secr|respuesta de seg',
      'cognome da nub|risposta segr|risposta di sic|nome de solt|resposta secr|resposta de seg|meisjesnaam',
      'geheim antwoord|geheimantwoord|beveiligingsantwoord|nazwisko pani|odpowiedź na|девичья фам|ответ на ',
    ),
    find: matching(new RegExp(`(?:${ANSWER}|${MOTHERS})(?:${SIGN}|${VERB}|\\? )${WORDS}`, 'iu'), isAnswer),
    examples: {
      hits: [
        'Interac answer: ⟦kingfisher⟧.',
        "Her mother's maiden name is ⟦Kingfisher⟧.",
        'Nom de jeune fille de la mère : ⟦Martin⟧.',
        'Mädchenname der Mutter: ⟦Eisvogel⟧;',
      ],
      misses: [
        'Her maiden name is asked for in the form.',
        'security answer: required',
        'The answer to the security review is on page 12.',
      ],
    },
  },
  {
    id: 'answer_meant',
    kind: 'SECRET',
    hints: [
      'answer: ',
      'answer is ',
      'antwort: ',
      'réponse : ',
      'réponse: ',
      'respuesta: ',
      'risposta: ',
      'resposta: ',
      'antwoord: ',
      'odpowiedź: ',
      'ответ: ',
    ],
    wordStart: true,
    find: onlyWhere(
      speaksOfAnswers,
      matching(new RegExp(`(?:${ANSWER_IN_TALK})(?: is| ?:) ${WORDS}`, 'iu'), isAnswer),
    ),
    examples: {
      hits: [
        'Sicherheitsfrage: Haustier, Antwort: ⟦Eisvogel⟧.',
        'security question: first pet, answer: ⟦Rex⟧.',
      ],
      misses: ['Answer: use a queue', 'Question 3, answer: Paris'],
    },
  },
];
