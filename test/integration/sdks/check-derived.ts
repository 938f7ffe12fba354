import { queryId } from '../../../src/model/ids.ts';
import type { ExplanationNode } from '../../../src/model/node.ts';
import { compare, unwanted, type Findings } from '../recordings/finding.ts';
import type { ExportedSpans } from './exported-spans.ts';
import type { ShownRun } from './reader.ts';
import type { SdkSpec } from './spec.ts';

/** One node for each step of a call's reasoning, below it; and no others. */
export function checkThoughts(spec: SdkSpec, exported: ExportedSpans, shown: ShownRun): Findings {
  const thoughts = shown.graph.nodes.filter(({ type }) => type === 'REASONING');
  const expected = Object.entries(spec.calls).flatMap(([name, { reasoning, thoughts: lines }]) =>
    reasoning === undefined ? [] : [{ spanId: exported.spanId(name), lines: lines ?? [reasoning] }],
  );
  const owners = new Set(expected.map(({ spanId }) => shown.nodeOf(spanId)?.id));
  return [
    ...expected.flatMap(({ spanId, lines }) => {
      const owner = shown.nodeOf(spanId)?.id;
      const own = thoughts.filter(({ details }) => details?.['partOf'] === owner).toSorted(byStep);
      return [
        compare('reasoning', spanId, 'thoughts', lines.join(' | '), own.map(summary).join(' | ')),
        ...own.flatMap(({ id }, index) => [
          compare(
            'edges',
            spanId,
            `edge to thought ${index + 1}`,
            true,
            hasEdge(shown, own[index - 1]?.id ?? owner, id),
          ),
          compare('reasoning', id, 'texts', `reasoning: ${lines[index]}`, textsInWords(shown, id)),
        ]),
      ];
    }),
    ...thoughts
      .filter(({ details }) => !owners.has(details?.['partOf'] as string))
      .map((node) => unwanted('reasoning', node.id, 'thought', summary(node))),
  ];
}

/** What the user asked is a node before the root of each trace, with that text and no other; and nowhere else. */
export function checkQueries(spec: SdkSpec, exported: ExportedSpans, shown: ShownRun): Findings {
  const queries = Object.entries(spec.queries).map(([root, text]) => ({
    text,
    id: queryId(exported.traceId(root)),
    root: shown.nodeOf(exported.spanId(root))?.id,
  }));
  const found = new Map(
    shown.graph.nodes.filter(({ type }) => type === 'USER_QUERY').map((node) => [node.id, node]),
  );
  return [
    ...queries.flatMap(({ id, root, text }) => {
      const node = found.get(id);
      const { prompt, ...others } = (node && shown.texts.get(id)) ?? {};
      return [
        compare('prompt', id, 'query', text, node?.promptSummary),
        compare('prompt', id, 'text of the query', text, prompt),
        compare('prompt', id, 'other texts of the query', 'none', Object.keys(others).join(', ') || 'none'),
        compare('edges', id, 'edge to the root', true, hasEdge(shown, id, root, 'USER_ACTION')),
      ];
    }),
    ...[...found.values()]
      .filter((node) => !queries.some(({ id }) => id === node.id))
      .map((node) => unwanted('prompt', node.id, 'query', summary(node))),
  ];
}

/** A call leads to the tools that it asked for, and each of them to the call that reads its result. */
export function checkLeads(spec: SdkSpec, exported: ExportedSpans, shown: ShownRun): Findings {
  return (spec.leads ?? []).map(({ from, to, by }) => {
    const [source, target] = [from, to].map((name) => shown.nodeOf(exported.spanId(name))?.id);
    const evidence = shown.graph.edges
      .filter((edge) => edge.from === source && edge.to === target && edge.relation === 'TRIGGERED')
      .map((edge) => edge.evidence);
    const right = by === 'toolCallId' ? ['toolCallId'] : ['toolCallId', 'content'];
    return compare(
      'edges',
      `${from} -> ${to}`,
      'TRIGGERED',
      `by ${by}`,
      evidence.join(', ') || 'no edge',
      () => evidence.some((word) => right.includes(word)),
    );
  });
}

function hasEdge(
  { graph }: ShownRun,
  from: string | undefined,
  to: string | undefined,
  relation = 'NEXT_STEP',
): boolean {
  return graph.edges.some((edge) => edge.from === from && edge.to === to && edge.relation === relation);
}

function textsInWords({ texts }: ShownRun, id: string): string {
  return Object.entries(texts.get(id) ?? {})
    .map(([name, text]) => `${name}: ${text}`)
    .join(', ');
}

function byStep(a: ExplanationNode, b: ExplanationNode): number {
  return Number(a.details?.['step']) - Number(b.details?.['step']);
}

function summary({ promptSummary = '' }: ExplanationNode): string {
  return promptSummary;
}
