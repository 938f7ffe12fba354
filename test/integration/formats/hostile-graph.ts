import fc from 'fast-check';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../../../src/model/node.ts';

/** What some language of diagrams reads as more than text. */
const SIGNS = [
  'plain words',
  '|',
  '|md',
  '${x}',
  '$$',
  '"',
  "'",
  '`',
  '\\',
  '\\n',
  '\\N',
  '#',
  '# a',
  ';',
  '//',
  '{',
  '}',
  '[',
  ']',
  '->',
  '--',
  '==>',
  ':',
  'a.b',
  '*',
  '_',
  '&',
  '&amp;',
  '&lt;',
  '<b>',
  '</b>',
  '<!--',
  '\n',
  '\r\n',
  '\t',
  '\0',
  '\u200b',
  '\ud800',
  '日本語',
  '😀',
  'label',
  'style',
  'end',
  'null',
  'subgraph',
  'fa:fa-ban',
  '%%{x}%%',
  '%%',
  '@',
  ':::error',
  '...',
  '- a',
  '1. a',
  '    a',
  '[a](b)',
];

const text = fc
  .array(fc.constantFrom(...SIGNS), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(' '))
  .chain((spaced) => fc.constantFrom(spaced, spaced.replaceAll(' ', '')));

/** Acyclic: an edge leads from an earlier node to a later one. Ids differ by case alone at times. */
export const hostileGraph: fc.Arbitrary<ExplanationGraph> = fc
  .record({
    texts: fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 12 }),
    tasks: fc.array(text, { minLength: 1, maxLength: 3 }),
    ends: fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 14 }),
  })
  .map(({ texts, tasks, ends }) => {
    const nodes = texts.map(([agent, title], index): ExplanationNode => ({
      id: index % 2 === 0 ? `n${index}${title}` : `N${index - 1}${texts[index - 1]?.[1] ?? ''}`,
      timestamp: `2026-03-01T10:00:${String(index).padStart(2, '0')}.000Z`,
      agent,
      type: index % 3 === 0 ? 'LLM_CALL' : 'TOOL_CALL',
      name: title,
      title,
      taskId: tasks[index % tasks.length] ?? '',
      state: index % 4 === 3 ? 'RUNNING' : 'ENDED',
      status: index % 3 === 1 ? 'ERROR' : 'OK',
      promptSummary: title,
    }));
    const edges = ends
      .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
      .filter(([a, b]) => a !== b && b < nodes.length)
      .map(([a, b], index): ExplanationEdge => ({
        id: `e${index}`,
        from: nodes[a]?.id ?? '',
        to: nodes[b]?.id ?? '',
        relation: index % 2 === 0 ? 'NEXT_STEP' : 'TRIGGERED',
        evidence: index % 3 === 0 ? 'inferred' : 'link',
      }));
    return { nodes, edges, lastUpdated: '2026-03-01T10:01:00.000Z' };
  });
