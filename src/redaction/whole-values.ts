import { isTextAboutSecrets } from './about-secrets.ts';
import { isMarker } from './marker.ts';
import { isPublicPart } from './public-parts.ts';
import type { Kind, Rule } from './rule.ts';
import type { KeyClass } from './sensitive-keys.ts';
import { isPlaceholder } from './validators.ts';

/** Id under which values are reported that only their name gives away. */
export const KEY_RULE = 'sensitive_key';

/** Shorter values under a name for secrets are flags and counts. */
const MIN_SECRET = 4;

/** The kind under which a whole value is hidden; undefined leaves it to the rules. */
export function wholeKind(keyClass: KeyClass, text: string, isNumber: boolean): Kind | undefined {
  if (text.length === 0 || isMarker(text)) return undefined;
  const digits = text.length <= 40 && /^[\d\s+().\-/]{6,40}$/.test(text) ? text.replace(/\D/g, '').length : 0;
  switch (keyClass) {
    case 'plain':
      return undefined;
    case 'password':
      return isPlaceholder(text) || isTextAboutSecrets(text) ? undefined : 'SECRET';
    case 'secret':
      if (text.length < MIN_SECRET || isPlaceholder(text) || isPublicPart(text)) return undefined;
      return isTextAboutSecrets(text) ? undefined : 'SECRET';
    case 'token':
      if (isNumber || /\s/.test(text) || isPlaceholder(text) || isPublicPart(text)) return undefined;
      return text.length >= 16 || (text.length >= 8 && /\d/.test(text)) ? 'SECRET' : undefined;
    case 'phone':
      return digits >= 7 && digits <= 15 ? 'PHONE' : undefined;
    case 'personal-number':
      return digits >= 8 || /^[A-Z]{2}\d{2}[A-Z\d ]{10,40}$/.test(text) ? 'SSN' : undefined;
  }
}

/** Matches nothing: its hints make the scan of JSON notice names of members that no other rule has.  */
export function keyNameRule(sensitiveKeys: readonly string[]): Rule {
  const own = sensitiveKeys.flatMap((key) => {
    const literal = /[a-z0-9]{3,}/.exec(key.toLowerCase())?.[0];
    return literal === undefined ? [] : [literal];
  });
  return {
    id: KEY_RULE,
    kind: 'SECRET',
    hints: [
      'cvv',
      'cvc',
      'pin',
      'ssn',
      'passport',
      'national',
      'tax',
      'iban',
      'conn',
      'phone',
      'mobile',
      'tel',
      'fax',
      'msisdn',
      'cell',
      'card',
      'security',
      'recovery',
      'signing',
      'encryption',
      'master',
      'timecode',
      'time_code',
      'time-code',
      'time code',
      'verification',
      'mfa',
      'geheimnis',
      'schlüssel',
      'segreta',
      'secrète',
      'пин',
      'ключ',
      'api"',
      'account',
      'kontonummer',
      'kartennummer',
      'compte',
      'cuenta',
      'conto"',
      'conta"',
      'konta"',
      'rekening',
      'nie"',
      'fiscale',
      ...own,
    ],
    find: () => undefined,
    examples: { hits: [], misses: [] },
  };
}
