import { luhn } from '../validators.ts';

/** Check digits of numbers that states give to people. Separators are gone from what is checked, letters are capitals. */

function weighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, i) => sum + weight * Number(digits[i]), 0);
}

const isOneDigit = (digits: string): boolean => /^(\d)\1+$/.test(digits);

/** Two digits for a year, a month and a day, in which some countries also write the sex or the century. */
function isDay(month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/** Brazil, Receita Federal: two digits mod 11. */
export function isCpf(digits: string): boolean {
  if (isOneDigit(digits)) return false;
  return [9, 10].every((length) => {
    let sum = 0;
    for (let i = 0; i < length; i++) sum += Number(digits[i]) * (length + 1 - i);
    return ((sum * 10) % 11) % 10 === Number(digits[length]);
  });
}

/** Brazil, of firms and of those who work for themselves. */
export function isCnpj(digits: string): boolean {
  const weights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
  return [12, 13].every((length) => {
    const rest = weighted(digits, weights.slice(13 - length)) % 11;
    return (rest < 2 ? 0 : 11 - rest) === Number(digits[length]);
  });
}

/** Argentina, AFIP: CUIT and CUIL. */
export function isCuit(digits: string): boolean {
  return weighted(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0;
}

/** Chile, Servicio de Registro Civil: RUT and RUN, mod 11 with K for ten. */
export function isRut(rut: string): boolean {
  let sum = 0;
  for (let i = rut.length - 2, weight = 2; i >= 0; i--, weight = weight === 7 ? 2 : weight + 1)
    sum += Number(rut[i]) * weight;
  return '0123456789K0'[11 - (sum % 11)] === rut.at(-1);
}

/** Spain, Ministerio del Interior: a letter for the number mod 23; a foreigner's begins with X, Y or Z. */
export function isDni(dni: string): boolean {
  const digits = dni.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)));
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(digits) % 23] === dni.at(-1);
}

/** China: GB 11643, ISO 7064 mod 11-2. */
export function isChineseId(number: string): boolean {
  let sum = 0;
  for (let i = 0; i < 17; i++) sum += Number(number[i]) * (2 ** (17 - i) % 11);
  return '10X98765432'[sum % 11] === number[17];
}

/** France, INSEE: 97 less the rest; in Corsica a letter stands for a digit. */
export function isNir(nir: string): boolean {
  const digits = nir.replace('2A', '19').replace('2B', '18');
  return 97 - (Number(digits.slice(0, 13)) % 97) === Number(digits.slice(13));
}

/** Russia, Pension Fund: weighted sum mod 101. */
export function isSnils(digits: string): boolean {
  return (weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101) % 100 === Number(digits.slice(9));
}

/** Belgium, Rijksregister: 97 less the rest, with a 2 in front for who was born from 2000 on. */
export function isBelgian(digits: string): boolean {
  const check = Number(digits.slice(9));
  const number = Number(digits.slice(0, 9));
  const isBorn = isDay(Number(digits.slice(2, 4)) % 20, Number(digits.slice(4, 6)));
  return isBorn && [number, number + 2e9].some((n) => 97 - (n % 97) === check);
}

/** Norway, Skatteetaten: a date and two digits mod 11; 40 more in the day or the month for those who only stay. */
export function isNorwegian(digits: string): boolean {
  return (
    isDay(Number(digits.slice(2, 4)) % 40, Number(digits.slice(0, 2)) % 40) &&
    weighted(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
    weighted(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
  );
}

/** Finland, DVV: a date, a sign for the century, and the rest mod 31 as a letter. */
export function isFinnish(id: string): boolean {
  return (
    isDay(Number(id.slice(2, 4)), Number(id.slice(0, 2))) &&
    '0123456789ABCDEFHJKLMNPRSTUVWXY'[Number(id.slice(0, 6) + id.slice(-4, -1)) % 31] === id.at(-1)
  );
}

/** Korea: a date, the sex and a digit mod 11, which numbers from October 2020 on do not have. */
export function isKorean(digits: string): boolean {
  const sum = weighted(digits, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
  const check = Number(digits[12]);
  const isCheck = (11 - (sum % 11)) % 10 === check || (13 - (sum % 11)) % 10 === check;
  return isDay(Number(digits.slice(2, 4)), Number(digits.slice(4, 6))) && isCheck;
}

/** Switzerland, ZAS: the check digit of GS1. */
export function isAhv(digits: string): boolean {
  return weighted(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0;
}

/** Germany, Bundeszentralamt für Steuern: ISO 7064 mod 11,10; of the first ten digits one is there twice or three times. */
export function isSteuerId(digits: string): boolean {
  const counts = Array.from(
    new Set(digits.slice(0, 10)),
    (digit) => digits.slice(0, 10).split(digit).length - 1,
  );
  const often = counts.filter((count) => count > 1);
  if (often.length !== 1 || Number(often[0]) > 3) return false;
  let product = 10;
  for (let i = 0; i < 10; i++) {
    const sum = (Number(digits[i]) + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits[10]);
}

/** Germany, Deutsche Rentenversicherung (VKVV § 2): area, date of birth, letter of the name as two digits, serial, check. */
export function isRvnr(number: string): boolean {
  const letter = String((number.codePointAt(8) ?? 0) - 64).padStart(2, '0');
  const digits = number.slice(0, 8) + letter + number.slice(9, 11);
  const sum = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1].reduce((all, weight, i) => {
    const product = weight * Number(digits[i]);
    return all + Math.floor(product / 10) + (product % 10);
  }, 0);
  return (
    isDay(Number(number.slice(4, 6)), Number(number.slice(2, 4)) % 50) && sum % 10 === Number(number.at(-1))
  );
}

/** What letters and digits at odd places count (Decreto Ministeriale 23/12/1976). */
const ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

/** Italy, Agenzia delle Entrate. */
export function isCodiceFiscale(code: string): boolean {
  let sum = 0;
  for (let i = 0; i < 15; i++) {
    const char = code.charAt(i);
    const value = /\d/.test(char) ? Number(char) : char.charCodeAt(0) - 65;
    sum += i % 2 === 0 ? (ODD[value] ?? 0) : value;
  }
  return String.fromCharCode(65 + (sum % 26)) === code.at(-1);
}

/** Mexico, RENAPO: the signs are worth their places in this row. */
export function isCurp(curp: string): boolean {
  let sum = 0;
  for (let i = 0; i < 17; i++)
    sum += '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ'.indexOf(curp.charAt(i)) * (18 - i);
  return (10 - (sum % 10)) % 10 === Number(curp.at(-1));
}

/** Poland, tax office. */
export function isNip(digits: string): boolean {
  return weighted(digits, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === Number(digits[9]);
}

/** Ireland, Department of Social Protection: mod 23, a second letter counts nine times. */
export function isPps(pps: string): boolean {
  const second = pps.length > 8 && pps[8] !== 'W' ? (pps.codePointAt(8) ?? 0) - 64 : 0;
  const sum = weighted(pps, [8, 7, 6, 5, 4, 3, 2]) + second * 9;
  return 'WABCDEFGHIJKLMNOPQRSTUV'[sum % 23] === pps[7];
}

/** South Africa, Department of Home Affairs: a date of birth and Luhn's digit. */
export function isSouthAfrican(digits: string): boolean {
  return isDay(Number(digits.slice(2, 4)), Number(digits.slice(4, 6))) && luhn(digits);
}

/** Multiplication of the dihedral group D5, and the permutation, of Verhoeff's scheme: India, UIDAI. */
export function isVerhoeff(digits: string): boolean {
  let check = 0;
  for (let i = 0; i < digits.length; i++) {
    let digit = Number(digits[digits.length - 1 - i]);
    for (let k = 0; k < i % 8; k++) digit = Number('1576283094'[digit]);
    check = product(check, digit);
  }
  return check === 0;
}

function product(a: number, b: number): number {
  if (a < 5) return b < 5 ? (a + b) % 5 : ((a + b) % 5) + 5;
  return b < 5 ? ((a - b + 5) % 5) + 5 : (a - b + 5) % 5;
}
