import { signsBefore } from '../characters.ts';
/** What postal addresses of many countries are made of, as sources of patterns with the flag `u`. */

/** A word with a capital: of a street, a town or a country. */
export const CAPITAL = String.raw`\p{Lu}[\p{L}\p{M}'’-]{0,24}\.?`;
/** Small words within such names. */
const SMALL = String.raw`(?:de[lrmn]?|della|d[aiou]|do[s]|das|des|l[aeo]|las|los|el|am|an|im|in|van|von|het|ten|ter|sur|sous|upon|of|and|y|e|i|en|na|nad|u|ob|pri|pod|al)`;
/** Up to six words that name a street or a town. */
export const NAMES = String.raw`(?:${SMALL} ){0,2}${CAPITAL}(?:[ -](?:${SMALL} ){0,2}${CAPITAL}){0,4}`;
/** `12`, `12b`, `12-14`, `12/3`. */
export const NUMBER = String.raw`\d{1,5}(?:[A-Za-z](?![\p{L}\d]))?(?:[-/]\d{1,4}[A-Za-z]?(?![\p{L}\d]))?`;
/** Where one part ends and the next begins: a blank or a comma, or the end of a line, also of a quoted or indented one. */
export const GAP = String.raw`(?:,? |,?[ \t]{0,3}(?:(?:\r?\n|\\n)[> \t]{0,8}){1,2}(?:, ?)?)`;
/** The same, but more than a blank. */
export const BREAK = String.raw`(?:, |,?[ \t]{0,3}(?:(?:\r?\n|\\n)[> \t]{0,8}){1,2}(?:, ?)?)`;
/** Part of a house. */
export const UNIT = String.raw`(?:Apt|Apartment|Appt|Apto|Suite|Ste|Unit|Floor|Flat|Room|Wohnung|Lok|#)\.? ?(?:#|[Nn]o\.? ?)?(?:\d{1,5}[A-Za-z]?|[A-Z]\d{0,4})(?![\p{L}\d])`;
/** Postal codes: US, UK, Canada, Netherlands, Poland, Portugal, Brazil, Japan, Sweden and Czechia, Ireland, and plain ones of four to six digits. */
const CODE = String.raw`(?:\d{5}-\d{3,4}|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{4} ?[A-Z]{2}|\d\d-\d{3}|\d{4}-\d{3}|〒?\d{3}-\d{4}|\d{3} \d\d|[AC-FHKNPRTV-Y]\d[\dW] ?[\dAC-FHKNPRTV-Y]{4}|(?:[A-Z]{1,2}-)?\d{4,6})(?![\p{L}\d]|[-.,:/]\d)`;

/** A floor, by its number, and the side: `2. OG links`, `3. tv`. */
const FLOOR = String.raw`\d{1,2}\. ?(?:OG|UG|Stock|Etage|Obergeschoss|etg?\.?|sal|tv|th|mf|krs|em(?:elet)?\.?)(?:,? (?:links|rechts|[Mm]itte|vorne|hinten|tv|th|mf))?(?![\p{L}\d])\.?`;
/** Parts of a house in other languages, by number, floor and side: `ap. 41`, `кв. 9`, `3.º Dto`, `#08-31`. */
const PART = String.raw`(?:${UNIT}|${FLOOR}|(?:[Aa]p|[Aa]pto?|[Ii]nt|[Dd]e?pto?|[Pp]iso|[Pp]orta|[Pp]uerta|[Ee]sc|[Kk]at|[Dd]aire|[Dd]|[Bb]lo?c?o?|[Ss]ala|[Cc]asa|[Ee]t(?:age)?|[Ll]gh|[Ss]cala|[Ii]nterno|[Oo]f(?:icina)?|[Tt]orre|[Ll]ok|[Mm]|byt|[Тт]К|ΤΚ|кв|корп|к|стр|под|оф|эт|офис|квартира|корпус|строение|подъезд|этаж|секц|пов|под'їзд)[.:]? ?(?:[Nn]o[.:]? ?)?\d{1,5}[A-Za-z]?|#\d{1,3}-\d{1,4}|\d{1,2}\.?[ºª°](?: (?:[Dd]to|[Dd]cha|[Ee]sq|[Ii]zq|[Ff]te|[Tt]r[ªa]s?|[A-Z])(?![\p{L}\d])\.?)?)(?![\p{L}\d])`;
/** A word of a town's name. */
const IN_TOWN = String.raw`(?:(?:St|Ste|Sta|Sto)\. )?\p{Lu}[\p{L}\p{M}'’-]{0,24}`;
/** `El Puerto de Santa María (Cádiz)`, `Kadıköy/İstanbul` */
const TOWN = String.raw`${IN_TOWN}(?:[ -](?:${SMALL} ){0,2}${IN_TOWN}){0,4}(?: ?\/ ?${IN_TOWN}| ?\(${IN_TOWN}\))?`;

/**
 * What follows the street: units, and then towns, states and countries with a code at the end or in front, or one town.
 * Nothing, if none is there.
 */
export const TAIL = String.raw`(?:${GAP}${PART}){0,4}(?:(?:${GAP}(?:${SMALL} )?${CAPITAL}){0,9}?(?: [-–] [A-Z]{2}(?![\p{L}\d]))?${GAP}${CODE}(?:,? ${TOWN}(?:, ${CAPITAL}(?![\p{L}\d]))?)?|, ${TOWN}(?:, [A-Z]{2}(?![\p{L}\d])| [-–] [A-Z]{2}(?![\p{L}\d]))?)?`;

/** Words for a street in English, which stand behind its name. */
export const STREET_WORD =
  '(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Way|Parkway|Pkwy|Highway|Hwy|Circle|Cir|Crescent|Close|Row|Mews|Gardens|Trail)';

/** What a number with a capital behind it is as well. */
export const NO_STREET = String.raw`(?!(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?![\p{L}\d])|(?:January|February|March|April|June|July|August|September|October|November|December|AM|PM|A\.M|P\.M|UTC|GMT|[CE]E?S?T|PST|PDT|EDT|[KMGT]i?B|[kmgµu]?Hz|MHz|GHz|Mbps|USD|EUR|GBP|CPUs?|GPUs?|Tokens?|Items?|Steps?|Files?|Tests?|Bytes?|Users?|Errors?|Requests?)(?![\p{L}\d]))`;

/** For a part in front of which no word may be glued, in any script. */
export function isBehindNoWord(text: string, at: number): boolean {
  return !/[\p{L}\d_]$/u.test(signsBefore(text, at));
}
