import type { StepTexts } from '../../../model/facts.ts';
import type { ExplanationNode } from '../../../model/node.ts';
import type { Run, Teller } from '../teller.ts';
import type { Telling } from './telling.ts';

/** A thought that is a step of its own; one that is a sentence of a thought that was told is told with that. */
export class ThoughtTelling implements Telling {
  private readonly teller: Teller;

  constructor(teller: Teller) {
    this.teller = teller;
  }

  grow({ reasoning, completion }: StepTexts): void {
    const { teller } = this;
    const { node, run } = teller;
    if (isPartOfThought(node, run)) return;
    teller.think(reasoning ?? completion ?? node.promptSummary ?? node.title);
    if (node.state !== 'RUNNING') teller.endWords();
  }

  end(): void {
    this.teller.endWords();
  }
}

/** Does the text of another node say it, which was told? */
export function isPartOfThought({ details }: ExplanationNode, { thoughts }: Run): boolean {
  const { partOf, step } = details ?? {};
  return typeof partOf === 'string' && step !== undefined && thoughts.has(partOf);
}
