/** An answer that may lack something. */
export interface Noticed {
  /**
   * Sentences for people: what it lacks, as of a cell that does not answer, or is put together of, as of a task in several
   * cells. Absent where there is nothing to say.
   */
  readonly notices?: readonly string[];
}
