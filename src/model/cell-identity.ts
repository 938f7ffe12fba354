/** What a gateway has to know of a service that is one of its cells: the answer to `GET /api/cell`. */
export interface CellIdentity {
  /** Of the program, such as `1.4.0`. */
  readonly version: string;
  /** Of what the cell keeps in the default project: another one when it began anew with nothing. */
  readonly data: string;
  /** Milliseconds since the Unix epoch, by the clock of the cell. */
  readonly startedAt: number;
  /** Its clock when it answered, in milliseconds since the Unix epoch. */
  readonly now: number;
  /** Equal where the settings that change what is shown of the same input are equal. */
  readonly settings: string;
  /** A gateway is none that a gateway can have. */
  readonly role: 'all' | 'gateway';
  readonly state: 'starting' | 'open' | 'draining';
  /** What keeps it from doing all it should, for people, as in `/readyz`; empty while all is well. */
  readonly reasons: readonly string[];
}
