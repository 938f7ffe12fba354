import type { StepTexts } from '../../../model/facts.ts';
import type { Teller } from '../teller.ts';
import type { Telling } from './telling.ts';

/** What a user asked. */
export class QuestionTelling implements Telling {
  private readonly teller: Teller;

  constructor(teller: Teller) {
    this.teller = teller;
  }

  grow({ prompt }: StepTexts): void {
    const { teller } = this;
    const { promptSummary, title, state } = teller.node;
    teller.say(prompt ?? promptSummary ?? title, 'user');
    if (state !== 'RUNNING') teller.endWords();
  }

  end(): void {
    this.teller.endWords();
  }
}
