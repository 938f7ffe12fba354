import { isDigit, isUpper, textBefore } from '../characters.ts';
import { matchAt } from '../match-at.ts';
import { begun } from '../open-pattern.ts';
import { decidedBy, matching, onlyWhere } from '../rule.ts';
import type { Find, Rule, Span } from '../rule.ts';
import { joinedInCjk } from './announcement.ts';
import { CJK_ADDRESS, isCjkAddress, KOREAN_ADDRESS } from './address-cjk.ts';
import {
  BREAK,
  CAPITAL,
  GAP,
  isBehindNoWord,
  NAMES,
  NO_STREET,
  NUMBER,
  STREET_WORD,
  TAIL,
  UNIT,
} from './address-parts.ts';

/** Postal addresses behind words that announce them, beside a part of a house, at a box, and of forces' mail. */

/** Words for a street behind its name, or short ones before it. */
const KIND = String.raw`(?:u\.|utca|út|útja|tér|krt\.?|ulica|tn\.?|tee|iela|gatvė|sokak|sok\.|cad\.)`;
/** A house number, in many places a building's before it, and the name of a street, behind which the number may stand. */
const HOUSE_FIRST = String.raw`${NUMBER}(?:,? ${NUMBER})?,? ${NO_STREET}(?:C/ ?)?${NAMES}(?:(?: ${KIND})? ${NUMBER}\.?(?![\p{L}\d]))?`;
/** The same where it is announced: not all words need a capital. */
const ANNOUNCED_HOUSE = String.raw`${NUMBER}(?:,? ${NUMBER})?,? ${NO_STREET}(?:C/ ?)?(?:${CAPITAL}(?: [\p{L}'’-]{1,24}\.?){0,4} ${NUMBER}\.?(?![\p{L}\d])|${NAMES})`;
const NUMBER_LAST = String.raw`${NO_STREET}(?!${UNIT})${NAMES},? ${NUMBER}(?![\p{L}\d]|[.,:]\d)(?=,|["'\\\n]|\.?$|\.\s)`;

/** What lies at such a place, or goes to it. */
const AT_A_PLACE =
  /(?<![a-z])(?:liv(?:es?|ed|ing)|resid(?:es?|ed|ing)|stay(?:s|ed|ing)?|located|offices?|headquarter(?:s|ed)|home|house|arriv(?:es?|ed|ing)|deliver(?:s|y|ed|ing)?|ship(?:s|ped|ping|ment)?|sen[dt]|mail(?:ed)?|post(?:ed)?|return(?:ed)?|mov(?:es?|ed|ing)|taxi|cab|ride|pick(?:ed)? (?:me |us |him |her |them )?up|drop(?:ped)? (?:me |us |him |her |them )?off|meet(?:ing)?|wohn(?:t|haft)|habite|demeure|vive|abita|mora|woont|mieszka)(?![a-z])[^.!?;:\n\d]{0,40}$/i;

function isAtAPlace(text: string, at: number): boolean {
  const next = at + 3;
  return (
    (next >= text.length || isDigit(text.charCodeAt(next))) &&
    AT_A_PLACE.test(text.slice(Math.max(0, at - 60), at))
  );
}

/** `address is`, `Adresse:`, `"address": "`, `addresses, here they are:`. */
const SAYS_SO = String.raw`(?:[Aa]ddresse?s?|ADDRESS|[Aa]dressen?|[Aa]nschrift|[Dd]irecci[oó]n|[Ii]ndirizzo|[Ee]ndere[cç]o|[Aa]dres|[Аа]дрес)["']?(?:(?:,? (?:here|they|is|are|was|now|to the same|with|ist|lautet|est|es|è|é)){1,5}["']?[ \t]{0,3}[:=：]?|[ \t]{0,3}[:=：])(?:[ \t]|\r?\n|\\n|>){0,8}["']?`;

/** As far as it is there, up to the part of the house. */
const HOUSE_WITH_GAP = String.raw`(?<![\p{L}\p{M}\d_.,/#:-])(?:${HOUSE_FIRST}${GAP})`;
const HOUSE_BEFORE = new RegExp(`${HOUSE_WITH_GAP}$`, 'u');
/** Where somebody writes without capitals. */
const UNCASED_HOUSE = new RegExp(
  String.raw`(?<![\p{L}\p{M}\d_.,/#:-])${NUMBER}(?: ${NUMBER})? \p{Ll}[\p{L}'’-]{2,24}(?: [\p{L}.'’-]{1,24}){0,3} ${NUMBER}\.?${GAP}$`,
  'u',
);
const HOUSE_BEGUN = begun(new RegExp(`${HOUSE_WITH_GAP}|${UNCASED_HOUSE.source.slice(0, -1)}`, 'u'));
/** Beside a suite of tests or a unit of time there is often a number, but no line for it, no comma and no second number. */
const CERTAIN = new RegExp(String.raw`${BREAK}$|\p{L}\.? ${NUMBER}\.? $`, 'u');
const MAX_HOUSE = 100;

const UNIT_AND_TAIL = new RegExp(`${UNIT}${TAIL}`, 'uy');
const UNCASED_UNIT_AND_TAIL = new RegExp(UNIT_AND_TAIL.source, 'iuy');

/** `42 Costanera 9293`, and on the next line `Apt. 609`. `at` is where the word for the part of the house begins. */
function findByUnit(text: string, at: number): Span | undefined {
  const before = text.slice(Math.max(0, at - MAX_HOUSE), at);
  if (!/\d/.test(before)) return undefined;
  const isUncased = !isUpper(text.charCodeAt(at));
  const house = (isUncased ? UNCASED_HOUSE : HOUSE_BEFORE).exec(before)?.[0];
  if (house === undefined || !(CERTAIN.test(house) || isApartment(text, at))) return undefined;
  const pattern = isUncased ? UNCASED_UNIT_AND_TAIL : UNIT_AND_TAIL;
  const rest = matchAt(pattern, text, at)?.[0];
  return rest === undefined ? undefined : { start: at - house.length, end: at + rest.length };
}

function isApartment(text: string, at: number): boolean {
  return /^apt|^apartment/i.test(text.slice(at, at + 9));
}

/** A pattern of which all is hidden, or the group `v`. */
function addressAt(pattern: string): Find {
  return onlyWhere(isBehindNoWord, matching(new RegExp(pattern, 'u')));
}

const IN_CJK = String.raw`(?:〒 ?\d{3}-?\d{4}[ \u3000]{0,2})?${CJK_ADDRESS}`;
/** Files, pages, memory and services have addresses as well. */
const OF_THING_IN_CJK =
  /(?:文件|檔案|网页|網頁|网站|網站|网络|链接|鏈接|接口|仓库|服务器|伺服器|内存|图片|视频|下载|源码|代码|项目|数据库|邮件|邮箱|파일|페이지|링크|서버|메모리|이메일|메일|저장소) ?$/;
const SAYS_SO_IN_CJK = String.raw`(?:地址|住址|住所|주소)\\{0,4}["']?[ \t]{0,2}(?:是|为|為|は、?|는|은)?[ \t]{0,2}[:：=]?[ \t]{0,3}(?:\\{0,4}["'「『])?`;

const POST_BOX = String.raw`(?:(?:[Pp]\. ?[Oo]\.?|P\.?O\.?|Post Office) ?[Bb]ox|Postfach|Postbus|Postboks|Apartado(?: [Dd]e [Cc]orreos)?|Casilla(?: [Pp]ostal)?|Caixa [Pp]ostal|Casella [Pp]ostale|Bo[iî]te [Pp]ostale|Skrytka [Pp]ocztowa) (?:[Nn][or]\.? ?)?\d[\d ]{0,7}(?<=\d)(?![\p{L}\d])${TAIL}`;
const NUMBER_BEFORE = /(?<![\w.,/#:-])\d{1,5} $/;

/** `PSC 2905, Box 1278`, `Unit 2962 Box 5219`, `USNS Comfort`. */
const FORCES = String.raw`(?<![\w-])(?:(?:PSC|CMR|Unit|UNIT) \d{1,5},? (?:Box|BOX) \d{1,5}|US(?:NS|NV|S|CGC) \p{Lu}[\p{L}'’-]{1,24})${GAP}`;
const FORCES_BEFORE = new RegExp(`${FORCES}$`, 'u');
const FORCES_BEGUN = begun(new RegExp(FORCES, 'u'));

/** What stands right before belongs to it. */
function withBefore(before: RegExp, find: Find): Find {
  return Object.assign(
    (text: string, at: number): Span | undefined => {
      const found = find(text, at);
      const more = found && before.exec(text.slice(Math.max(0, at - MAX_HOUSE), at))?.[0].length;
      return found && { start: at - (more ?? 0), end: found.end };
    },
    { isOpen: find.isOpen },
  );
}

export const ANNOUNCED_ADDRESS_RULES: readonly Rule[] = [
  {
    id: 'address_announced',
    kind: 'ADDRESS',
    hints: ['address', 'adres', 'anschrift', 'direcci', 'indirizzo', 'endere', 'адрес'],
    find: matching(new RegExp(`${SAYS_SO}(?<v>(?:${ANNOUNCED_HOUSE}|${NUMBER_LAST})${TAIL})`, 'u')),
    examples: {
      hits: [
        'my new address is ⟦43 Maneeži 37, Ruhve 40402⟧ now',
        'Lieferadresse: ⟦Am Anger 7, 99084 Erfurt⟧',
        '{"address": "⟦12 Harbour View⟧", "n": 1}',
      ],
      misses: [
        'the memory address is 42 bytes on',
        'address 0x7f at 3',
        'IP address: 10.0.0.1',
        'to address 5 Issues',
        'addresses: 12 Jun 2024',
      ],
    },
  },
  {
    id: 'address_cjk',
    kind: 'ADDRESS',
    hints: [...joinedInCjk(['地址', '住址', '住所', '주소']), '住所は'],
    find: onlyWhere(
      (text, at) => !OF_THING_IN_CJK.test(textBefore(text, at, 6)),
      matching(new RegExp(`${SAYS_SO_IN_CJK}(?<v>${IN_CJK}|${KOREAN_ADDRESS})`, 'u'), isCjkAddress),
    ),
    examples: {
      hits: [
        '我的地址是⟦上海市浦东新区世纪大道100号⟧。',
        '收货地址：⟦广东省深圳市南山区科技园路1号3号楼1201室⟧',
        '住所：⟦〒150-0043 東京都渋谷区道玄坂2-10-7⟧',
        '私の住所は⟦大阪府大阪市北区梅田3-1-1⟧です',
        '주소: ⟦서울특별시 강남구 테헤란로 152⟧',
        '{"地址":"⟦北京市朝阳区建国路88号⟧"}',
      ],
      misses: [
        '地址是错误的',
        '住所：不明',
        'IP地址：192.168.0.1',
        '地址：请在第2页填写',
        '내 주소는 모르는 것 1개',
        '地址：0x7fff2',
        '文件地址：项目目录下的第3号文件',
        '파일 주소: 서울 2동 3',
      ],
    },
  },
  {
    id: 'address_at',
    kind: 'ADDRESS',
    hints: ['at ', 'to ', 'in '],
    wordStart: true,
    find: onlyWhere(
      isAtAPlace,
      matching(
        new RegExp(String.raw`(?:at|to|in(?! (?:1[5-9]|20)\d\d )) (?<v>${ANNOUNCED_HOUSE}${TAIL})`, 'u'),
      ),
    ),
    examples: {
      hits: ['he lives at ⟦95 Lille Vibyvej 8⟧.', 'Please ship it to ⟦7 Oakfield, Leeds LS1 4AP⟧.'],
      misses: [
        'sent to 5 users in 3 batches',
        'moved to 3 Mar 2024',
        'it arrived at 9 AM',
        'went to 12 Monkeys',
        'returned to 20 Tokens',
        'a ship arrives in 1873 Arizona',
      ],
    },
  },
  {
    id: 'address_unit',
    kind: 'ADDRESS',
    hints: ['suite ', 'apt. ', 'apt ', 'apartment ', 'unit ', 'flat '],
    wordStart: true,
    find: decidedBy(UNCASED_UNIT_AND_TAIL, findByUnit),
    before: (text) => (/\d/.test(text) ? text.search(HOUSE_BEGUN) : -1),
    examples: {
      hits: [
        'Ann\n\n⟦42 Costanera 93\n Apt. 609\n Pinamar\n\n Peru 08093⟧\n',
        '> ⟦16 salontie 6\n> apt. 523⟧\n> urjala',
      ],
      misses: [
        'step 4 Running Suite 12',
        '3 passed\nsuite 4 failed',
        'a time unit 5',
        '12 Failed suite 3 of 4',
      ],
    },
  },
  {
    id: 'address_unit_first',
    kind: 'ADDRESS',
    hints: ['suite ', 'apt. ', 'apt ', 'apartment ', 'unit ', 'flat '],
    wordStart: true,
    find: addressAt(
      String.raw`${UNIT}(?:,? |,?\r?\n)${NUMBER}(?:,? ${NUMBER})?,? ${NO_STREET}(?:C/ ?)?${NAMES}(?:(?<=${STREET_WORD}\.?)| ${NUMBER}\.?(?![\p{L}\d]))${TAIL}`,
    ),
    examples: {
      hits: ['⟦Apt. 870 59 Holmevej 65\nRibe DK 51890⟧'],
      misses: ['Suite 12 3 Passed', 'unit 5 12 ms', 'Suite 3 10 Tests 4'],
    },
  },
  {
    id: 'address_box',
    kind: 'ADDRESS',
    hints: [
      'p.o.',
      'p. o.',
      'po box',
      'post office box',
      'postfach',
      'postbus',
      'postboks',
      'apartado',
      'casilla',
      'caixa postal',
      'casella postale',
      'boite postale',
      'boîte postale',
      'skrytka pocztowa',
    ],
    find: withBefore(NUMBER_BEFORE, addressAt(POST_BOX)),
    before: (text) => text.search(NUMBER_BEFORE),
    examples: {
      hits: ['to ⟦P.O. Box 101, Bergen 5003⟧.', '⟦51 PO Box 15⟧', '⟦Postfach 10 20 30, 50668 Köln⟧'],
      misses: ['box 12', 'a p.o. number 4', 'Casilla de correo'],
    },
  },
  {
    id: 'address_forces',
    kind: 'ADDRESS',
    hints: ['apo a', 'fpo a', 'dpo a'],
    wordStart: true,
    find: withBefore(FORCES_BEFORE, addressAt(String.raw`[AFD]PO,? A[AEP],? \d{5}(?:-\d{4})?(?![\p{L}\d])`)),
    before: (text) => text.search(FORCES_BEGUN),
    examples: {
      hits: ['⟦Unit 2962 Box 5219\nDPO AP 36157⟧', '⟦PSC 2905, Box 1278, APO AA 34001⟧'],
      misses: ['apo a 12345', 'fpo at 1'],
    },
  },
];
