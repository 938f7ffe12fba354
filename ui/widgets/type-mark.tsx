import type { NodeType } from '../../src/client/browser.ts';
import { typeWords } from '../state/format.ts';

/** One letter for each type of step. */
export const TYPE_LETTERS: Readonly<Record<NodeType, string>> = {
  LLM_CALL: 'L',
  TOOL_CALL: 'T',
  REASONING: 'R',
  USER_QUERY: 'U',
  TEST_RUN: 'X',
  STATIC_ANALYSIS: 'A',
  MODEL_SWITCH: 'M',
  REFLEXION_ACTION: 'F',
  SUMMARY: 'S',
  OTHER: '·',
};

/** A coloured letter for the type of a step. */
export function TypeMark({
  type,
  withWord = false,
}: {
  readonly type: NodeType;
  readonly withWord?: boolean;
}) {
  return (
    <span className={`type type-${type.toLowerCase()}`}>
      <span className="type-letter" aria-hidden="true">
        {TYPE_LETTERS[type]}
      </span>
      {withWord ? typeWords(type) : <span className="sr-only">{typeWords(type)}</span>}
    </span>
  );
}
