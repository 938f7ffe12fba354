import type { RedactorOptions } from './redactor.ts';
import { knownNames } from './name-finder.ts';

/** The settings of the configuration that say what is redacted. */
export interface RedactionSettings {
  readonly redactionPatterns: readonly string[];
  readonly disabledRules: readonly string[];
  readonly safeKeys: readonly string[];
  readonly sensitiveKeys: readonly string[];
  readonly maxCodeSnippetChars: number;
  readonly names: 'context' | 'dictionary' | 'off';
  readonly knownNames: readonly string[];
}

/** @param key 32 bytes, for the markers */
export async function redactorOptions(
  settings: RedactionSettings,
  key: Uint8Array,
): Promise<RedactorOptions> {
  const { redactionPatterns, disabledRules, safeKeys, sensitiveKeys, maxCodeSnippetChars, names } = settings;
  return {
    key,
    userPatterns: redactionPatterns,
    disabledRules,
    safeKeys,
    sensitiveKeys,
    maxCodeSnippetChars,
    names: names === 'off' ? 'off' : 'context',
    nameFinders: [
      ...(settings.knownNames.length > 0 ? [knownNames(settings.knownNames)] : []),
      // The word list is loaded only where it is asked for.
      ...(names === 'dictionary' ? [await (await import('./dictionary-names.ts')).dictionaryNames()] : []),
    ],
  };
}
