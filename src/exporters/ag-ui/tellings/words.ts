import type { StepTexts } from '../../../model/facts.ts';
import type { Teller } from '../teller.ts';

/** What was thought and said in a step. */
export function growWords(teller: Teller, { reasoning = '', completion = '' }: StepTexts): void {
  const { node, run } = teller;
  const isEnded = node.state !== 'RUNNING';
  // An agent repeats the answer of the last call inside it.
  const said = node.type === 'LLM_CALL' || !run.graph.isContainer(node.id) ? completion : '';
  teller.think(reasoning);
  if (said !== '') teller.endThought();
  teller.say(said, 'assistant');
  if (isEnded) teller.endWords();
}
