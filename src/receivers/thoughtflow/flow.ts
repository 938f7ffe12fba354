import type { AttributeValue } from '../../model/attributes.ts';

/** Fields as they were sent, within the bounds of a request. */
export interface FlowItem {
  readonly [key: string]: AttributeValue;
}

/** What a sender of ThoughtFlow told, whichever way: as one consolidated session, or event by event. */
export interface FlowSession {
  readonly id: string;
  readonly traceId: string;
  readonly spanId: string;
  /** The task that it belongs to. */
  readonly taskId: string;
  /** Its fields as they were sent, without its conversations. */
  readonly item: FlowItem;
  readonly list: FlowList;
  readonly isOpen: boolean;
  readonly conversations: readonly FlowConversation[];
}

/** What the list of conversations is called: until September 2025 they were runs. */
export type FlowList = 'conversations' | 'runs';

export interface FlowConversation {
  readonly id: string;
  readonly spanId: string;
  /** Its place in the session. */
  readonly index: number;
  /** Its fields as they were sent, without its steps. */
  readonly item: FlowItem;
  readonly isOpen: boolean;
  readonly steps: readonly FlowStep[];
}

export interface FlowStep {
  readonly id: string;
  readonly spanId: string;
  /** Its place in the conversation. */
  readonly index: number;
  /** Its fields as they were sent. */
  readonly item: FlowItem;
  readonly isOpen: boolean;
  /** Spans of the steps that lead to it. */
  readonly after: readonly FlowLink[];
}

export interface FlowLink {
  readonly spanId: string;
  /** `inferred`: by time alone, where no step of a conversation names one that it depends on. */
  readonly evidence: 'dependsOn' | 'inferred';
}
