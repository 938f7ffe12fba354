import type { StepTexts } from '../../../model/facts.ts';
import type { Teller } from '../teller.ts';
import type { Telling } from './telling.ts';
import { growWords } from './words.ts';

/** A call of a model, an agent, a phase: a step with what was thought and said in it. */
export class StepTelling implements Telling {
  private readonly teller: Teller;
  private readonly stepName: string;
  private isOpen = true;

  constructor(teller: Teller) {
    this.teller = teller;
    this.stepName = this.takeName(teller.node.name);
    const { stepName } = this;
    teller.tell({ type: 'STEP_STARTED', stepName, ...teller.startTime, ...teller.metadata() });
  }

  grow(texts: StepTexts): void {
    growWords(this.teller, texts);
  }

  end({ error }: StepTexts): void {
    const { teller, stepName } = this;
    teller.endWords();
    if (!this.isOpen) return;
    this.isOpen = false;
    teller.run.stepNames.delete(this.keyOf(stepName));
    teller.tell({ type: 'STEP_FINISHED', stepName, ...teller.endTime, ...teller.metadata({ error }) });
  }

  private takeName(name: string): string {
    const { stepNames } = this.teller.run;
    let free = name;
    for (let n = 2; stepNames.has(this.keyOf(free)); n++) free = `${name} (${n})`;
    stepNames.add(this.keyOf(free));
    return free;
  }

  private keyOf(name: string): string {
    return JSON.stringify([this.teller.owner, name]);
  }
}
