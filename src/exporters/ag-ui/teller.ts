import { endOf } from '../../model/failure.ts';
import type { ExplanationNode } from '../../model/node.ts';
import { METADATA_KEY, type TaskEvent } from './events.ts';
import { GrowingMessage } from './growing-message.ts';
import { reasoningId, textId, thinkingId } from './message-ids.ts';
import { startOf } from '../../model/in-time.ts';
import { nodeMetadata, type NodeRemarks } from './node-metadata.ts';
import type { TaskGraph } from './task-graph.ts';

/** What is shared by all nodes of a run. */
export interface Run {
  readonly graph: TaskGraph;
  readonly tell: (event: TaskEvent) => void;
  /** The sub-agent whose node it is, of those that were told. */
  readonly ownerOf: (nodeId: string) => string | undefined;
  /** Nodes of which a thought was told. */
  readonly thoughts: Set<string>;
  /** Names of the steps that are open, by owner: AG-UI takes two of one name for one. */
  readonly stepNames: Set<string>;
}

type Metadata = { readonly metadata: NonNullable<TaskEvent['metadata']> };

/** Tells events of one node, as those of its agent and with what is known of it. */
export class Teller {
  readonly run: Run;
  readonly owner: string | undefined;
  /** As it is known. */
  node: ExplanationNode;
  private thoughtMessage: GrowingMessage | undefined;
  private textMessage: GrowingMessage | undefined;

  /** @param node one that its agent has entered */
  constructor(node: ExplanationNode, run: Run) {
    this.node = node;
    this.run = run;
    this.owner = run.ownerOf(node.id);
  }

  tell(event: TaskEvent): void {
    this.run.tell(this.owner === undefined ? event : ({ ...event, subagentRunId: this.owner } as TaskEvent));
  }

  /** What is known of the node by now. */
  metadata(remarks: NodeRemarks = {}): Metadata {
    return {
      metadata: { [METADATA_KEY]: nodeMetadata(this.node, this.run.graph.edgesInto(this.node.id), remarks) },
    };
  }

  /** What it thinks is this by now. Nothing comes of an empty text. */
  think(text: string): void {
    if (text === '') return;
    this.thoughtMessage ??= new GrowingMessage(reasoningId(this.node.id), {
      begin: (messageId, replaces) => {
        this.run.thoughts.add(this.node.id);
        const metadata = this.metadata({ replaces });
        this.tell({ type: 'REASONING_START', messageId: thinkingId(messageId), ...metadata });
        this.tell({ type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning', ...metadata });
      },
      content: (messageId, delta) => this.tell({ type: 'REASONING_MESSAGE_CONTENT', messageId, delta }),
      end: (messageId) => {
        this.tell({ type: 'REASONING_MESSAGE_END', messageId });
        this.tell({ type: 'REASONING_END', messageId: thinkingId(messageId) });
      },
    });
    this.thoughtMessage.grow(text);
  }

  /** What it says is this by now. Nothing comes of an empty text. */
  say(text: string, role: 'assistant' | 'user'): void {
    if (text === '') return;
    this.textMessage ??= new GrowingMessage(textId(this.node.id), {
      begin: (messageId, replaces) => {
        const metadata = this.metadata({ replaces });
        this.tell({ type: 'TEXT_MESSAGE_START', messageId, role, name: this.node.agent, ...metadata });
      },
      content: (messageId, delta) => this.tell({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta }),
      end: (messageId) => this.tell({ type: 'TEXT_MESSAGE_END', messageId }),
    });
    this.textMessage.grow(text);
  }

  endThought(): void {
    this.thoughtMessage?.end();
  }

  endWords(): void {
    this.endThought();
    this.textMessage?.end();
  }

  get startTime(): { readonly timestamp: number } {
    return { timestamp: Math.floor(startOf(this.node)) };
  }

  get endTime(): { readonly timestamp: number } {
    return { timestamp: Math.floor(endOf(this.node)) };
  }
}
