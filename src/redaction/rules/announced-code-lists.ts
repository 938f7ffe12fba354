import { matchAt } from '../match-at.ts';
import { decidedBy, listOf, withHead } from '../rule.ts';
import type { Found, Rule, Span } from '../rule.ts';

/** Codes to recover an account, of which services give ten at once, behind or below their name. */

const LISTED_CODES = listOf(
  'recovery codes|backup codes|rescue codes|scratch codes|wiederherstellungscodes|backup-codes|codes de secours|codes de récupération',
  'códigos de recuperación|códigos de recuperação|códigos de respaldo|codici di recupero|codici di backup|herstelcodes|kody zapasowe|резервные коды|коды восстановления|备用验证码|バックアップコード|リカバリーコード|백업 코드|복구 코드',
);
const NAME_OF_LIST = `(?:${LISTED_CODES.join('|').replaceAll(' ', '[ _-]?')})`;
const SIGN = String.raw`(?:\\{0,4}["'*_\x60)]{0,4}[ \t]?[:：=])`;
/** The rest of a heading, what underlines it, and the beginning of a block of code. A line whose codes are hidden is none. */
const HEADING = String.raw`(?:(?![^\r\n]{0,60}\[SECRET:)[^\r\n]{0,60}(?:\r?\n){1,2}(?:(?:[=~-]{3,80}|\x60{3,4}\w{0,12})(?:\r?\n){1,2}){0,2})`;
const ITEM = String.raw`(?:[ \t]{0,8}(?:[-*•+]|\d{1,2}[.)])[ \t])?(?:\[[ x]\][ \t])?[ \t\\"'\x60[,;]{0,8}`;
/** In groups between dashes, in one of letters and digits, or of digits alone. */
const LISTED_CODE = String.raw`(?:(?=[a-z-]{0,40}\d)[a-z\d]{4,10}(?:-[a-z\d]{4,10}){1,7}|(?=[a-z]{0,12}\d[a-z\d]{0,12}[a-z])(?=(?:[a-z]{0,12}\d){2})[a-z\d]{8,16}|\d{4}(?: \d{4,12}){1,2}|\d{6,12})`;
/** One code in ten has no digit. */
const OF_LETTERS = '(?:[a-z]{4,10}(?:-[a-z]{4,10}){1,7}|[a-z]{8,16})';
const CODE = String.raw`(?:${LISTED_CODE}|${OF_LETTERS})(?![\w@/:-]|[.,]\d)`;
const BEHIND_ITEM = String.raw`(?:[ \t]{1,4}\(?(?:used|✓|✔)\)?)?[ \t\\"'\x60\],;.]{0,8}(?:\r?\n){0,2}`;
/** Where a list may begin: behind a sign on the same line, else below the heading. */
const HEADS = [SIGN, `${SIGN}?${HEADING}`].map((to) => new RegExp(`${NAME_OF_LIST}${to}`, 'iuy'));
const LISTED = new RegExp(`${ITEM}(?<v>${CODE})${BEHIND_ITEM}`, 'iuy');
const HAS_DIGITS = new RegExp(`^${LISTED_CODE}$`, 'iu');
const MAX_CODES = 24;
const OPEN_LIST = new RegExp(
  `${NAME_OF_LIST}${SIGN}?${HEADING}?(?:${ITEM}${CODE}${BEHIND_ITEM}){0,${MAX_CODES}}`,
  'iu',
);

/** All codes of a list. */
function findListedCodes(text: string, at: number): Found | undefined {
  for (const head of HEADS) {
    const match = matchAt(head, text, at);
    const [first, ...more] = match ? codesFrom(text, at + match[0].length) : [];
    if (first) return { ...first, more };
  }
  return undefined;
}

/** Codes, and words that look like one of them that has letters and digits. */
function codesFrom(text: string, from: number): readonly Span[] {
  const spans: Span[] = [];
  const forms = new Set<string>();
  let at = from;
  while (spans.length < MAX_CODES) {
    const match = matchAt(LISTED, text, at);
    const code = match?.groups?.['v'];
    if (!match || code === undefined) break;
    const start = at + match[0].indexOf(code);
    spans.push({ start, end: start + code.length });
    if (HAS_DIGITS.test(code)) forms.add(formOf(code));
    at += match[0].length;
  }
  return spans.filter(({ start, end }) => {
    const code = text.slice(start, end);
    return HAS_DIGITS.test(code) || forms.has(formOf(code));
  });
}

/** How many characters stand between its dashes; of digits alone as they are. */
const formOf = (code: string): string => (/[a-z]/i.test(code) ? code.replace(/[a-z\d]/gi, 'x') : code);

export const ANNOUNCED_CODE_LIST_RULES: readonly Rule[] = [
  {
    id: 'listed_codes',
    kind: 'SECRET',
    hints: LISTED_CODES.flatMap((name) =>
      name.includes(' ') ? [name, name.replaceAll(' ', '_'), name.replaceAll(' ', '')] : [name],
    ),
    find: withHead(decidedBy(OPEN_LIST, findListedCodes)),
    examples: {
      hits: [
        'Recovery codes:\nk7qp-x2mv\n⟦9qrs-44tv⟧\n',
        '## Backup codes for bob\n\n- `a1b2c-d3e4f`\n- `⟦k8l9m-n0p1q⟧`\n',
        'backup codes\n1. 4821 9036\n2. ⟦7730 1182⟧\n',
        '{"recovery_codes": ["k7qpx2mv", "⟦9qrs44tv⟧"]}',
        'backup codes: 48219036, ⟦77301182⟧.',
        'backup codes: ⟦48219036⟧, 77301182\nKeep them.\n',
        'a {"recovery_codes": ["⟦k7qpx2mv⟧", "9qrs44tv"]} and so\n',
        'Recovery codes:\n\n```\nk7qp-x2mv\n⟦9qrs-44tv⟧\n```\n',
        'Recovery codes\n==============\n[ ] k7qp-x2mv\n[x] ⟦9qrs-44tv⟧\n',
        'Recovery codes:\n- k7qp-x2mv (used)\n- ⟦bqrs-ttvw⟧\n- 9qrs-44tv\n',
        'Recovery codes:\nbqrs-ttvw\n⟦k7qp-x2mv⟧\n',
      ],
      misses: [
        'Recovery codes:\n- keep them safe\n- never share them\n',
        'recovery codes (10 of them) since 20240115',
        'backup codes 20240115 made',
        'recovery codes are stored in table7\nand read-only in step-12\n',
        'backup codes\n2024-01-15 10:12 made\n',
        'backup codes:\nhttps://h/x7qp-x2mv\n',
        'backup codes:\n- read-only\n- keep-them\n',
      ],
    },
  },
];
