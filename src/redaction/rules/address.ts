import { isDigit, isUpper } from '../characters.ts';
import { decidedBy, onlyWhere } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { begun } from '../open-pattern.ts';

/** Postal addresses that say so themselves: a house number, a name and a word for a street. */

const CAPITAL = String.raw`[A-Z\u00c0-\u00de][\w\u00df-\u024f'’.-]{0,24}`;
const ORDINAL = String.raw`(?:\d{1,3}(?:st|nd|rd|th))`;
/** House number and the street's name, up to the word that says what it is. */
const NUMBER_AND_NAME = String.raw`\d{1,5}[A-Za-z]?(?:-\d{1,4})?,? (?:[NSEW]\.? |North |South |East |West )?(?:${CAPITAL}|${ORDINAL})(?: ${CAPITAL}){0,3} `;
const HOUSE = new RegExp(String.raw`(?:^|[^\w.,/#:-])(?<v>${NUMBER_AND_NAME})$`);
/** As far as it is there. */
const HOUSE_BEGUN = begun(new RegExp(String.raw`(?<![\w.,/#:-])${NUMBER_AND_NAME}`));
const STREET = /(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd)\b\.?/y;
/** Words with other meanings: they need a town behind them. */
const PLACE =
  /(?:Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Ter|Way|Parkway|Pkwy|Highway|Hwy|Circle|Cir|Crescent|Close|Row|Mews|Gardens|Trail|Trl)\b\.?/y;
const UNIT = String.raw`(?:,? (?:Apt|Apartment|Suite|Ste|Unit|Floor|Flat|Room|#)\.? ?[\w-]{1,8})?`;
const TOWN = String.raw`(?:,? ${CAPITAL}(?: ${CAPITAL}){0,3})`;
const UK_CODE = '[A-Z]{1,2}\\d[A-Z\\d]? ?\\d[A-Z]{2}';
const US_CODE = String.raw`(?:[A-Z]{2},? )?\d{5}(?:-\d{4})?`;
const REST = new RegExp(
  String.raw`${UNIT}(?:${TOWN}{0,2},? (?:${UK_CODE}|${US_CODE}|[A-Z]{2} [A-Z]\d[A-Z] ?\d[A-Z]\d)(?!\w)|, \d{4,5} ${CAPITAL}|${TOWN}, [A-Z]{2}(?!\w))`,
  'y',
);
const ONLY_UNIT = new RegExp(UNIT, 'y');

/** A rule that is met by a house number looks on as far as any may. */
const ON = /[^]*/;

function houseBefore(text: string, at: number): string | undefined {
  // Nearly every hint is an ordinary word, and not written with a capital.
  if (!isUpper(text.charCodeAt(at + 1)) || !startsNamelike(text, wordBefore(text, at))) return undefined;
  return HOUSE.exec(text.slice(Math.max(0, at - 100), at + 1))?.groups?.['v'];
}

/** `221B Baker Street, London NW1 6XE`. `at` is the space before the word for the street. */
function findStreet(text: string, at: number): Span | undefined {
  const house = houseBefore(text, at);
  if (house === undefined) return undefined;
  const start = at + 1 - house.length;
  const street = lengthOf(STREET, text, at + 1);
  const word = street > 0 ? street : lengthOf(PLACE, text, at + 1);
  if (word === 0) return undefined;
  const end = at + 1 + word;
  const rest = lengthOf(REST, text, end);
  if (rest > 0) return { start, end: end + rest };
  return street > 0 ? { start, end: end + lengthOf(ONLY_UNIT, text, end) } : undefined;
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

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

const ROMANCE = new RegExp(
  String.raw`(?:(?:bis|ter),? )?(?:[Rr]ue|[Aa]venue|[Bb]oulevard|[Pp]lace|[Qq]uai|[Cc]hemin) (?:(?:de|du|des|la|le|les) |d'|l'){0,3}${CAPITAL}(?:[ -](?:(?:de|du|des|la) )?${CAPITAL}){0,3}(?:, \d{5} ${CAPITAL}(?:[ -]${CAPITAL}){0,2})?`,
  'y',
);
/** Begins with the space before the word for the street. */
const ROMANCE_AFTER = new RegExp(` ${ROMANCE.source}`);
const STREET_NUMBER = /(?:^|[^\w.,/#:-])(\d{1,4}),? $/;

function streetNumberBefore(text: string, at: number): string | undefined {
  return STREET_NUMBER.exec(text.slice(Math.max(0, at - 8), at + 1))?.[1];
}

/** `12 Rue de la Paix, 75002 Paris`. `at` is the space before the word for the street. */
function findRue(text: string, at: number): Span | undefined {
  const number = streetNumberBefore(text, at);
  if (number === undefined) return undefined;
  const length = lengthOf(ROMANCE, text, at + 1);
  const start = text.lastIndexOf(number, at);
  return length > 0 ? { start, end: at + 1 + length } : undefined;
}

const GERMAN_REST = new RegExp(
  String.raw`(?:straße|strasse|str\.) \d{1,4}(?: ?[a-h](?!\w))?(?:, (?:D-)?\d{5} ${CAPITAL}(?:[ -]${CAPITAL}){0,2})?(?![\d])`,
  'y',
);

/** `Hauptstraße 12, 10115 Berlin`. `at` is where the word for the street begins. */
function findStrasse(text: string, at: number): Span | undefined {
  const length = lengthOf(GERMAN_REST, text, at);
  if (length === 0) return undefined;
  const name = /(?:^|[^\w-])([A-ZÄÖÜ][A-Za-zäöüß-]{2,40})$/.exec(text.slice(Math.max(0, at - 44), at))?.[1];
  return name === undefined ? undefined : { start: at - name.length, end: at + length };
}

export const ADDRESS_RULES: readonly Rule[] = [
  {
    id: 'address_street',
    kind: 'ADDRESS',
    hints: [
      ' street',
      ' st',
      ' ave',
      ' road',
      ' rd',
      ' boulevard',
      ' blvd',
      ' lane',
      ' ln',
      ' drive',
      ' dr',
      ' court',
      ' ct',
      ' place',
      ' pl',
      ' sq',
      ' ter',
      ' way',
      ' parkway',
      ' pkwy',
      ' highway',
      ' hwy',
      ' cir',
      ' crescent',
      ' close',
      ' row',
      ' mews',
      ' gardens',
      ' trail',
      ' trl',
    ],
    find: onlyWhere((text, at) => houseBefore(text, at) !== undefined, decidedBy(ON, findStreet)),
    before: (text) => (/\d/.test(text) ? text.search(HOUSE_BEGUN) : -1),
    examples: {
      hits: [
        { text: 'to 221B Baker Street, London NW1 6XE now', hidden: '221B Baker Street, London NW1 6XE' },
        {
          text: 'at 742 Evergreen Terrace, Springfield, IL 62704',
          hidden: '742 Evergreen Terrace, Springfield, IL 62704',
        },
        { text: 'lives at 350 Fifth Avenue, Apt 3B.', hidden: '350 Fifth Avenue, Apt 3B' },
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
    hints: [' rue ', ' avenue ', ' boulevard ', ' place ', ' quai ', ' chemin '],
    find: onlyWhere(
      (text, at) => streetNumberBefore(text, at) !== undefined,
      decidedBy(ROMANCE_AFTER, findRue),
    ),
    before: (text) => text.search(/\d{1,4},? ?$/),
    examples: {
      hits: [{ text: "j'habite 12 rue de la Paix, 75002 Paris", hidden: '12 rue de la Paix, 75002 Paris' }],
      misses: ['rue the day', 'the 3 place holders'],
    },
  },
  {
    id: 'address_strasse',
    kind: 'ADDRESS',
    hints: ['strasse ', 'stra', 'str. '],
    find: decidedBy(GERMAN_REST, findStrasse),
    examples: {
      hits: [{ text: 'wohnt Hauptstraße 12, 10115 Berlin.', hidden: 'Hauptstraße 12, 10115 Berlin' }],
      misses: ['the strategy 12', 'strasse 12', 'a strange thing'],
    },
  },
];
