/** What became of a request by the rules of the OTLP specification. */
export type Sent =
  | { readonly outcome: 'taken'; readonly rejected: number }
  /** It may be sent again: no sooner than after `afterMs`, if the receiver says so. `isSilent`: nothing answered. */
  | {
      readonly outcome: 'later';
      readonly reason: string;
      readonly afterMs?: number;
      readonly isSilent?: true;
    }
  /** It never will be taken. `says` is what the receiver says of it, for people. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly says?: string };

/** Nobody is there, or does not answer in time. */
export const SILENT: Sent = { outcome: 'later', reason: 'nothing answers there', isSilent: true };

/** Brings an encoded request to a receiver, once. Never rejects. */
export interface OtlpTransport {
  send(body: Uint8Array): Promise<Sent>;
  close(): void;
}

/** Longer than any receiver takes for a batch; one that hangs must not hold up what waits behind it. */
export const SEND_TIMEOUT_MS = 30_000;
