import type { ExplanationEdge, ExplanationNode } from '../../model/node.ts';

/** A node as the metadata of an event shows it: what is known of it by then, and how it was led to. */
export type NodeMetadata = Omit<ExplanationNode, 'details' | 'promptSummary' | 'summary' | 'ui'> & {
  /** Those that lead to it. */
  readonly edges: readonly Omit<ExplanationEdge, 'to'>[];
} & NodeRemarks;

export interface NodeRemarks {
  /** How it failed: the beginning. */
  readonly error?: string | undefined;
  /** The message that this one stands for: its text turned out to be another. */
  readonly replaces?: string | undefined;
}

/** A message and the beginning of a stack trace; `/api/nodes/{id}` has the whole. */
const MAX_ERROR_CHARS = 2_000;

export function nodeMetadata(
  node: ExplanationNode,
  edgesIn: readonly ExplanationEdge[],
  { error, replaces }: NodeRemarks,
): NodeMetadata {
  const { details: _details, promptSummary: _prompt, summary: _summary, ui: _ui, ...shown } = node;
  return {
    ...shown,
    edges: edgesIn.map(({ to: _to, ...edge }) => edge),
    ...(error !== undefined && { error: error.slice(0, MAX_ERROR_CHARS) }),
    ...(replaces !== undefined && { replaces }),
  };
}
