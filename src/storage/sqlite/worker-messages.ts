import type { StoreCore } from './store-core.ts';
import type { StoreFolder } from './open-store.ts';
import type { Say } from './say.ts';
import type { OnDropped } from './upkeep.ts';

export interface WorkerSettings extends Omit<StoreFolder, 'say' | 'onDropped'> {
  /** Milliseconds since 1970 at the start. */
  readonly now: number;
}

/** What the service asks of the thread of the store. */
export type Method = {
  [Name in keyof StoreCore]: StoreCore[Name] extends (...args: never[]) => unknown ? Name : never;
}[keyof StoreCore];

export interface Call {
  /** Its answer carries it. */
  readonly id: number;
  readonly method: Method;
  readonly args: readonly unknown[];
}

export type Answer =
  | {
      readonly kind: 'ready';
      readonly heldTexts: boolean;
      readonly heldRecords: boolean;
      readonly identity: number;
    }
  /** It cannot start; `message` where it is for people. */
  | {
      readonly kind: 'unusable';
      readonly code: string;
      readonly path: string | undefined;
      readonly message: string | undefined;
    }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown; readonly bytes: number }
  | { readonly kind: 'failed'; readonly id: number; readonly code: string }
  | { readonly kind: 'say'; readonly said: Parameters<Say> }
  | { readonly kind: 'dropped'; readonly dropped: Parameters<OnDropped> };
