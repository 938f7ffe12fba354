import type { PromptPart, PromptProvenance } from '../model/prompt-provenance.ts';

/** A part, and by which call its text was asked for, where it is the result of a tool. */
export interface FoundPart extends PromptPart {
  readonly toolCallId?: string | undefined;
}

export interface FoundPrompt extends Omit<PromptProvenance, 'parts'> {
  readonly parts: readonly FoundPart[];
}
