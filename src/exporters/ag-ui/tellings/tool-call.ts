import type { StepTexts } from '../../../model/facts.ts';
import { deltasOf } from '../growing-message.ts';
import { furtherId, resultId, textId, toolCallId } from '../message-ids.ts';
import type { Teller } from '../teller.ts';
import type { Telling } from './telling.ts';

/** A result is one event, of which the official client takes 10 MB: JSON may write a sign in six bytes. */
const MAX_RESULT_CHARS = 1_000_000;

/** A tool call with what it was given and what it gave. */
export class ToolCallTelling implements Telling {
  private readonly teller: Teller;
  private readonly toolCallId: string;
  /** What was told of what it was given, while more may come. */
  private given = '';
  private isOpen = true;
  private results = 0;
  private lastResult = '';

  constructor(teller: Teller) {
    const { id, name, details } = teller.node;
    const toolName = details?.['toolName'];
    const parentMessageId = askerOf(teller);
    this.teller = teller;
    this.toolCallId = toolCallId(id);
    teller.tell({
      type: 'TOOL_CALL_START',
      toolCallId: this.toolCallId,
      toolCallName: typeof toolName === 'string' ? toolName : name,
      ...(parentMessageId !== undefined && { parentMessageId }),
      ...teller.startTime,
      ...teller.metadata(),
    });
  }

  grow({ toolArguments = '', reasoning = '' }: StepTexts): void {
    const { teller, toolCallId } = this;
    teller.think(reasoning);
    if (teller.node.state !== 'RUNNING') teller.endWords();
    if (!this.isOpen || !toolArguments.startsWith(this.given)) return;
    for (const delta of deltasOf(toolArguments.slice(this.given.length)))
      teller.tell({ type: 'TOOL_CALL_ARGS', toolCallId, delta });
    this.given = toolArguments;
    if (teller.node.state !== 'RUNNING') this.endArguments();
  }

  /** Again, when another result became known. */
  end({ toolResult, error }: StepTexts): void {
    const { teller, toolCallId } = this;
    const { id, status, title } = teller.node;
    teller.endWords();
    this.endArguments();
    const content = shortened(toolResult ?? (status === 'ERROR' ? (error ?? title) : ''));
    if (this.results > 0 && content === this.lastResult) return;
    this.lastResult = content;
    teller.tell({
      type: 'TOOL_CALL_RESULT',
      messageId: furtherId(resultId(id), ++this.results),
      toolCallId,
      content,
      role: 'tool',
      ...teller.endTime,
      ...teller.metadata({ error }),
    });
  }

  private endArguments(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.given = '';
    this.teller.tell({ type: 'TOOL_CALL_END', toolCallId: this.toolCallId, ...this.teller.metadata() });
  }
}

/** The answer of the model that asked for it, if that is the same agent's: a call belongs to the agent of its message. */
function askerOf({ node, run, owner }: Teller): string | undefined {
  const { graph, ownerOf } = run;
  const asked = graph.edgesInto(node.id).find(({ relation, evidence, from }) => {
    const isCall = relation === 'TRIGGERED' && evidence === 'toolCallId';
    return isCall && graph.node(from)?.type === 'LLM_CALL' && ownerOf(from) === owner;
  });
  return asked && textId(asked.from);
}

function shortened(text: string): string {
  if (text.length <= MAX_RESULT_CHARS) return text;
  return `${text.slice(0, MAX_RESULT_CHARS)}… (${text.length - MAX_RESULT_CHARS} more characters)`;
}
