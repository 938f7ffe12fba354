import type { Rule } from '../rule.ts';
import { CONTEXT_RULES } from './context.ts';
import { KEY_RULES } from './keys.ts';
import { NETWORK_RULES } from './network.ts';
import { PERSONAL_RULES } from './personal.ts';
import { PROVIDER_RULES } from './providers.ts';

/** In order of rank: of findings that overlap, the first of this list names the marker. */
export const BUILTIN_RULES: readonly Rule[] = [
  ...KEY_RULES,
  ...PROVIDER_RULES,
  ...CONTEXT_RULES,
  ...NETWORK_RULES,
  ...PERSONAL_RULES,
];
