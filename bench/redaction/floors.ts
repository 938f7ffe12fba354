import type { Kind } from '../../src/redaction/rule.ts';
import type { Half } from './sample.ts';
import { STRUCTURED } from './score.ts';

/** What must hold on the halves of a set; a figure worse than it makes the bench fail. */
export interface Floor extends Readonly<Record<Half, Limits>> {
  readonly set: string;
  readonly group: Group;
}

export interface Limits {
  readonly f1?: number;
  /** Share of the values. */
  readonly leaked?: number;
  /** Of the texts that hold nothing private. */
  readonly altered?: number;
}

/** `clean`: of a set that has no labels. */
export type Group = 'secrets' | 'structured' | 'addresses' | 'clean';

export const GROUPS: Readonly<Record<Group, readonly Kind[]>> = {
  secrets: ['SECRET'],
  structured: STRUCTURED,
  addresses: ['ADDRESS'],
  clean: [],
};

function inBoth(set: string, group: Group, limits: Limits): Floor {
  return { set, group, A: limits, B: limits };
}

export const FLOORS: readonly Floor[] = [
  {
    set: 'cot-synthetic',
    group: 'secrets',
    A: { f1: 0.99, leaked: 0.01, altered: 0 },
    B: { f1: 0.99, leaked: 0.01, altered: 0 },
  },
  inBoth('cot-synthetic', 'structured', { f1: 0.98, leaked: 0, altered: 0 }),
  inBoth('presidio', 'structured', { f1: 0.99, leaked: 0.01, altered: 0 }),
  { set: 'presidio', group: 'addresses', A: { f1: 0.92 }, B: { f1: 0.78 } },
  {
    set: 'gitleaks',
    group: 'secrets',
    A: { f1: 0.96, leaked: 0.01, altered: 8 },
    B: { f1: 0.97, leaked: 0.02, altered: 5 },
  },
  // The range that it reports may be wider than the secret, and then counts as leaked; some of its texts without labels hold
  // malformed keys, which are hidden.
  { set: 'secretlint', group: 'secrets', A: { f1: 0.89, leaked: 0.17 }, B: { f1: 0.83, leaked: 0.49 } },
  // Its labels are what one tool found: passwords behind a word of Korean, behind a blank, or in a
  // pair (`ID/PW are …`) are none of them. Half B fell from .628 to .607 when such pairs were found, and its floor with it.
  { set: 'credsweeper', group: 'secrets', A: { f1: 0.91, leaked: 0.01 }, B: { f1: 0.6, leaked: 0.16 } },
  { set: 'held-out', group: 'secrets', A: { f1: 0.95, leaked: 0 }, B: { f1: 0.93, leaked: 0.2 } },
  { set: 'held-out', group: 'structured', A: { f1: 0.98, leaked: 0 }, B: { f1: 0.98, leaked: 0 } },
  inBoth('own clean texts', 'clean', { altered: 0 }),
  // Some of these hold the address of a person, a password, the id of a session or an opaque part.
  { set: 'recorded clean texts', group: 'clean', A: { altered: 25 }, B: { altered: 4 } },
];

/** Megabytes for each second of processor time. */
export const TARGET_SPEED_LABELLED = 15;
export const TARGET_SPEED_CLEAN = 40;
export const WORST_CASE_LENGTH = 100_000;
/** Of processor time for WORST_CASE_LENGTH characters. */
export const TARGET_WORST_CASE_MS = 50;
/** Of a text eight times as long. */
export const TARGET_GROWTH = 10;
