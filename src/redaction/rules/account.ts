import { matching } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { joinedInCjk } from './announcement.ts';
import { COUNTED } from './counted.ts';

/** Numbers of accounts at a bank, behind the words for them: few countries have check digits for them. */

const LATIN = String.raw`(?:account[ _-]?(?:number|no|nr)|konto-?(?:nummer|nr)|rekening-?(?:nummer|nr)|(?:n[uú]m[eé]ro|n[°º])[ _](?:de|di|da)[ _](?:compte|cuenta|conto|conta)(?:[ _]\p{L}{4,10})?|compte bancaire|cuenta (?:bancaria|corriente)|conto (?:bancario|corrente)|conta (?:banc[aá]ria|corrente)|numer[ _](?:konta|rachunku)(?: bankowego)?|номер[ _](?:банковского )?сч[её]та|(?:расч[её]тный|лицевой) сч[её]т)`;
const CJK = '(?:账号|帐号|帳號|账户号码|银行卡号|口座番号|계좌 ?번호)';
const JOINT = String.raw`\.?\\{0,4}["']?(?: ?(?:is|was|ist|lautet|est|es|è|é|to|[:=：#]|是|为|為|は|는|은)){0,2}[ \t]{0,3}\\{0,4}["']?`;
const NUMBER = String.raw`(?<v>\d(?:[ .-]?\d){4,33})(?![A-Za-z\d]|${COUNTED})`;

export const ACCOUNT_RULES: readonly Rule[] = [
  {
    id: 'announced_account',
    kind: 'SSN',
    hints: [
      'account n',
      'account_n',
      'account-n',
      'accountn',
      'kontonu',
      'kontonr',
      'konto-n',
      'rekeningn',
      'rekening-n',
      ...['numéro', 'numero', 'n°'].flatMap((number) => [`${number} de compte`, `${number}_de_compte`]),
      ...['número', 'numero', 'nº', 'n°'].flatMap((number) => [`${number} de cuenta`, `${number} da conta`]),
      'numero di conto',
      'numero_di_conto',
      'compte bancaire',
      'cuenta bancaria',
      'cuenta corriente',
      'conto bancario',
      'conto corrente',
      'conta bancaria',
      'conta bancária',
      'conta corrente',
      'numer konta',
      'numer_konta',
      'numer rachunku',
      'номер сч',
      'номер_сч',
      'номер банковского сч',
      'расчетный сч',
      'расчётный сч',
      'лицевой сч',
      ...joinedInCjk(['账号', '帐号', '帳號']),
      '账户号码',
      '银行卡号',
      '口座番号',
      '계좌번호',
      '계좌 번호',
    ],
    find: matching(new RegExp(`(?:${LATIN}|${CJK})${JOINT}${NUMBER}`, 'iu')),
    examples: {
      hits: [
        'account no. ⟦7730156214⟧',
        'Kontonummer: ⟦7730156214⟧',
        'numéro de compte : ⟦30004008280001234⟧',
        'número de cuenta es ⟦0773-0156-2140⟧',
        'conto corrente ⟦000000123456⟧',
        '{"número da conta": "⟦77301-5⟧"}',
        'rekeningnummer is ⟦773 015 621⟧',
        'numer konta to ⟦77301562140001⟧',
        'номер счёта: ⟦40817810099910004312⟧',
        '账号：⟦6222021234567890123⟧。',
        '口座番号は⟦7730156⟧です',
        '계좌번호: ⟦110-234-567890⟧',
      ],
      misses: [
        'account number 12',
        'account numbers 10000, then more',
        'the account nodes 123456',
        'cuenta 123456 filas',
        'account number 10000 rows',
        '口座番号は1234567桁',
        '账号：admin',
        'номер счета не найден',
      ],
    },
  },
];
