import type { StepTexts } from './facts.ts';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode, GraphUpdate } from './node.ts';
import type { Noticed } from './noticed.ts';
import type { PromptProvenance } from './prompt-provenance.ts';

/** What readers get besides the graph itself; the same shapes on every transport, in the service and in its client. */

/**
 * Frames from service to reader. What shows much at once comes in parts, each with `partial` but the last of its updates,
 * which has `complete`. `update` and `graph` objects are shared between the subscribers of one view,
 * so that a server can encode each once (WeakMap keyed by the object).
 */
export type ServerFrame =
  | {
      readonly type: 'subscribed';
      readonly requestId?: string;
      readonly subscriptionId: string;
      readonly sequence: number;
      /** The rest comes in updates. */
      readonly partial?: true;
      readonly graph: ExplanationGraph;
    }
  | {
      readonly type: 'resumed';
      readonly requestId?: string;
      readonly subscriptionId: string;
      /** The last one that the reader has seen, as it said: what it missed comes after it. */
      readonly sequence: number;
    }
  | {
      readonly type: 'update';
      /** Of the request that caused it, or the first of several that did. */
      readonly requestId?: string;
      readonly subscriptionId: string;
      readonly sequence: number;
      /** More of it comes in the next updates. */
      readonly partial?: true;
      /** The reader has all: this is the last of several parts. */
      readonly complete?: true;
      readonly update: GraphUpdate;
    }
  | ({ readonly type: 'event'; readonly subscriptionId: string; readonly requestId?: never } & ArtifactsEvent)
  | {
      readonly type: 'snapshotNeeded';
      readonly requestId?: string;
      readonly subscriptionId: string;
      readonly reason: string;
    };

/** The files of a session that is over, in a task that the subscription shows. */
export interface ArtifactsEvent {
  readonly name: 'thoughtflow.artifacts';
  readonly session_id: string;
  readonly url_json: string;
  readonly url_d2: string;
}

/** One node with what is too large for the graph. */
export interface NodeDetail extends Noticed {
  readonly node: ExplanationNode;
  /** Full redacted texts; absent when none were recorded or they left memory. */
  readonly texts?: StepTexts;
  /** Redacted attributes of the spans behind the node, by span id. */
  readonly attributes?: { readonly [spanId: string]: { readonly [key: string]: unknown } };
  /** What the prompt of a call was made of; absent where nothing of it is kept. */
  readonly promptProvenance?: PromptProvenance;
  /** For a SUMMARY: how many nodes it stands for. */
  readonly memberCount?: number;
  /** For a SUMMARY: a page of what it stands for: siblings by start, each followed by what is below it. */
  readonly members?: readonly ExplanationNode[];
  /** The edges among the members on the page. */
  readonly memberEdges?: readonly ExplanationEdge[];
}
