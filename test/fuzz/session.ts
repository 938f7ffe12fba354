/** Which listener a session talks to. */
export type Port = 'readers' | 'otlpHttp' | 'otlpGrpc';

/** Bytes to write, or a function of what the service has said so far (latin1). */
export type Part = Buffer | ((received: string) => Buffer);

/** All that one connection says. It is made from the seed alone, but for ids that the service chose. */
export interface Session {
  readonly port: Port;
  readonly parts: readonly Part[];
  /** Requests, messages or frames in it, each counted as one input. */
  readonly inputs: number;
  /**
   * `talks`: writes all and waits for the end. `halfCloses`: ends its own side. `resets`: breaks off at once.
   * `silent`: goes on holding the connection without a word. `neverReads`: the same, and takes no answers.
   */
  readonly manner: 'talks' | 'halfCloses' | 'resets' | 'silent' | 'neverReads';
  /** How long to wait for the end of the conversation. */
  readonly patienceMs: number;
  /** Whether everything that was asked is answered; absent where the service closes the connection. */
  readonly isAnswered?: (received: string) => boolean;
}
