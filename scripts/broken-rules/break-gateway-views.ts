import type { Break } from './breaks.ts';

const PROPERTY = ['test/properties/gateway.test.ts'];
const VIEWS = ['src/gateway/views/merged-view.test.ts'];

export const GATEWAY_VIEW_BREAKS: readonly Break[] = [
  {
    rule: 'GV1 owner',
    what: 'each cell shows its own edges into a node that several have',
    file: 'src/gateway/views/merged-graph.ts',
    from: 'if (edge && this.nodes.get(edge.to)?.owner === part) return edge;',
    to: 'if (edge) return edge;',
    tests: VIEWS,
  },
  {
    rule: 'GV1 another owner',
    what: 'the edges into a node stay when another cell owns it',
    file: 'src/gateway/views/merged-graph.ts',
    from: 'if (before?.owner !== owner) {',
    to: 'if (before?.owner === undefined) {',
    tests: VIEWS,
  },
  {
    rule: 'GV1 away',
    what: 'what a cell that is taken out told stays',
    file: 'src/gateway/views/merged-view.ts',
    from: '    this.graph.remove(name);\n',
    to: '',
    tests: PROPERTY,
  },
  {
    rule: 'GV1 nobody waits for ever',
    what: 'who waits for a view that is not wanted any more waits for ever',
    file: 'src/gateway/views/merged-view.ts',
    from: '    this.isPatient = false;\n    this.changed.resolve();\n',
    to: '',
    tests: VIEWS,
  },
  {
    rule: 'GV2 all of it',
    what: 'a cell is asked with the filters left out',
    file: 'src/gateway/views/request-of.ts',
    from: 'filters: filtersOf(filters),',
    to: 'filters: {},',
    tests: PROPERTY,
  },
  {
    rule: 'GV3 away',
    what: 'nobody is told that a cell is away',
    file: 'src/gateway/cells/read-cell.ts',
    from: '      this.isSaid = true;\n',
    to: '',
    tests: VIEWS,
  },
  {
    rule: 'GV3 patience',
    what: 'a connection that was lost for a moment is told',
    file: 'src/gateway/cells/read-cell.ts',
    from: 'const PATIENCE_MS = 1000;',
    to: 'const PATIENCE_MS = 0;',
    tests: VIEWS,
  },
  {
    rule: 'GV3 several cells',
    what: 'nobody is told that a task is in several cells',
    file: 'src/gateway/views/merged-graph.ts',
    from: 'if (of.size > 1) this.split.add(taskId);',
    to: 'if (of.size > 9) this.split.add(taskId);',
    tests: VIEWS,
  },
  {
    rule: 'GV4 loose edges',
    what: 'an edge without its nodes is passed on',
    file: 'src/gateway/views/cell-part.ts',
    from: 'if (!this.nodes.has(edge.from) || !this.nodes.has(edge.to)) return LOOSE;',
    to: '',
    tests: VIEWS,
  },
  {
    rule: 'GV5 what comes later',
    what: 'only a summary that is there is opened from the start',
    file: 'src/subscriptions/own-view-changes.ts',
    from: "if (type === 'expand') return { ...spec, expandedSummaries: expandedSummaries.add(nodeId) };",
    to: "if (type === 'expand') return expanded(spec, nodeId, sourceFor(spec));",
    tests: VIEWS,
  },
];
