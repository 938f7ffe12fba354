import { matching } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { isRandom, saysItIsExample } from '../validators.ts';
import { isNameOfWords } from './technical-words.ts';

/**
 * Keys that name their issuer. The page above a rule is its vendor's about these keys. Some pages give the whole form,
 * most only the prefix or an example, some only say that there is such a key: lengths that none gives are those of keys
 * in use. Where no page stands the prefix is that of keys in use as well, as detectors know it that publish theirs
 * (https://docs.github.com/en/code-security/reference/secret-security/supported-secret-scanning-patterns,
 * https://docs.gitguardian.com/secrets-detection/secrets-detection-engine/detectors).
 */

/**
 * A key that goes on behind its documented length is hidden whole: vendors make keys longer. A sign of padding may be
 * escaped.
 */
const GOES_ON = String.raw`(?:[\w=~-]|\\{1,4}(?:=|u003[dD])|%3[dD]){0,512}`;

function longer(pattern: RegExp): RegExp {
  return new RegExp(`(?:${pattern.source})${GOES_ON}`, pattern.flags);
}

function isNoName(value: string): boolean {
  return !saysItIsExample(value) && !isNameOfWords(value);
}

export function provider(id: string, hints: readonly string[], pattern: RegExp, example: string): Rule {
  return {
    id,
    kind: 'SECRET',
    hints,
    wordStart: true,
    find: matching(longer(pattern), (value) => !/[xX]{6}/.test(value) && isNoName(value)),
    examples: {
      hits: [`using ⟦${example}⟧ now`, `{"k":"\\n⟦${example}⟧"}`],
      misses: [`about the ${hints[0]} prefix`, `${hints[0]}short`],
    },
  };
}

/** The same with a check that the body is no word, for prefixes that also start ordinary names. */
export function randomProvider(id: string, hints: readonly string[], pattern: RegExp, example: string): Rule {
  const isKey = (value: string): boolean => isRandom(value) && isNoName(value);
  return { ...provider(id, hints, pattern, example), find: matching(longer(pattern), isKey) };
}

/** For the examples; never issued. */
export const FAKE_UUID = '7f3a91c0-4be2-4d86-a57f-3a91c04be2d8';
