import { createHash, randomUUID } from 'node:crypto';
import type { Principal } from '../access/principal.ts';
import { ownIdIn, type Given } from './given.ts';

const HALF = 16;

/**
 * An id that says by its first half whose it is, to the service alone: who somebody is need not be kept anywhere else.
 * @returns the same again for the same asker, what it is about and its own `id`; without one it is fresh
 * @throws BoundaryError INVALID_ARGUMENT
 */
export function askerId(
  given: Given,
  by: Principal,
  about: string,
): { readonly id: string; readonly isFresh: boolean } {
  const own = ownIdIn(given);
  const rest = own === undefined ? randomUUID() : `${about}\0${own}`;
  return {
    id: hashOf(`${by.by}\0${by.id}`) + hashOf(`${by.by}\0${by.id}\0${rest}`),
    isFresh: own === undefined,
  };
}

/** Is this an id that the service gave to this asker? */
export function isOf(id: string, by: Principal): boolean {
  return id.startsWith(hashOf(`${by.by}\0${by.id}`));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HALF);
}

/** Who asks, for people to read. */
export function askerName({ by, name }: Principal): string {
  return by === 'nobody' ? 'somebody without a key' : name;
}
