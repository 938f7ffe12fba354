import { endsEscape, isLetter, isUpper, signsBefore } from '../characters.ts';
import { lengthAt, matchAt } from '../match-at.ts';
import { decidedBy, onlyWhere } from '../rule.ts';
import type { Find, Rule, Span } from '../rule.ts';
import { GIVEN_NAMES } from './given-names.ts';

/**
 * Names of people where the text itself says that one stands there: headers, fields, salutations, introductions.
 * A name elsewhere is left: without a model of the language more words would be hidden than names.
 */

const PART = String.raw`[A-Z\u00c0-\u00de](?:[a-z\u00df-\u024f]{1,24}|['’][A-Z][a-z]{1,24})(?:-[A-Z\u00c0-\u00de][a-z\u00df-\u024f]{1,24})?`;
const PARTICLE = '(?:van|von|de|der|den|da|di|del|dos|la|le|bin|al|el|ter|ten)';
const INITIAL = String.raw`[A-Z]\.?`;
/** Two to five words, the first and the last of them with a capital. */
const FULL = String.raw`${PART}(?: (?:${PART}|${PARTICLE}|${INITIAL}(?= ))){0,3} ${PART}`;
const TITLE = String.raw`(?:(?:Mrs?|Ms|Mx|Miss|Dr|Prof|Professor|Herr|Frau|Sir|Madame|Monsieur|Señora?)\.? ){1,2}`;
const ANY = String.raw`(?:${TITLE})?(?:${FULL}|${PART})`;

/** A name of an agent, a service or a group in the place of a person's. */
const NO_PERSON =
  /\b(?:Agent|Assistant|Bot|Service|Server|Team|Support|System|Admin|User|Customer|Client|Manager|Group|All|Everyone|Sir|Madam|Colleagues?|Friends?|Reader|Community|Test|Build|Deploy|Release|Claude|Model|Planner|Coder|Critic|Reviewer|Actions?|Unknown|None|Null|Data|Copilot|Inc|Ltd|GmbH|LLC|Corp|String|Str|Text|Number|Integer|Boolean|Object|Optional|Nullable)\b|^(?:New|Untitled|Default)\b|(?:Agent|Bot|Service|Critic)\b/;

function isPerson(name: string): boolean {
  return !NO_PERSON.test(name);
}

function startsWithGivenName(name: string): boolean {
  return GIVEN_NAMES.has(/^\p{L}{1,30}/u.exec(name.toLowerCase())?.[0] ?? '');
}

/** @param pattern is case-sensitive, begins at the hint and ends with the group `v`, the name */
function nameAfter(pattern: string, valid: (name: string) => boolean): Find {
  const sticky = new RegExp(pattern, 'dy');
  const isWord = (text: string, at: number): boolean =>
    !isLetter(text.charCodeAt(at - 1)) ||
    endsEscape(text, at) ||
    (isUpper(text.charCodeAt(at)) && !isUpper(text.charCodeAt(at - 1)));
  const find = decidedBy(sticky, (text, at) => {
    const [start, end] = matchAt(sticky, text, at)?.indices?.groups?.['v'] ?? [0, 0];
    return end > 0 && valid(text.slice(start, end)) ? { start, end } : undefined;
  });
  return onlyWhere(isWord, find);
}

const HEADER = String.raw`(?:From|To|Cc|CC|Bcc|Reply-To|Sender|from|author|Author|Committer|committer|Tagger|tagger|[A-Z][a-z]{2,10}(?:-[a-z]{2,8})?-by):? {1,4}["']?`;
const WORD_OF_FIELD = String.raw`[Nn]ame`;
const FIELD = String.raw`${WORD_OF_FIELD}\\?["']?\]? {0,4}[:=]{1,2} {0,4}\\?["']?`;

const OWNER =
  /(?:customer|client|user|full|patient|employee|contact|holder|card|billing|shipping|recipient|sender|owner|guest|applicant|student|member|display|legal|real|first|last|sur|family|given|middle|maiden|father|mother|spouse|candidate|passenger)[_ -]?$/i;

/** `customer_name: Jane Doe`; after a bare `name` the first word must be a given name. `at` is at `name`. */
function findNamedField(text: string, at: number): Span | undefined {
  const start = at + lengthAt(FIELD_START, text, at);
  if (start === at || !isNameStart(text.charCodeAt(start))) return undefined;
  const name = matchAt(FIELD_VALUE, text, start)?.[0];
  if (name === undefined || !isPerson(name)) return undefined;
  const before = signsBefore(text, at);
  const span = { start, end: start + name.length };
  if (OWNER.test(before)) return span;
  const isBare = !/[\w.-]$/.test(before);
  return isBare && name.includes(' ') && startsWithGivenName(name) ? span : undefined;
}

const FIELD_START = new RegExp(FIELD, 'y');
const FIELD_VALUE = new RegExp(String.raw`${ANY}(?![\w(./:@*-])`, 'y');
const NAMED_FIELD = new RegExp(FIELD_START.source + FIELD_VALUE.source);

function isNameStart(unit: number): boolean {
  return isUpper(unit) || (unit >= 0xc0 && unit <= 0x17f);
}

/** `Mr. Smith`, with the names behind it; the title stays. */
const TITLED = String.raw`(?:Mr|Mrs|Ms|Mx|Dr|Prof(?=\.))\.? (?<v>(?:${FULL}|${PART}))(?![\w@])`;
/** Products are called so with a given name: `Prof Jim`. */
const PROFESSOR = String.raw`Prof (?<v>(?:${FULL}|${PART}))(?![\w@])`;
const NO_SURNAME =
  /^(?:Word|Office|Excel|Windows|Teams|Paint|Azure|Edge|Access|Drive|Street|Pepper|Who|Strange|Robot|Dobb|Oetker|Seuss|Martens)\b/;

function isIntroduction(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 12), at);
  return /\b(?:[Mm]y|[Hh]is|[Hh]er|[Tt]heir|full|first|last|[Cc]ustomer|[Uu]ser|[Pp]atient)(?:'s)? (?:full |first |last |real )?$/.test(
    before,
  );
}

export const NAME_RULES: readonly Rule[] = [
  {
    id: 'name_with_mail',
    kind: 'PERSON',
    hints: [
      'from',
      'to: ',
      'cc: ',
      'reply-to',
      'sender',
      'author',
      'committer',
      'tagger',
      'signed-off',
      'co-authored',
      'reviewed-by',
      'acked-by',
      'reported-by',
      'tested-by',
      'suggested-by',
    ],
    find: nameAfter(
      String.raw`${HEADER}(?<v>${ANY})["']? {0,2}[<(\[](?=[\w.+'%-]{1,64}(?:@|%40|\]| \(at\))|EMAIL:)`,
      isPerson,
    ),
    examples: {
      hits: [
        'From: ⟦Piotr Nowak⟧ <p.nowak@example.com>',
        'Signed-off-by: ⟦Ada B. Novak⟧ <ada@example.com>',
        'author ⟦Lena Fischer⟧ <lena@example.org> 1718 +0000',
      ],
      misses: [
        'From: CoderAgent <agent@example.com>',
        'from the <b>start</b>',
        'import X from "y"',
        'author: unknown',
      ],
    },
  },
  {
    id: 'name_header',
    kind: 'PERSON',
    hints: [
      'from: ',
      'author: ',
      'signed-off-by: ',
      'co-authored-by: ',
      'reviewed-by: ',
      'assignee: ',
      'reporter: ',
    ],
    find: nameAfter(
      String.raw`(?:From|Author|[A-Z][a-z]{2,10}-[a-z]{2,8}-by|Reviewed-by|Assignee|Reporter): {1,4}(?<v>${FULL})(?![\w@])`,
      (name) => isPerson(name) && startsWithGivenName(name),
    ),
    examples: {
      hits: ['Author: ⟦Maria Lopez⟧\nDate: today'],
      misses: ['From: Planner Agent', 'Author: Apache Foundation', 'From: Frankfurt Airport'],
    },
  },
  {
    id: 'name_field',
    kind: 'PERSON',
    hints: ['name'],
    find: decidedBy(NAMED_FIELD, findNamedField),
    examples: {
      hits: ['customer_name="⟦Robert Chen⟧" plan', '{"fullName": "⟦Ines Duarte⟧"}', 'Name: ⟦Ingrid Olsen⟧\n'],
      misses: [
        'name: Run Tests',
        'Name: Checkout Service',
        '"name": "Build"',
        'userName = GetName(x)',
        'filename: Alice Report.pdf',
        'user_name=os.environ',
        'agent.name: CoderAgent',
        'displayName: New Dashboard',
        'displayName:Import*',
      ],
    },
  },
  {
    id: 'name_salutation',
    kind: 'PERSON',
    hints: ['dear ', 'hi ', 'hello ', 'hey '],
    find: nameAfter(
      String.raw`(?:Dear|dear|Hi|Hello|Hey) (?<v>${ANY})(?=[,!:;.\n]| (?:and|I|thank|thanks|we)\b|\\n|$)`,
      (name) => isPerson(name) && (/^(?:Mr|Ms|Dr|Prof|Herr|Frau)/.test(name) || startsWithGivenName(name)),
    ),
    examples: {
      hits: ['Dear ⟦Ms Harriet Vance⟧, thank you', 'Hi ⟦Marcus⟧, thanks'],
      misses: [
        'Dear all, hello',
        'Hi There, Hello World!',
        'Hello Kubernetes, goodbye',
        'Dear Customer, Dear Team,',
      ],
    },
  },
  {
    id: 'name_introduced',
    kind: 'PERSON',
    hints: ['name is ', "name's "],
    find: onlyWhere(isIntroduction, nameAfter(String.raw`name(?: is|'s) (?<v>${ANY})(?!\w)`, isPerson)),
    examples: {
      hits: ['says: my name is ⟦Carlos Mendes⟧ and'],
      misses: ['my name is used in logs', 'the name is Foo', 'user name is Root Cause Agent'],
    },
  },
  {
    id: 'name_titled',
    kind: 'PERSON',
    hints: ['mr ', 'mr. ', 'mrs', 'ms ', 'ms. ', 'dr ', 'dr. ', 'prof'],
    find: nameAfter(TITLED, (name) => isPerson(name) && !NO_SURNAME.test(name)),
    examples: {
      hits: ['ask Mrs. ⟦Adeyemi⟧ or Dr. Jonas Weber'],
      misses: [
        'Ms Word',
        '12 ms Total',
        'the MR Review',
        'prof. of concept',
        'Dr Pepper',
        'two VMs. Stop it',
      ],
    },
  },
  {
    id: 'name_professor',
    kind: 'PERSON',
    hints: ['prof '],
    find: nameAfter(
      PROFESSOR,
      (name) => isPerson(name) && (name.includes(' ') || !startsWithGivenName(name)),
    ),
    examples: {
      hits: ['ask Prof Adeyemi or Prof ⟦Jim Weber⟧'],
      misses: ['Prof Jim is a product', 'the prof Agrees'],
    },
  },
];
