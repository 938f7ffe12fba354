import { listOf, matching } from '../rule.ts';
import type { Rule } from '../rule.ts';

/** What structured data calls streets and parts of names in other languages: the member tells, whatever stands there. */

const JOIN = String.raw`\\{0,4}["']\s{0,4}[:=]\s{0,4}\\{0,4}["']`;
const QUOTED = String.raw`(?<v>[^"'\\\r\n]{2,80})(?=\\{0,4}["'])`;

const STREETS = String.raw`(?:home|post|postal|billing|shipping|mailing|street)?[_-]?(?:street[_-]?(?:address|name|line)?\d?|address[_-]?line[_-]?\d?|stra(?:ß|ss)e|hausanschrift|lieferadresse|rue|voie|calle|domicilio|rua|logradouro|straat|ulica|улица|住所|住址|주소)`;
const ITALIAN = String.raw`via(?=${JOIN}(?:via|viale|piazza|corso|largo|vicolo|strada) )`;
const NAMES =
  '(?:vorname|nachname|familienname|prénoms?|nom_de_famille|apellidos?|cognome|sobrenome|nazwisko|imię|achternaam|voornaam|фамилия|отчество|姓名|氏名|성명)';

const isStreet = (value: string): boolean =>
  (/\d/.test(value) && /\p{L}{2}/u.test(value)) || /[^\0-\u024f]{2}/u.test(value);

/** Of letters, and no word of code or a stand-in. */
const isName = (value: string): boolean =>
  /^\p{L}[\p{L}\p{M} .'’-]{1,60}$/u.test(value) &&
  !/^[\p{Ll} ]+$/u.test(value) &&
  !/^(?:string|null)$/i.test(value);

export const FIELD_RULES: readonly Rule[] = [
  {
    id: 'street_field',
    kind: 'ADDRESS',
    hints: listOf(
      'street|address_line|address-line|addressline|straße|strasse|hausanschrift|lieferadresse|rue"|rue\'',
      'rue\\|voie"|calle|domicilio|rua"|logradouro|straat|ulica|via"|via\'|улица|住所"|住址"|주소"',
    ),
    find: matching(new RegExp(`(?:${STREETS}|${ITALIAN})${JOIN}${QUOTED}`, 'iu'), isStreet),
    examples: {
      hits: [
        '{"Straße":"⟦Am Markt 3⟧"}',
        '{"address_line1": "⟦5 Elm⟧"}',
        '{"via":"⟦Via Roma 3⟧"}',
        '{"住所":"⟦東京都港区芝公園⟧"}',
      ],
      misses: ['{"via":"1.1 varnish"}', '{"street":"unknown"}', '{"address_line1":""}', 'the calle 5'],
    },
  },
  {
    id: 'foreign_name_field',
    kind: 'PERSON',
    hints: [
      'vorname',
      'nachname',
      'familienname',
      'prénom',
      'nom_de_famille',
      'apellido',
      'cognome',
      'sobrenome',
      'nazwisko',
      'imię',
      'achternaam',
      'voornaam',
      'фамилия',
      'отчество',
      '姓名"',
      '氏名"',
      '성명"',
    ],
    find: matching(new RegExp(`${NAMES}${JOIN}${QUOTED}`, 'iu'), isName),
    examples: {
      hits: [
        '{"vorname":"Jana","nachname":"⟦Roth⟧"}',
        '{"apellidos": "⟦García López⟧"}',
        '{"姓名":"⟦王小明⟧"}',
      ],
      misses: ['{"nachname":"string"}', '{"vorname":"${x}"}', 'Nachname und Vorname'],
    },
  },
];
