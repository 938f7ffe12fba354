import { isDigit, isUpper, withoutEscapes, wordsBefore } from '../characters.ts';
import { lengthAt, matchAt } from '../match-at.ts';
import { decidedBy, listOf, onlyWhere } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { begun } from '../open-pattern.ts';
import { NAMES, TAIL } from './address-parts.ts';

/** Postal addresses that say so themselves: a house number, a name and a word for a street. */

const CAPITAL = String.raw`[A-Z\u00c0-\u00de][\w\u00df-\u024f'’.-]{0,24}`;
const ORDINAL = String.raw`(?:\d{1,3}(?:st|nd|rd|th))`;
/** House number and the street's name, up to the word that says what it is. */
const NUMBER_AND_NAME = String.raw`\d{1,5}[A-Za-z]?(?:-\d{1,4})?,? (?:[NSEW]\.? |North |South |East |West )?(?:${CAPITAL}|${ORDINAL})(?: ${CAPITAL}){0,3} `;
/** Years of a copyright are no number of a house. */
const HOUSE = new RegExp(
  String.raw`(?:^|[^\w.,/#:-])(?<!(?:\([cC]\)|©|[Cc]opyright) )(?<v>${NUMBER_AND_NAME})$`,
);
/** As far as it is there. */
const HOUSE_BEGUN = begun(new RegExp(String.raw`(?<![\w.,/#:-])${NUMBER_AND_NAME}`));
const STREET = /(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd)\b\.?/y;
/** Words with other meanings: they need a town behind them. */
const PLACE =
  /(?:Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Ter|Way|Parkway|Pkwy|Highway|Hwy|Circle|Cir|Crescent|Close|Row|Mews|Gardens|Trail|Trl)\b\.?/y;
const REST = new RegExp(TAIL, 'uy');

const STREET_AND_REST = new RegExp(` (?:${STREET.source}|${PLACE.source})${TAIL}`, 'u');

function houseBefore(text: string, at: number): string | undefined {
  // Nearly every hint is an ordinary word, and not written with a capital.
  if (!isUpper(text.charCodeAt(at + 1)) || !startsNamelike(text, wordBefore(text, at))) return undefined;
  return HOUSE.exec(wordsBefore(text, at + 1, 100))?.groups?.['v'];
}

/** `221B Baker Street, London NW1 6XE`. `at` is the space before the word for the street. */
function findStreet(text: string, at: number): Span | undefined {
  const house = houseBefore(text, at);
  if (house === undefined) return undefined;
  const start = at + 1 - house.length;
  const street = lengthAt(STREET, text, at + 1);
  const word = street > 0 ? street : lengthAt(PLACE, text, at + 1);
  if (word === 0) return undefined;
  const end = at + 1 + word;
  const rest = lengthAt(REST, text, end);
  return street > 0 || rest > 0 ? { start, end: end + rest } : undefined;
}

/** Where the word that ends at `end` begins, looking back as far as a word of a name is long. */
function wordBefore(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < 28 && text.charCodeAt(start - 1) !== 32) start--;
  return start;
}

function startsNamelike(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return isUpper(unit) || isDigit(unit) || unit > 0x7f;
}

/** Words for a street that stand before its name. */
const STREET_WORDS = [
  '[Rr]ue|[Aa]venue|[Bb]oulevard|[Pp]lace|[Qq]uai|[Cc]hemin|[Ii]mpasse|[Aa]llée|[Rr]oute',
  '[Cc]alle|[Aa]venida|[Aa]vda\\.?|[Aa]v\\.|[Bb]lvd\\.|[Bb]ulevar|[Cc]alzada|[Cc]alz\\.|[Cc]arrer|[Cc]arretera|[Cc]tra\\.|[Pp]aseo|[Pp]laza|[Pp]asaje|[Jj]irón|[Jj]r\\.|[Aa]lameda|[Rr]ambla|[Rr]onda',
  '[Rr]ua|[Rr]úa|[Pp]ra[cç]a|[Tt]ravessa|[Ee]strada|[Rr]odovia|[Ll]argo',
  '[Vv]ia|[Pp]iazza|[Pp]iazzale|[Vv]iale|[Cc]orso|[Vv]icolo|[Ss]trada',
  '[Uu]l\\.|[Uu]lica|[Aa]l\\.|[Aa]leja|[Oo]s\\.|[Pp]l\\.|[Bb]ulevardul|[Cc]alea|[Ss]tr\\.',
  '[Уу]л\\.|[Уу]лица|[Пп]роспект|[Пп]росп\\.|[Пп]р-т|[Пп]р\\.|[Бб]ульвар|[Бб]ул\\.|[Бб]-р|[Пп]ереулок|[Пп]ер\\.|[Пп]лощадь|[Пп]л\\.|[Нн]аб\\.|[Шш]оссе',
  '[Вв]ул\\.|[Вв]улиця|[Пп]ров\\.|[Пп]ровулок|[Пп]лоща',
  '[Οο]δός|[Οο]δού|[Λλ]εωφ\\.|[Λλ]εωφόρος',
].join('|');
/** Behind the name the number may have a word in front. */
const NUMBER_SIGN = String.raw`(?:(?:д|дом|буд|будинок|[Nn]o|[Nn]r|[Nn]úm|n)[.:]? ?|[Nn]\.?[º°] ?|# ?)?`;
const STREET_FIRST = new RegExp(
  String.raw`(?:(?:${STREET_WORDS}) (?:(?:de|du|des|del|della|di|da|do|dos|la|le|les|las|los) |d['’]|l['’]){0,3}${NAMES}(?:,? ${NUMBER_SIGN}(?<number>\d{1,4}(?:[-/]\d{1,4})?[A-Za-zА-Яа-я]?)(?![\p{L}\d]|[.:/-]\d))?|(?:[Cc]alle|[Cc]arrera|[Cc]ra\.|[Dd]iagonal|[Tt]ransversal|[Aa]venida|[Aa]v\.) (?<numbered>\d{1,3}[A-Z]?(?: (?:[Bb]is|[Ss]ur|[Nn]orte))? ?(?:#|[Nn]o\.?|N[º°]) ?\d{1,3}[A-Z]? ?- ?\d{1,3}))(?<rest>${TAIL})`,
  'uy',
);
const NUMBER_BEFORE = /(?:^|[^\w.,/#:-])(\d{1,5}(?:,? \d{1,5})?(?: ?(?:bis|ter|[A-Za-z]))?,? )$/;
/** Other words as well, which need a number on both sides, or a town with its code. */
const WEAK =
  /^(?:via|place|plaza|corso|paseo|avenue|boulevard|ulica|quai|route|largo|calea|strada|ronda|al\.|os\.|pl\.|пр\.|jr\.) /i;
/** In Russian and Ukrainian the town stands before the street, behind its code. */
const TOWN_BEFORE =
  /(?<![\p{L}\d])(?:\d{5,6}, )?(?:(?:г|м|с|гор|город|місто|обл)\. ?|(?:город|місто) )?[А-ЯЁІЇЄҐ][а-яёіїєґ]{2,20}(?:[ -][А-ЯЁІЇЄҐ][а-яёіїєґ]{2,20})?, $/u;
const MAX_BEFORE = 20;
const MAX_TOWN = 64;

/** `12 Rue de la Paix, 75002 Paris`, `Calle Mayor 5, 28013 Madrid`. `at` is where the word for the street begins. */
function findStreetFirst(text: string, at: number): Span | undefined {
  const match = matchAt(STREET_FIRST, text, at);
  if (!match) return undefined;
  const before = NUMBER_BEFORE.exec(wordsBefore(text, at, MAX_BEFORE))?.[1];
  const { number, numbered, rest = '' } = match.groups ?? {};
  const isCertain =
    numbered !== undefined ||
    (before !== undefined
      ? !/^[Vv]ia /.test(match[0]) || number !== undefined
      : number !== undefined && !WEAK.test(match[0]));
  if (!isCertain && !(before !== undefined || number !== undefined ? /\d{4}/.test(rest) : false))
    return undefined;
  const town = TOWN_BEFORE.exec(wordsBefore(text, at, MAX_TOWN))?.[0];
  return { start: at - (before?.length ?? town?.length ?? 0), end: at + match[0].length };
}

/** Words for a street as the end of its name. */
const JOINED =
  '(?:[Ss]traße|[Ss]trasse|[Ss]tr\\.|gasse|platz|weg|allee|damm|ufer|straat|laan|plein|gracht|kade|dijk|singel|gatan|vägen|gränd|gata|vegen|veien|gaten|vei|vej|gade|stræde|allé|katu|tie|kuja|maantie|vegur|stígur)';
const JOINED_REST = new RegExp(
  String.raw`${JOINED} \d{1,4}(?: ?[A-Ha-h](?![\p{L}\d]))?(?:[- ](?:I{1,3}|IV|V|hs|huis|bis)(?![\p{L}\d]))?(?![\p{L}\d]|[.:]\d)${TAIL}`,
  'uy',
);
const JOINED_NAME = /(?:^|[^\p{L}\d_-])((?:\d{1,5} (?:\p{Lu}[\p{L}'’-]{0,24} ){0,2})?\p{Lu}[\p{L}-]{2,40})$/u;
const NAMED_FOR_A_PLACE = /(?:^|[^\p{L}\d_-])((?:\d{1,5} )?\p{Lu}\p{Ll}{2,30}er )$/u;
const CAPITAL_S = 83;
/** English words that end so. */
const NO_JOINED = /(?:^|[ -])(?:Norweg|Necktie|Hogtie|Brigade|Renegade|Stockade|Decade|Regata)$/;

/** `Hauptstraße 12, 10115 Berlin`. `at` is where the word for the street begins. */
function findJoined(text: string, at: number): Span | undefined {
  const length = lengthAt(JOINED_REST, text, at);
  if (length === 0) return undefined;
  // `Mariahilfer Straße`
  const named = text.charCodeAt(at) === CAPITAL_S ? NAMED_FOR_A_PLACE : JOINED_NAME;
  const name = named.exec(wordsBefore(text, at, 80))?.[1];
  const street = text.slice(at - 40 < 0 ? 0 : at - 40, at) + text.slice(at).split(' ', 1)[0];
  return name === undefined || NO_JOINED.test(street)
    ? undefined
    : { start: at - name.length, end: at + length };
}

export const ADDRESS_RULES: readonly Rule[] = [
  {
    id: 'address_street',
    kind: 'ADDRESS',
    hints: listOf(
      ' street| st| ave| road| rd| boulevard| blvd| lane| ln| drive| dr| court| ct| place| pl| sq| ter',
      ' way| parkway| pkwy| highway| hwy| cir| crescent| close| row| mews| gardens| trail| trl',
    ),
    find: onlyWhere(
      (text, at) => houseBefore(text, at) !== undefined,
      decidedBy(STREET_AND_REST, findStreet),
    ),
    before: (text) => (/\d/.test(text) ? withoutEscapes(text).search(HOUSE_BEGUN) : -1),
    examples: {
      hits: [
        'to ⟦221B Baker Street, London NW1 6XE⟧ now',
        'at ⟦742 Evergreen Terrace, Springfield, IL 62704⟧',
        'lives at ⟦350 Fifth Avenue, Apt 3B⟧.',
      ],
      misses: [
        'walk down Main Street',
        '12 files on Drive, 3 roads',
        'step 4 Deploy Way of working',
        'see 40 Court rulings',
      ],
    },
  },
  {
    id: 'address_rue',
    kind: 'ADDRESS',
    hints: listOf(
      'rue |rua |rúa |calle |avenida |avda|avenue |boulevard |piazza|viale |corso |praça |praca |travessa ',
      'carrer |carretera |ctra. |paseo |place |plaza |quai |chemin |via |ul. |ulica |ул. |улица |проспект ',
      'просп. |пр-т |пр. |бульвар |бул. |б-р |переулок |пер. |площадь |пл. |наб. |шоссе |вул. |вулиця ',
      'пров. |провулок |площа |impasse |allée |route |av. |blvd. |bulevar|calzada |calz. |pasaje |jirón ',
      'jr. |alameda |rambla |ronda |estrada |rodovia |largo |vicolo |strada |al. |aleja |os. |pl. |calea ',
      'str. |carrera |cra. |diagonal |transversal |οδός |οδού |λεωφ. |λεωφόρος ',
    ),
    wordStart: true,
    find: decidedBy(STREET_FIRST, findStreetFirst),
    before: (text) =>
      withoutEscapes(text).search(
        /(?<![\w.,/#:-])\d{1,5}(?:,? (?:\d{1,5})?)?(?: ?(?:b|bi|bis|t|te|ter|[A-Za-z]))?,? ?$|(?<![\p{L}\d])(?:\d{5,6},? )?(?:(?:г|м|с|гор|город|місто|обл)\.? ?)?(?:[А-ЯЁІЇЄҐ][а-яёіїєґ]{1,20}(?:[ -](?:[А-ЯЁІЇЄҐ][а-яёіїєґ]{0,20})?)?,? ?)?$/u,
      ),
    examples: {
      hits: [
        "j'habite ⟦12 rue de la Paix, 75002 Paris⟧",
        'en ⟦Calle Mayor 5, 28013 Madrid⟧.',
        '⟦Via Roma 8, 50123 Firenze⟧',
        '⟦ul. Długa 15, 00-238 Warszawa⟧',
        'на ⟦ул. Ленина, д. 5⟧',
        '⟦г. Тверь, ул. Новая, д. 5, кв. 12⟧, где',
        '⟦вул. Нова, 21, кв. 9, 01001 Київ⟧',
        '⟦Rua Nova, 31, ap. 4, Centro, Recife - PE, 50010-000⟧',
        '⟦Rua Nova 8, 2.º Esq, 1100-001 Lisboa⟧',
        '⟦Av. Juárez 15, Int. 2, Col. Centro, 06010 Ciudad de México⟧',
        '⟦Carrera 7 # 71-21, Bogotá⟧',
        '⟦Calle Sol 9, 11500 El Puerto de Sol (Cádiz)⟧',
        '⟦Λεωφ. Νέα 12, 11257 Αθήνα⟧',
      ],
      misses: [
        'rue the day',
        'the 3 place holders',
        'via Docker 20 and',
        '12 via Docker',
        'Plaza 5',
        'place Order 66',
        'the route Main 5',
        'see al. Smith 2020 and',
        'pl. Version 3',
      ],
    },
  },
  {
    id: 'address_strasse',
    kind: 'ADDRESS',
    hints: listOf(
      'strasse |straße |str. |gasse |platz |weg |allee |damm |ufer |straat |laan |plein |gracht |kade ',
      'dijk |singel |gatan |vägen |gränd |gata |vegen |veien |gaten |vei |vej |gade |stræde |allé |katu ',
      'tie |kuja |vegur |stígur ',
    ),
    find: decidedBy(JOINED_REST, findJoined),
    before: (text) =>
      text.search(
        /\d{1,5} (?:\p{Lu}[\p{L}'’-]{0,24} ){0,2}(?:\p{Lu}[\p{L}-]{0,40})?$|\p{Lu}\p{Ll}{2,30}er $/u,
      ),
    examples: {
      hits: [
        'wohnt ⟦Hauptstraße 12, 10115 Berlin⟧.',
        '⟦Prinsengracht 263, 1016 GV Amsterdam⟧',
        '⟦Storgatan 4B, 111 22 Stockholm⟧',
        'at ⟦78 Lindenweg 33⟧',
      ],
      misses: ['the strategy 12', 'strasse 12', 'a strange thing', 'Decade 19', 'a tie 5'],
    },
  },
];
