/** What numbers that states, insurers and hospitals give to people are called; inflections and compounds may follow. */

/** Names of nothing else, in lower case: by them any number is announced. */
const NATIONAL = [
  // English
  "driver's lic|drivers lic|driver lic|driving lic|national ins|nino|ni number|ni no|ni nr|nhs n|nhs:|national id|identity card|identity number|identity document|identity no|id card n|id card:|tax id|taxpayer id|taxpayer ref|tax file|tax reference|tax number|itin|social insurance|social security n|health insurance|health card|health number|member id:|medicare|medicaid|passport|residence permit|residence card|green card n|alien registration|uscis n|aadha|voter id|ration card|gstin|cnic|nric|emirates id|iqama|utr n|utr:|ppsn|pps n|pps:|ehic|tfn|abn:|abn n|ird n|ird:|nhi n|nhi:|bvn|kra pin|mykad|npwp|vat number|vat no|vat id|vat reg|medical record|mrn",
  // German
  'personalausweis|ausweisnu|ausweis-n|ausweisn|reisepass|passnummer|pass-nr|führerschein|fuehrerschein|steuer-id|steuerid|steueriden|steuernu|steuer-nu|steuer-nr|sozialvers|sv-nummer|sv-nr|svnr|rentenvers|krankenversich|versichertennu|versicherten-|kvnr|gesundheitskarte|ust-id|ustid|umsatzsteuer-id|aufenthaltstitel|patientennu|patienten-|ahv|versicherungsnu',
  // French
  "numéro de sécu|n° de sécu|n° sécu|numero de secu|sécurité sociale|securite sociale|numéro avs|n° avs|avs:|carte vitale|carte d'identité|carte d’identité|passeport|permis de conduire|numéro fiscal|numéro nir|nir:|registre national|numéro national|titre de séjour|assurance maladie|assurance sociale|ramq|siret|siren|niss|cni n|cni:",
  // Spanish
  'dni|nif|pasaporte|permiso de cond|carnet de cond|licencia de cond|licencia de manejo|seguridad social|tarjeta sanitaria|nuss|curp|clave de elector|credencial de elector|cuit|cuil|cédula|cedula|carnet de ext|nss:|nss n|documento de identidad|documento nacional|número de identidad',
  // Portuguese
  'cpf|cnpj|cnh|pis/pasep|pis:|título de eleitor|titulo de eleitor|cartão sus|cartao sus|cartão nacional de saúde|cartão de cidadão|cartao de cidadao|bilhete de identidade|contribuinte|número de utente|nº de utente|utente n|passaporte|carta de condução|segurança social|carteira de identidade|carteira de motorista|habilitação',
  // Italian
  "codice fisc|cod. fisc|partita iva|p.iva|p. iva|p.i.:|carta d'identità|carta d’identità|carta di identità|carta d'identita|passaporto|patente|tessera sanitaria|documento d'identità|permesso di soggiorno",
  // Dutch
  'bsn|burgerserv|paspoort|rijbewijs|identiteitskaart|id-kaart|sofinummer|rijksregister|insz|verzekerdennu|btw-n|btw n|v-nummer',
  // Polish
  'pesel|nip:|regon|dowód os|dowod os|dowodu os|dowodem os|dowodu:|nr dowodu|numer dowodu|numeru dowodu|paszport|prawo jazdy|prawa jazdy',
  // Russian, Ukrainian, Bulgarian
  'инн|снилс|паспорт|водительск|полис|загранпаспорт|огрн|іпн|рнокпп|ідентифікаційн|водійськ|посвідчення|удостоверени|єдрпоу|унзр|егн|лична карта|личната карта',
  // Turkish
  't.c. kimlik|t.c. no|tc kimlik|tckn|tc no|kimlik n|pasaport|ehliyet|vergi n|vergi kimlik|sgk n|sgk sicil',
  // Czech, Slovak
  'rodné čís|rodne cis|rodného čís|rodným čís|r.č.|občansk|obciansk|cestovní pas|cestovný pas|číslo pasu|řidičsk|vodičsk|ičo|dič|ič dph|pojištěnc|číslo op',
  // Hungarian, Romanian
  'személyi|személyazon|adóazon|adószám|taj szám|taj-szám|tajszám|taj:|útlevél|jogosítvány|cnp|cod numeric|codul numeric|buletin|carte de identitate|cartea de identitate|pașaport|paşaport|permis de conducere|permisul de conducere',
  // Croatian, Serbian, Slovenian
  'oib|jmbg|emšo|osobna iskaz|osobne iskaz|osobnu iskaz|putovnic|lična karta|lične karte|lk br|davčna št|osebna izkaz|osebne izkaz',
  // Greek
  'αφμ|α.φ.μ|αμκα|α.μ.κ.α|ταυτότητα|αριθμός ταυτότητας|ταυτότητας|διαβατήρι|δίπλωμα οδήγησης|άδεια οδήγησης',
  // Swedish, Norwegian, Danish, Finnish
  'personnu|personnr|pers.nr|pers. nr|samordningsnu|pass nr|passnr|pasnu|pasnr|körkort|førerkort|kørekort|organisationsnu|fødselsnu|fodselsnu|fødselsnr|d-nummer|cpr|cvr|sundhedskort|henkilötunnu|henkilotunnu|hetu|passin numero|passinumero|ajokort|y-tunnus|isikukood|asmens kod|personas kod',
  // Hebrew, Arabic, Indonesian, Vietnamese
  'תעודת זהות|ת.ז|מספר זהות|דרכון|رقم الهوية|الرقم القومي|جواز السفر|ktp:|ktp n|cccd:|số cccd|cmnd',
];

/** Words with other meanings: a number follows them at once, or behind words for one. */
export const OTHER_NAMES: readonly string[] = ['patient', 'swift', 'bic', 'bank acc', 'routing'];

const literals = (lists: readonly string[]): readonly string[] => lists.flatMap((list) => list.split('|'));

/** A blank joins nothing in these scripts, and compounds begin anywhere. */
export const CJK_NAMES = literals([
  '身份证|身分证|居民身份|护照号|护照|驾驶证|驾照号|社保号|社会保障号|社保卡号|统一社会信用代码|医保卡号|身分證|身份證|護照|統一編號|健保卡|駕照',
  'マイナンバー|個人番号|パスポート|旅券番号|免許証|健康保険証|保険証|被保険者|基礎年金番号|在留カード',
  '주민등록|주민번호|외국인등록|여권번호|여권 번호|운전면허|사업자등록|건강보험|면허번호',
]).filter((name) => name.length > 2);

const NATIONAL_LITERALS = literals(NATIONAL);
/** As in sentences, and as members of records are named. */
export const NATIONAL_NAMES = NATIONAL_LITERALS.flatMap((name) =>
  name.includes(' ') ? ['', '_', '-', ' '].map((joint) => name.replaceAll(' ', joint)) : [name],
);

const escaped = (names: readonly string[]): string =>
  names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '[ _-]?')).join('|');

export const NATIONAL_NAME = escaped(NATIONAL_LITERALS);
export const CJK_NAME = escaped(CJK_NAMES);
