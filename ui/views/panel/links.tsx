import type { ExplanationEdge } from '../../../src/client/browser.ts';
import { isContainment } from '../../layout/graph-reading.ts';
import { relationWords } from '../../state/format.ts';
import { startOf } from '../../state/node-times.ts';
import { shownStatus, titleOf } from '../../state/node-words.ts';
import { useTask } from '../../state/task-context.ts';
import { useGraphVersion } from '../../state/use-graph.ts';
import { Status } from '../../widgets/status.tsx';

/** What caused it and what it is part of, and the other way round, as links. */
export function Links({ nodeId }: { readonly nodeId: string }) {
  const { store } = useTask();
  useGraphVersion(store);
  const before = Map.groupBy(store.causesOf(nodeId), isContainment);
  const after = Map.groupBy(store.effectsOf(nodeId), isContainment);
  return (
    <>
      <LinkList title="Caused by" edges={before.get(false)} end="from" />
      <LinkList title="Caused" edges={after.get(false)} end="to" />
      <LinkList title="Part of" edges={before.get(true)} end="from" />
      <LinkList title="Contains" edges={after.get(true)} end="to" />
    </>
  );
}

const MOST_LINKS = 50;

function LinkList(props: {
  readonly title: string;
  readonly edges: readonly ExplanationEdge[] | undefined;
  readonly end: 'from' | 'to';
}) {
  const { title, edges, end } = props;
  const { store, select } = useTask();
  if (edges === undefined) return null;
  const links = edges.map((edge) => {
    const node = store.nodes.get(edge[end]);
    return { edge, node, start: node ? startOf(node) : 0 };
  });
  // Edges stand in the order in which they came.
  links.sort((a, b) => a.start - b.start);
  return (
    <section>
      <h3>
        {title} <span className="muted">{edges.length}</span>
      </h3>
      <ul className="links">
        {links.slice(0, MOST_LINKS).map(({ edge, node }) => (
          <li key={edge.id}>
            <button type="button" className="node-link" onClick={() => select(edge[end])}>
              {node && <Status status={shownStatus(node)} />}
              <span dir="auto">{node ? titleOf(node) : edge[end]}</span>
              <span className="muted">
                {!isContainment(edge) && `${relationWords(edge.relation)}, `}by {edge.evidence}
                {edge.bridged === true && ', over hidden steps'}
              </span>
            </button>
          </li>
        ))}
        {edges.length > MOST_LINKS && (
          <li className="muted">and {edges.length - MOST_LINKS} more, in the table</li>
        )}
      </ul>
    </section>
  );
}
