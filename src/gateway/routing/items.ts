import type { CotRecord, EventRecord } from '../../model/records.ts';
import type { KeyValue } from './keys.ts';

/** A resource, a scope, a span or a log record, as far as routing looks into it. */
export interface Owner {
  /** undefined when there is none of that name, or it holds a list or an object. */
  attribute(name: string): KeyValue;
}

/** A span or a log record. */
export interface Item extends Owner {
  /** Lower-case hex of whatever was sent; empty when nothing was, or it is not readable. */
  readonly traceId: string;
  /** A log record that is read as an entry of a thought, or as an event; of a span undefined. */
  told(): CotRecord | EventRecord | undefined;
}

/** Where an item goes. Items of one lane are sent together, in their order. */
export type Choose = (item: Item, scope: Owner, resource: Owner) => Lane;

/** A cell, and what is sent there apart from the rest. */
export interface Lane {
  readonly cell: string;
  /**
   * Entries of thoughts are sent by themselves: a cell knows a request that is sent again by all of its bytes, so nothing
   * may be among them that can go elsewhere meanwhile.
   */
  readonly hasThoughts: boolean;
}

/** One cell's share of a body. */
export interface Part {
  readonly cell: string;
  readonly body: Buffer;
}
