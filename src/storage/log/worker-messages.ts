import type { ErasureOrder } from './erasure.ts';

export interface WorkerSettings {
  readonly folder: string;
  readonly segmentBytes: number;
  readonly maxBytes: number;
  readonly retentionMs: number;
  /** `fsync`: what was appended is on the disk before it is answered. */
  readonly durable: boolean;
  readonly withoutTexts: boolean;
  readonly index: 'memory' | undefined;
}

type Calls =
  | { readonly kind: 'append'; readonly frames: Uint8Array; readonly now: number }
  | { readonly kind: 'restoreNext' }
  | { readonly kind: 'texts'; readonly sources: readonly string[] }
  | { readonly kind: 'leftNode'; readonly nodeId: string }
  | { readonly kind: 'leftPage'; readonly task: string; readonly after: number }
  | { readonly kind: 'leftTasks' }
  | { readonly kind: 'erase'; readonly order: ErasureOrder; readonly now: number }
  | { readonly kind: 'eraseStep' }
  | { readonly kind: 'startAnew' }
  | { readonly kind: 'dropBefore'; readonly segment: number }
  | { readonly kind: 'close' };

/** What the service asks of the thread of the log. */
export type Call = Calls & { readonly id: number };
/** Without the number that its answer carries. */
export type CallBody = Calls;

export type Answer =
  | { readonly kind: 'ready'; readonly heldTexts: boolean }
  /** It cannot start; `message` where it is for people. */
  | { readonly kind: 'unusable'; readonly code: string; readonly message: string | undefined }
  | {
      readonly kind: 'done';
      readonly id: number;
      readonly value: unknown;
      readonly bytes: number;
      readonly problem: string | undefined;
    }
  | { readonly kind: 'failed'; readonly id: number; readonly code: string }
  | {
      readonly kind: 'say';
      readonly level: 'info' | 'warn' | 'error';
      readonly fields: { readonly [key: string]: unknown };
      readonly message: string;
    }
  | {
      readonly kind: 'dropped';
      readonly reason: 'limit' | 'retention';
      readonly tasks: number;
      readonly records: number;
    };
