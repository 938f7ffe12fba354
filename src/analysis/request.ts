import type { ExplanationNode } from '../model/node.ts';
import type { TextsOf } from './run.ts';
import { stepRole } from './step-role.ts';

/** What a step was given. A tool or model is given something, recorded or not; other steps may be told by their names. */
export function requestIn(node: ExplanationNode, textsOf: TextsOf): string | undefined {
  const { prompt, toolArguments } = textsOf(node.id);
  const isByName = stepRole(node).name !== undefined;
  return (node.type === 'LLM_CALL' ? prompt : (toolArguments ?? prompt)) ?? (isByName ? '' : undefined);
}
