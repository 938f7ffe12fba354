import type { StepTexts } from '../../../model/facts.ts';
import type { ExplanationNode } from '../../../model/node.ts';
import { activityId } from '../message-ids.ts';
import type { Teller } from '../teller.ts';
import type { Telling } from './telling.ts';
import { growWords } from './words.ts';

/** A check, a test run, a change of model, an action of reflexion: an activity, which is replaced when more is known. */
export class ActivityTelling implements Telling {
  private readonly teller: Teller;
  private told = '';

  constructor(teller: Teller) {
    this.teller = teller;
  }

  grow(texts: StepTexts): void {
    const { teller } = this;
    const { node } = teller;
    const content = contentOf(node);
    const now = JSON.stringify(content);
    if (now !== this.told) {
      this.told = now;
      teller.tell({
        type: 'ACTIVITY_SNAPSHOT',
        messageId: activityId(node.id),
        activityType: node.type,
        content,
        ...teller.startTime,
        ...teller.metadata(),
      });
    }
    growWords(teller, texts);
  }

  end(): void {
    this.teller.endWords();
  }
}

function contentOf(node: ExplanationNode): { readonly [name: string]: unknown } {
  const { title, name, agent, status, state, model, promptSummary } = node;
  return {
    title,
    name,
    agent,
    status,
    state,
    ...(model !== undefined && { model }),
    ...(promptSummary !== undefined && { text: promptSummary }),
  };
}
