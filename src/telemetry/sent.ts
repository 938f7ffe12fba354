/** What became of a request by the rules of the OTLP specification. */
export type Sent =
  | { readonly outcome: 'taken'; readonly rejected: number }
  /** It may be sent again. @param afterMs no sooner than so, if the receiver says so */
  | { readonly outcome: 'later'; readonly reason: string; readonly afterMs?: number }
  /** It never will be taken. */
  | { readonly outcome: 'refused'; readonly reason: string };

/** Brings an encoded request to a receiver, once. Never rejects. */
export interface OtlpTransport {
  send(body: Uint8Array): Promise<Sent>;
  close(): void;
}

/** Longer than any receiver takes for a batch; one that hangs must not hold up what waits behind it. */
export const SEND_TIMEOUT_MS = 30_000;
