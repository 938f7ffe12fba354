/** An object of a file of ThoughtFlow. */
export interface FlowItem {
  readonly [key: string]: unknown;
}
