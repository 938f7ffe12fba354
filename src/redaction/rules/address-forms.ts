import { textBefore, withoutEscapes, wordsBefore } from '../characters.ts';
import { matchAt } from '../match-at.ts';
import { begun } from '../open-pattern.ts';
import { decidedBy, matching, onlyWhere } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { CAPITAL, GAP, isBehindNoWord, NAMES, NO_STREET, NUMBER, TAIL } from './address-parts.ts';
import { CJK_ADDRESS, KOREAN_ADDRESS } from './address-cjk.ts';

/** Postal addresses that begin with a region, a block or a quarter, and those behind words for living at a place. */

const JAPAN =
  '東京都|北海道|大阪府|京都府|青森県|岩手県|宮城県|秋田県|山形県|福島県|茨城県|栃木県|群馬県|埼玉県|千葉県|神奈川県|新潟県|富山県|石川県|福井県|山梨県|長野県|岐阜県|静岡県|愛知県|三重県|滋賀県|兵庫県|奈良県|和歌山県|鳥取県|島根県|岡山県|広島県|山口県|徳島県|香川県|愛媛県|高知県|福岡県|佐賀県|長崎県|熊本県|大分県|宮崎県|鹿児島県|沖縄県';
const CHINA =
  '北京市|上海市|天津市|重庆市|河北省|山西省|辽宁省|吉林省|黑龙江省|江苏省|浙江省|安徽省|福建省|江西省|山东省|河南省|湖北省|湖南省|广东省|海南省|四川省|贵州省|云南省|陕西省|甘肃省|青海省|内蒙古|广西壮族|西藏自治|宁夏回族|新疆维吾尔|臺北市|台北市|新北市|桃園市|臺中市|台中市|臺南市|台南市|高雄市|广州市|深圳市|杭州市|成都市|武汉市|南京市|苏州市|西安市';
const KOREA =
  '서울특별시|서울시 |서울 |부산광역시|부산시 |부산 |대구광역시|대구 |인천광역시|인천 |광주광역시|대전광역시|대전 |울산광역시|세종특별|경기도|경기 |강원도|강원특별|충청북도|충북 |충청남도|충남 |전라북도|전북 |전라남도|전남 |경상북도|경북 |경상남도|경남 |제주특별|제주도';

const JAPANESE_CODE = /〒? ?\d{3}-\d{4}[ \u3000]{0,2}$/;
const JAPANESE_CODE_BEGUN = /(?:〒 ?|(?<!\d)(?=\d{3}))(?:\d{1,3}(?:-(?:\d{1,4}[ \u3000]{0,2})?)?)?$/;

/** Up to the last number and what it counts: the sentence goes on without a blank. */
const UP_TO_NUMBER =
  /^.*\d(?:号楼|号室|号|號|室|楼|樓|层|階|F|番地|番|丁目|栋|幢|弄|巷|单元|번지|호)?(?: ?\([가-힣\d, ]{2,24}\))?/u;
/** A house, a flat, a block: no year and no figure. */
const HOUSE_IN_CJK = /[가-힣]|\d(?:号|號|丁目|番|室|楼|樓|弄|巷|-\d)/;
const IN_REGION = matching(new RegExp(`(?:${CJK_ADDRESS}|${KOREAN_ADDRESS})`, 'u'), (value) =>
  HOUSE_IN_CJK.test(value),
);

/** `at` is where the region begins; a code stands before it. */
function findInRegion(text: string, at: number): Span | undefined {
  const found = IN_REGION(text, at);
  if (!found) return undefined;
  const code = JAPANESE_CODE.exec(textBefore(text, at, 14))?.[0] ?? '';
  const value = UP_TO_NUMBER.exec(text.slice(at, found.end))?.[0] ?? '';
  return { start: at - code.length, end: at + value.length };
}

/** Turkey: quarter, avenue and street, each behind its name; the number, the flat, code and town. */
const TURKISH_KIND =
  '(?:Mahallesi|Mah\\.|Mh\\.|Caddesi|Cad\\.|Cd\\.|Sokağı|Sokak|Sok\\.|Sk\\.|Bulvarı|Bulv\\.|Blv\\.)';
const TURKISH_NAME = String.raw`(?:\d{1,4}\.? |${CAPITAL} ){1,4}`;
const TURKISH_BEFORE = new RegExp(String.raw`(?<![\p{L}\d_.,/#:-])${TURKISH_NAME}$`, 'u');
const TURKISH_BEGUN = begun(new RegExp(String.raw`(?<![\p{L}\d_.,/#:-])${TURKISH_NAME}`, 'u'));
const TURKISH_REST = new RegExp(
  String.raw`${TURKISH_KIND}(?:,? ${TURKISH_NAME}${TURKISH_KIND}){0,2},? ?(?:[Nn][Oo]\s?[:.]? ?)?\d{1,4}(?:\/\d{1,4})?[A-Za-z]?(?![\p{L}\d])(?:,? ?(?:Daire|[Dd]|Kat|K|Blok)\s?[:.]? ?\d{1,4}(?![\p{L}\d])){0,3}${TAIL}`,
  'uy',
);

function findTurkish(text: string, at: number): Span | undefined {
  const rest = matchAt(TURKISH_REST, text, at)?.[0];
  const name = rest && TURKISH_BEFORE.exec(wordsBefore(text, at, 80))?.[0];
  return rest === undefined || name === undefined || name === ''
    ? undefined
    : { start: at - name.length, end: at + rest.length };
}

/** Words for living at a place, being registered there, and an address, each with what joins it to one. */
const LIVING = [
  'wohnhaft|wohne|wohnt|wohnen|gemeldet',
  "j'habite|habite|habitant|demeurant|domicilié|domiciliée|domicile|résid",
  'vivo en|vive en|resido en|reside en|domicilio|domiciliado|domiciliada',
  'abito in|abita in|residente|residenza|domiciliat|vivo in',
  'moro na|moro no|mora na|mora no|resido na|morada|residente na|residente em|domicílio',
  'woon|adres',
  'mieszkam|mieszka|zamieszkał|zam\\. |zameldowan',
  'живу|живёт|живет|проживаю|проживает|прописан|адрес|мешкаю|мешкає|проживає|адреса|живе',
  'μένω|μένει|κατοικώ|κατοικεί|διεύθυνση',
  'oturuyorum|ikamet|adresim|adresi',
  'bor på|bor i|bosatt|bopæl|bostad|adressen|adresse|adress:|asun|osoite',
  'bydliště|bydlisko|bytem|bydlím|adresa|adresă|lakcím|lakcímem|domiciliul|boravište|prebivališče',
];
const literal = (word: string): string => word.replaceAll('\\', '');
const LIVING_WORD = LIVING.map((list) =>
  list
    .split('|')
    .map((word) => `[${word.charAt(0)}${word.charAt(0).toUpperCase()}]${word.slice(1)}`)
    .join('|'),
).join('|');
const LEAD = String.raw`(?:[ \t]{1,2}(?:in|im|am|an|unter|der|dem|den|bei|ist|lautet|au|aux|à|la|le|est|en|el|es|dans|al|alla|è|a|na|no|é|op|aan|de|het|is|w|we|przy|na|to|pod|в|на|по|у|за|є|это|στην|στη|στο|στον|οδό|είναι|på|i|er|är|on|ve|v|je|este|már|jelenleg|currently|mia|mi|mon|mein|mijn|mój|мой|моя|моє|μου|minun)(?!\p{L})){0,4}["']?[ \t]{0,2}[:：]?(?:[ \t]|\r?\n){1,3}["']?`;
/** What else has a name and a number. */
const NO_PLACE = String.raw`(?!(?:\p{Ll}{1,4} ){0,3}(?:Issue|Port|Zeile|Fila|Section|Sección|Line|Row|Step|Page|Página|Chapter|Version|Build|Ticket|Slot|Node|Schritt|Seite|Abschnitt|Kapitel|Ligne|Riga|Linha)(?!\p{L}))`;
const LIVED_AT = String.raw`${NO_PLACE}(?:${NUMBER}(?: ?(?:bis|ter))?,? ${NO_STREET}${NAMES}|${NO_STREET}${NAMES},? (?:(?:No|Nr|nr|č|д|буд|дом)[.:]? ?)?${NUMBER}(?![\p{L}\d]|[.:]\d)|${NAMES}${GAP}(?=\d))`;

export const ADDRESS_FORM_RULES: readonly Rule[] = [
  {
    id: 'address_region',
    kind: 'ADDRESS',
    hints: [JAPAN, CHINA, KOREA].flatMap((regions) => regions.split('|')),
    find: decidedBy(new RegExp(`(?:${CJK_ADDRESS}|${KOREAN_ADDRESS})[^]?`, 'u'), findInRegion),
    before: (text) => text.search(JAPANESE_CODE_BEGUN),
    examples: {
      hits: [
        '⟦〒150-0043 東京都渋谷区道玄坂2丁目10-7 桜荘301⟧です',
        '送到⟦广东省深圳市南山区科技园路1号3号楼1201室⟧。',
        '寄到⟦台北市大安區仁愛路三段10號5樓⟧，',
        '저는 ⟦서울특별시 강남구 테헤란로 54길 17, 1203호⟧에',
        '⟦경기도 성남시 분당구 판교로 152 (삼평동)⟧ 입니다',
      ],
      misses: ['東京都の人口は1400万人', '北京市2024年', '广东省有20路公交', '서울 2024년 3월', '경기 3개'],
    },
  },
  {
    id: 'address_turkey',
    kind: 'ADDRESS',
    hints: [
      'mahallesi',
      'mah. ',
      'mh. ',
      'caddesi',
      'cad. ',
      'cd. ',
      'sokağı',
      'sokak',
      'sok. ',
      'sk. ',
      'bulvarı',
      'bulv. ',
      'blv. ',
    ],
    wordStart: true,
    find: onlyWhere(
      (text, at) => TURKISH_BEFORE.test(wordsBefore(text, at, 80)),
      decidedBy(TURKISH_REST, findTurkish),
    ),
    before: (text) => withoutEscapes(text).search(TURKISH_BEGUN),
    examples: {
      hits: [
        'adres ⟦Yeni Caddesi No: 21 Daire 7, 34000 Kadıköy/İstanbul⟧. Not',
        '⟦Cumhuriyet Mah. Gül Sok. No:5/3⟧ Ankara',
      ],
      misses: ['bu caddesi 5', 'the mah. 5', 'Yeni Caddesi güzel'],
    },
  },
  {
    // Singapore, HDB: block, street, floor and unit
    id: 'address_block',
    kind: 'ADDRESS',
    hints: ['blk ', 'block '],
    wordStart: true,
    find: onlyWhere(
      isBehindNoWord,
      matching(
        new RegExp(
          String.raw`(?:Blk|BLK|Block) \d{1,4}[A-Z]?,? ${NAMES}(?: \d{1,3})?(?:,? #\d{1,3}-\d{1,4}[A-Z]?(?:,? (?:Singapore|S)(?: ?\(?\d{6}\)?)?)?|,? (?:Singapore|S) ?\(?\d{6}\)?|(?<=(?:Street|St|Avenue|Ave|Road|Rd|Drive|Lane|Crescent|Close)(?: \d{1,3})?))`,
          'u',
        ),
      ),
    ),
    examples: {
      hits: [
        'at ⟦Blk 28 Yishun Street 24, #08-31, Singapore 570287⟧ now',
        'at ⟦Block 28 Tampines Avenue 4⟧ now',
      ],
      misses: ['block 28 Failed', 'Block 12 Reads 5', 'the blk 5'],
    },
  },
  {
    id: 'address_living',
    kind: 'ADDRESS',
    hints: LIVING.flatMap((list) => list.split('|').map(literal)),
    wordStart: true,
    find: onlyWhere(
      isBehindNoWord,
      matching(
        new RegExp(String.raw`(?:${LIVING_WORD})\p{L}{0,4}${LEAD}(?<v>${LIVED_AT}${TAIL})`, 'u'),
        (value) => /\d/.test(value),
      ),
    ),
    examples: {
      hits: [
        'wohnhaft ⟦Am Neuen Anger 3, 99084 Erfurt⟧, seit',
        'Sie ist gemeldet in der ⟦Langen Reihe 3, 20099 Hamburg⟧.',
        'Μένω ⟦Σταδίου 12, 11257 Αθήνα⟧.',
        'mieszkam przy ⟦Długiej 15, 00-238 Warszawa⟧.',
        'bor på ⟦Kaptensgränd 4, 111 22 Stockholm⟧.',
        'j’y suis; domicile: ⟦8 bis Clos Fleuri, 69005 Lyon⟧.',
        'Morada: ⟦Praceta Nova 8, 1100-001 Lisboa⟧.',
        'bytem ⟦Nová 12/3, 110 00 Praha⟧.',
      ],
      misses: [
        'wohnhaft in Berlin',
        'адрес 10.0.0.1',
        'adresse: 0x7fff',
        'woon in Amsterdam',
        'gemeldet in Issue 12',
        'wohnt in Port 8080',
        'adressen 5',
      ],
    },
  },
];
