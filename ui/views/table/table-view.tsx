import { useEffect, useMemo, useRef, useState } from 'react';
import { byStart } from '../../state/node-times.ts';
import { useTask } from '../../state/task-context.ts';
import { useGraphVersion } from '../../state/use-graph.ts';
import { EdgeRow, NodeRow } from './table-rows.tsx';
import { inTree } from './in-tree.ts';
import './table.css';

/** Rows beyond it are drawn when somebody asks: browsers lay out some ten thousand of them without stalling. */
const ROWS = 2_000;

/** The graph as a treegrid, for screen readers and for reading: every node under its first cause, then every edge. */
export default function TableView() {
  const { store, selected, select, highlight } = useTask();
  const version = useGraphVersion(store);
  const [most, setMost] = useState(ROWS);
  const rows = useMemo(() => inTree(store), [store, version]);
  const edges = useMemo(
    () =>
      [...store.edges.values()].sort((a, b) => {
        const [one, other] = [store.nodes.get(a.to), store.nodes.get(b.to)];
        return (one && other && byStart(one, other)) || (a.id < b.id ? -1 : 1);
      }),
    [store, version],
  );
  const table = useRef<HTMLTableElement>(null);
  const shown = selected ?? highlight?.candidates[0];
  useEffect(() => {
    if (shown === undefined) return;
    const row = table.current?.querySelector(`tr[data-node-id="${CSS.escape(shown)}"]`);
    row?.scrollIntoView({ block: 'nearest' });
  }, [shown]);
  const left = Math.max(0, rows.length - most) + Math.max(0, edges.length - most);
  const active = selected !== undefined && store.nodes.has(selected) ? selected : rows[0]?.node.id;

  const onKeyDown = (event: React.KeyboardEvent<HTMLTableElement>): void => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    const row = (event.target as HTMLElement).closest<HTMLElement>('tr[tabindex]');
    if (!row) return;
    if (event.key === 'Enter' && row.dataset['nodeId'] !== undefined) select(row.dataset['nodeId']);
    if (step === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('tr[tabindex]')];
    all[all.indexOf(row) + step]?.focus();
  };

  return (
    <div className="table-scroller">
      <table
        ref={table}
        className="graph-table"
        role="treegrid"
        data-testid="graph-table"
        aria-label="Steps and edges"
        onKeyDown={onKeyDown}
      >
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Agent</th>
            <th scope="col">Type</th>
            <th scope="col" className="number">
              Took
            </th>
            <th scope="col" className="number">
              Tokens
            </th>
            <th scope="col" className="number">
              Cost
            </th>
            <th scope="col">Caused by</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, most).map(({ node, depth }) => (
            <NodeRow key={node.id} node={node} depth={depth} isTabStop={node.id === active} />
          ))}
        </tbody>
        <tbody className="edges">
          <tr>
            <th scope="colgroup" colSpan={7}>
              Edges <span className="muted">{edges.length}</span>
            </th>
          </tr>
          {edges.slice(0, most).map((edge) => (
            <EdgeRow key={edge.id} edge={edge} />
          ))}
        </tbody>
      </table>
      {left > 0 && (
        <button type="button" className="button" onClick={() => setMost(most * 4)}>
          Show more: {left.toLocaleString('en')} rows are left
        </button>
      )}
    </div>
  );
}
