import { isAlnum, isDigit, isLetter } from './characters.ts';
import { mod97 } from './validators.ts';

/**
 * How many characters an account number has, by country: the IBAN registry of SWIFT (ISO 13616) and, in the last row,
 * countries that use the form without being in it. `n` with a number: so many of those after the country are digits; `n`
 * alone: all are. An id in hexadecimal has letters among them, and most begin with no country.
 */
const COUNTRIES = `
  AD24n10 AE23n AL28 AT20n AZ28 BA20n BE16n BG22 BH22 BI27n BR29 BY28 CH21 CR22n CY28 CZ24n DE22n DJ27n DK18n DO28
  EE20n EG29n ES24n FI18n FK18 FO18n FR27 GB22 GE22 GI23 GL18n GR27 GT28 HN28 HR21n HU28n IE22 IL23n IQ23 IS26n
  IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20n LU20 LV21 LY25n MC27 MD24 ME22n MK19 MN20n MR27n MT31 MU30 NI28 NL18
  NO15n OM23 PK24 PL28n PS29 PT25n QA29 RO24 RS22n RU33 SA24 SC31 SD18n SE24n SI19n SK24n SM27 SO23n ST25n SV28
  TL23n TN24n TR26 UA29 VA22n VG24 XK20n YE30
  AO25 BF28 BJ28 CF27 CG27 CI28 CM27 CV25 DZ26 GA27 GQ27 GW25 IR26 KM27 MA28 MG27 ML28 MZ25 NE28 SN28 TD27 TG28`;

const LENGTHS = new Map(
  COUNTRIES.trim()
    .split(/\s+/)
    .map((country) => {
      const [chars, digits] = country.slice(2).split('n');
      const end = digits === undefined ? 0 : 2 + (digits === '' ? Infinity : Number(digits));
      return [country.slice(0, 2), { chars: Number(chars), digitsUpTo: end }];
    }),
);
const SPACE = 32;

/**
 * Where an account number ends that begins at `start`, in one run or in groups with one space between them; undefined
 * where there is none.
 */
export function endOfIban(text: string, start: number): number | undefined {
  const read = readIban(text, start);
  if (!read?.isWhole || isAlnum(text.charCodeAt(read.end))) return undefined;
  return mod97(read.iban.toUpperCase()) ? read.end : undefined;
}

/** Whether the text ends before it is certain whether one begins at `start`. */
export function isOpenIban(text: string, start: number): boolean {
  return readIban(text, start)?.end === text.length;
}

interface Read {
  readonly iban: string;
  readonly end: number;
  readonly isWhole: boolean;
}

/** As many characters as the country's numbers have, or all up to the end of the text. */
function readIban(text: string, start: number): Read | undefined {
  if (!isLetter(text.charCodeAt(start)) || !isLetter(text.charCodeAt(start + 1))) return undefined;
  const country = LENGTHS.get(text.slice(start, start + 2).toUpperCase());
  if (!country) return undefined;
  let iban = '';
  let at = start;
  for (; iban.length < country.chars && at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === SPACE && text.charCodeAt(at - 1) !== SPACE) continue;
    if (!isAlnum(unit) || (iban.length >= 2 && iban.length < country.digitsUpTo && !isDigit(unit)))
      return undefined;
    iban += text.charAt(at);
  }
  return { iban, end: at, isWhole: iban.length === country.chars };
}
