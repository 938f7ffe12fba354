/**
 * How the events of AG-UI that came in are kept, so that they can go out again in their order.
 *
 * A run is a span without a parent: the root step of its task. Its events stand, in the order in which they came, in the
 * attributes of plumbing spans below it (`agui.events`), some in each, which grow while the run goes on. Plumbing is shown
 * in the node of its parent, so the events of a run are in `NodeDetail.attributes` of the root's node, by span id, and
 * `keptEventsOf` puts them in order. They went through the redaction door like all attributes, survive a restart and the
 * archive, and are bounded; with `zeroDataRetention`, or where an agent's visibility forbids it, there are none. The root's
 * `details.agUiEvents` counts them: it changes whenever there are more.
 *
 * Texts that come in pieces do not stand there, since a secret may be cut in two by them. An event that brings a piece has
 * a `text` instead, which says where the whole is: a text of the node of the span with that id, and how many
 * characters of it came with this event. Pieces of one text that follow one another are one event. The whole is redacted,
 * so its length may be another, and it may grow while it is read; who cuts it gives the last piece the rest.
 *
 * Nodes that an event belongs to:
 * - RUN_*: the root; TEXT_MESSAGE_*: a call of a model (`texts.completion`), or a query of a user;
 * - REASONING_*: a REASONING node with a thought (`texts.reasoning`). A span of reasoning and its first message are one node;
 * - TOOL_CALL_*: a TOOL_CALL node (`texts.toolArguments`, `texts.toolResult`); SUBAGENT_*, STEP_*: nodes around others.
 */
import { isObject } from '../base/json.ts';
import type { StepTexts } from './facts.ts';
import type { NodeDetail } from './reader-messages.ts';

/** Attribute of a plumbing span: a list of `KeptEvent`, in order. */
export const AG_UI_EVENTS = 'agui.events';
/** Beside it: the number of the first of them in its run, from 0. */
export const AG_UI_FIRST = 'agui.events.first';
/** Beside it: epoch ms at which the first of them came, which orders what came before and after a restart. */
export const AG_UI_RECEIVED = 'agui.events.received';

/** One event of AG-UI 1.0 as it is kept. */
export interface KeptEvent {
  /**
   * `type` and all further fields as they were sent, redacted; older spellings as today's. Without texts that come in
   * pieces, and without encrypted values.
   */
  readonly event: { readonly type: string; readonly [field: string]: unknown };
  /** Where the text is that `delta`, or the `content` of a tool's result, brought. */
  readonly text?: KeptText;
  /** Where encrypted values stood, and what may be said of them. */
  readonly encrypted?: readonly KeptEncrypted[];
  /** The event was too large: fields are missing. */
  readonly cut?: true;
}

/** An event of the group before or after, beside which a group is redacted: it goes no further than the door. */
export interface BesideEvent extends KeptEvent {
  readonly beside: true;
}

export interface KeptText {
  /** Of the span whose node has it. */
  readonly span: string;
  readonly field: keyof StepTexts;
  /** UTF-16 units that this event brought, before redaction. */
  readonly chars: number;
}

export interface KeptEncrypted {
  /** Names and indexes from the event down, such as `messages.3.encryptedValue`. */
  readonly at: string;
  readonly chars: number;
  /** Hex. */
  readonly sha256: string;
}

type Attributes = NonNullable<NodeDetail['attributes']>[string];

/** The kept events behind the root of a run, in their order; none for any other node. */
export function keptEventsOf({ attributes = {} }: Pick<NodeDetail, 'attributes'>): readonly KeptEvent[] {
  const groups = Object.values(attributes).filter((group) => Array.isArray(group[AG_UI_EVENTS]));
  groups.sort(
    (a, b) =>
      number(a, AG_UI_RECEIVED) - number(b, AG_UI_RECEIVED) ||
      number(a, AG_UI_FIRST) - number(b, AG_UI_FIRST),
  );
  return groups.flatMap((group) => group[AG_UI_EVENTS] as readonly unknown[]).filter(isKeptEvent);
}

function number(group: Attributes, name: string): number {
  const value = group[name];
  return typeof value === 'number' ? value : 0;
}

function isKeptEvent(value: unknown): value is KeptEvent {
  const event = isObject(value) ? value['event'] : undefined;
  return isObject(event) && typeof event['type'] === 'string';
}
