import type { ExplanationNode } from '../../../model/node.ts';
import type { Teller } from '../teller.ts';
import { ActivityTelling } from './activity.ts';
import { QuestionTelling } from './question.ts';
import { StepTelling } from './step.ts';
import type { Telling } from './telling.ts';
import { ThoughtTelling } from './thought.ts';
import { ToolCallTelling } from './tool-call.ts';

/** As what a node is told. */
export type Shape = 'tool call' | 'question' | 'thought' | 'activity' | 'step';

export function shapeOf({ type, details }: ExplanationNode): Shape {
  switch (type) {
    case 'TOOL_CALL':
      return 'tool call';
    case 'USER_QUERY':
      return 'question';
    case 'REASONING':
      return 'thought';
    case 'STATIC_ANALYSIS':
    case 'TEST_RUN':
      return typeof details?.['toolName'] === 'string' ? 'tool call' : 'activity';
    case 'MODEL_SWITCH':
    case 'REFLEXION_ACTION':
      return 'activity';
    case 'LLM_CALL':
    case 'OTHER':
    case 'SUMMARY':
      return 'step';
  }
}

export function tellingOf(shape: Shape, teller: Teller): Telling {
  switch (shape) {
    case 'tool call':
      return new ToolCallTelling(teller);
    case 'question':
      return new QuestionTelling(teller);
    case 'thought':
      return new ThoughtTelling(teller);
    case 'activity':
      return new ActivityTelling(teller);
    case 'step':
      return new StepTelling(teller);
  }
}
