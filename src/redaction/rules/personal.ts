import { isDigit, isWordStart, signsBefore, wordsBefore } from '../characters.ts';
import { endOfIban, isOpenIban } from '../iban.ts';
import { matchAt } from '../match-at.ts';
import { decidedBy } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { isSsn, mod97 } from '../validators.ts';

/** Structured personal data. Each needs its own shape and a check; bare digits need a word that says what they are. */

const SSN_WORD = /(?:ssn|social security|social)\b[\w"' :=.#\\-]{0,24}$/i;
const SSN = /^(\d{3})([- ]?)(\d{2})\2(\d{4})(?![\w-])/;

/** Behind the first one, where there are digits however it is written. */
const SSN_DIGITS = [1, 2, 4, 5];

function findSsn(text: string, at: number): Span | undefined {
  for (const i of SSN_DIGITS) if (!isDigit(text.charCodeAt(at + i))) return undefined;
  const match = SSN.exec(text.slice(at, at + 12));
  if (!match) return undefined;
  const before = wordsBefore(text, at, 40);
  if (match[2] !== '-' && !SSN_WORD.test(before)) return undefined;
  if (/[\w\-./]$/.test(before) || !isSsn(match[1] ?? '', match[3] ?? '', match[4] ?? '')) return undefined;
  return { start: at, end: at + match[0].length };
}

/** ISO 13616: a country, two check digits, and as many more as the country's account numbers have. */
function findIban(text: string, at: number): Span | undefined {
  const start = at - 2;
  if (!mayBegin(text, start)) return undefined;
  const end = endOfIban(text, start);
  return end === undefined ? undefined : { start, end };
}

function isOpenIbanAt(text: string, at: number): boolean {
  return mayBegin(text, at - 2) && isOpenIban(text, at - 2);
}

function mayBegin(text: string, start: number): boolean {
  return start >= 0 && isWordStart(text, start);
}

/** Poland (NRB): an IBAN without the country, in its groups. */
const NRB = /\d\d(?: \d{4}){6}(?![\w-]|[ .]\d)/y;

function findNrb(text: string, at: number): Span | undefined {
  const raw = matchAt(NRB, text, at)?.[0];
  if (raw === undefined || /[\w.\-/]$|\d $/.test(signsBefore(text, at))) return undefined;
  return mod97(`PL${raw.replaceAll(' ', '')}`) ? { start: at, end: at + raw.length } : undefined;
}

export const PERSONAL_RULES: readonly Rule[] = [
  {
    id: 'iban',
    kind: 'IBAN',
    trigger: 'number',
    find: Object.assign(findIban, { isOpen: isOpenIbanAt }),
    examples: {
      hits: [
        'IBAN ⟦GB82 WEST 1234 5698 7654 32⟧.',
        '⟦AT61 1904 3002 3457 3201⟧ paid late',
        'to ⟦de89370400440532013000⟧',
      ],
      // Ids whose check digits happen to be right.
      misses: [
        'GB83WEST12345698765432',
        'AB12',
        'dc131a5158af82df',
        'fb360d830fac88e6f69a0a39bf2af73d',
        'ed93ad59436277fbf45276315be2112b',
      ],
    },
  },
  {
    id: 'account_in_groups',
    kind: 'IBAN',
    trigger: 'number',
    find: decidedBy(NRB, findNrb),
    examples: {
      hits: ['na konto ⟦61 1090 1014 0000 0712 1981 2874⟧.'],
      misses: ['62 1090 1014 0000 0712 1981 2874', '61 1090 1014 0000 0712 1981'],
    },
  },
  {
    id: 'ssn',
    kind: 'SSN',
    trigger: 'number',
    find: decidedBy(new RegExp(SSN.source.slice(1)), findSsn),
    examples: {
      hits: ['SSN ⟦078-05-1120⟧.', 'ssn: ⟦078051120⟧'],
      misses: ['000-12-3456', '2024-05-1120', '078051120'],
    },
  },
];
