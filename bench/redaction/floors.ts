import type { Kind } from '../../src/redaction/rule.ts';
import { STRUCTURED } from './score.ts';

/** What must hold on a set; a figure below makes the bench fail. */
export interface Floor {
  readonly set: string;
  readonly group: Group;
  readonly f1: number;
  readonly leaked?: number;
  readonly alteredCleanTexts?: number;
}

export type Group = 'secrets' | 'structured';

export const GROUPS: Readonly<Record<Group, readonly Kind[]>> = {
  secrets: ['SECRET'],
  structured: STRUCTURED,
};

export const FLOORS: readonly Floor[] = [
  { set: 'cot-synthetic', group: 'secrets', f1: 0.95, leaked: 0.02, alteredCleanTexts: 0 },
  { set: 'cot-synthetic', group: 'structured', f1: 0.98, alteredCleanTexts: 0 },
  { set: 'presidio', group: 'structured', f1: 0.95, alteredCleanTexts: 0 },
  { set: 'gitleaks', group: 'secrets', f1: 0.88 },
  { set: 'secretlint', group: 'secrets', f1: 0.8 },
  { set: 'credsweeper', group: 'secrets', f1: 0.78 },
  { set: 'held-out', group: 'secrets', f1: 0.93, leaked: 0.06 },
  { set: 'held-out', group: 'structured', f1: 0.93 },
];

/** Megabytes for each second of processor time. */
export const TARGET_SPEED_LABELLED = 10;
export const TARGET_SPEED_CLEAN = 50;
export const WORST_CASE_LENGTH = 100_000;
/** Of processor time for WORST_CASE_LENGTH characters. */
export const TARGET_WORST_CASE_MS = 50;
