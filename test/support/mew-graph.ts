import type { ExplanationGraph } from '../../src/model/node.ts';

export interface ToldGraph {
  /** By the ids of messages: what each became. */
  readonly nodes: { readonly [id: string]: string };
  /** `from -> to RELATION evidence`, sorted. */
  readonly edges: readonly string[];
}

/** A graph of messages of MEW in words, with their own ids. */
export function toldGraph({ nodes, edges }: ExplanationGraph): ToldGraph {
  const idOf = new Map(nodes.map(({ id, name, details }) => [id, wordOf(details?.['messageId']) ?? name]));
  return {
    nodes: Object.fromEntries(
      nodes.map(({ id, type, agent, state, status, details }) => {
        return [
          idOf.get(id),
          [type, agent, state, status, wordOf(details?.['contextPath'])].filter(Boolean).join(' '),
        ];
      }),
    ),
    edges: edges
      .map(
        ({ from, to, relation, evidence }) => `${idOf.get(from)} -> ${idOf.get(to)} ${relation} ${evidence}`,
      )
      .sort(),
  };
}

function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
