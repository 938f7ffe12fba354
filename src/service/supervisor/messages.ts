import type { ServiceConfig } from '../../config/schema.ts';
import type { Addresses } from '../listeners.ts';

/** What the supervisor tells one of its processes. */
export type ToProcess =
  | { readonly kind: 'start'; readonly name: string; readonly config: ServiceConfig }
  | { readonly kind: 'stop'; readonly reason: string };

/** What one of its processes tells the supervisor. */
export type FromProcess =
  | { readonly kind: 'ready'; readonly addresses: Addresses }
  | { readonly kind: 'failed'; readonly failure: StartFailure };

/** Why a service could not start. */
export interface StartFailure {
  /** What was wrong and what to do. */
  readonly message: string;
  /** The settings or the data folder are to blame: the exit code says so. */
  readonly isConfiguration: boolean;
  readonly isPortTaken: boolean;
}

/** A process as the supervisor has it; it is started already. */
export interface StartedProcess {
  send(message: ToProcess): void;
  /** At once, whatever it does. */
  kill(): void;
  onMessage(told: (message: FromProcess) => void): void;
  /** Told once, with the exit code or the signal, for the log. */
  onExit(ended: (how: string) => void): void;
}
