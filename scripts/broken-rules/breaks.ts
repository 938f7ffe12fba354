/** One rule, and a change to the source after which it no longer holds. */
export interface Break {
  /** The rule as the tests name it. */
  readonly rule: string;
  readonly what: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Test files of which at least one must fail. */
  readonly tests: readonly string[];
}

const ARRIVAL = ['test/properties/arrival.test.ts'];
const VIEWS = ['test/properties/views.test.ts'];
const CORRELATION = ['src/correlation/correlator.test.ts'];
const GRAPH = ['src/graph/causal-graph.test.ts'];
const FOLDING = ['src/pruning/fold-task.test.ts'];
const STREAMS = ['src/redaction/streams.test.ts', 'test/properties/redaction.test.ts'];
const ANALYSIS = ['src/analysis/why.test.ts'];
const REDACTION = ['src/redaction/engine.test.ts'];

const arrival: readonly Break[] = [
  {
    rule: 'CO1 any arrival order',
    what: 'of two records of one span the last to arrive wins',
    file: 'src/correlation/prefer-facts.ts',
    from: 'return JSON.stringify(arrived) > JSON.stringify(held) ? arrived : held;',
    to: 'return arrived;',
    tests: ARRIVAL,
  },
  {
    rule: 'CO1 any arrival order',
    what: 'a span that ended is replaced by one that did not',
    file: 'src/correlation/prefer-facts.ts',
    from: 'if (byEnd < 0) return held;',
    to: 'if (byEnd < 0) return arrived;',
    tests: ARRIVAL,
  },
  {
    rule: 'CO1 any arrival order',
    what: 'an older state of a thought replaces a newer one',
    file: 'src/correlation/prefer-facts.ts',
    from: 'return arrived.revision > held.revision ? arrived : held;',
    to: 'return arrived;',
    tests: ARRIVAL,
  },
  {
    rule: 'CO1 any arrival order',
    what: 'parts of a chain of thought stand in the order of their arrival',
    file: 'src/correlation/node-entry.ts',
    from: 'const parts = [...request.parts.values()].sort((a, b) => a.part - b.part);',
    to: 'const parts = [...request.parts.values()];',
    tests: ARRIVAL,
  },
  {
    rule: 'CO1 any arrival order',
    what: 'spans behind one node stand in the order of their arrival',
    file: 'src/correlation/node-entry.ts',
    from: 'return [...entry.spans].sort((a, b) => a.facts.start - b.facts.start || (a.key < b.key ? -1 : 1));',
    to: 'return entry.spans;',
    tests: ARRIVAL,
  },
  {
    rule: 'CO1 any arrival order',
    what: 'a late parent is not joined with the child that came first',
    file: 'src/correlation/build-edges.ts',
    from: 'if (parentKey !== undefined) refs.add(parentKey);',
    to: '',
    tests: CORRELATION,
  },
  {
    rule: 'CO1 any arrival order',
    what: 'a thought forgets no span that it pointed at before',
    file: 'src/correlation/correlation-state.ts',
    from: 'if (held) this.stopPointing(request, held, pointing);',
    to: '',
    tests: CORRELATION,
  },
  {
    rule: 'CO1 duplicates',
    what: 'another content of an event replaces the first',
    file: 'src/correlation/correlation-state.ts',
    from: 'if (entry.event && JSON.stringify(facts) >= JSON.stringify(entry.event)) return false;',
    to: '',
    tests: ARRIVAL,
  },
  {
    rule: 'CO1 duplicates',
    what: 'a span delivered again makes another source of its node',
    file: 'src/correlation/correlation-state.ts',
    from: 'const span = held ?? this.newSpan(key, facts);',
    to: 'const span = this.newSpan(key, facts);',
    tests: ARRIVAL,
  },
  {
    rule: 'CO1 batching',
    what: 'what refers to a changed span is looked at in the same batch only',
    file: 'src/correlation/correlator.ts',
    from: 'for (const nodeId of this.dependents.of(key)) this.toRevisit.add(nodeId);',
    to: 'if (this.touched.size > 0) for (const nodeId of this.dependents.of(key)) this.toRevisit.add(nodeId);',
    tests: ARRIVAL,
  },
  {
    rule: 'CO1 batching',
    what: 'a node is not joined anew when what it refers to came in a later batch',
    file: 'src/correlation/correlator.ts',
    from: 'if (this.updateContext(entry)) this.rebuild(entry);\n        needEdges.add(entry);',
    to: 'if (this.updateContext(entry)) this.rebuild(entry);',
    tests: ARRIVAL,
  },
];

const graph: readonly Break[] = [
  {
    rule: 'GR1 never a cycle',
    what: 'every edge is accepted',
    file: 'src/graph/acyclic-edges.ts',
    from: 'if (!this.reaches(edge.to, edge.from)) {',
    to: 'if (edge.id !== "") {',
    tests: GRAPH,
  },
  {
    rule: 'GR1 never a cycle',
    what: 'only a cycle of two edges is seen',
    file: 'src/graph/acyclic-edges.ts',
    from: 'if (!this.reaches(edge.to, edge.from)) {',
    to: 'if (!this.candidatesFrom(edge.to).some((back) => back.to === edge.from)) {',
    tests: GRAPH,
  },
  {
    rule: 'GR2 evidence decides',
    what: 'the first edge to arrive stays, whatever its evidence',
    file: 'src/graph/acyclic-edges.ts',
    from: '    this.leaveOut(edge);\n    this.settle(this.componentOf(edge));',
    to: '    this.leaveOut(edge);',
    tests: GRAPH,
  },
  {
    rule: 'GR2 evidence decides',
    what: 'an edge left out does not come back when its cycle is gone',
    file: 'src/graph/acyclic-edges.ts',
    from: 'if (component && component.size > 1) this.settle(component);',
    to: '',
    tests: GRAPH,
  },
  {
    rule: 'GR3 never a dangling edge',
    what: 'an edge is asked for before its other node is there',
    file: 'src/correlation/build-edges.ts',
    from: 'if (from === undefined || from === entry.id || !lookup.has(from)) return;',
    to: 'if (from === undefined || from === entry.id) return;',
    tests: ARRIVAL,
  },
  {
    rule: 'GR3 never a dangling edge',
    what: 'edges out of hidden nodes are shown',
    file: 'src/subscriptions/compute-view.ts',
    from: 'if (this.isShown(edge.from)) {\n          direct.add',
    to: 'if (edge.from !== target) {\n          direct.add',
    tests: VIEWS,
  },
];

const law: readonly Break[] = [
  {
    rule: 'SU1 the law',
    what: 'edge removals are lost',
    file: 'src/subscriptions/diff-view.ts',
    from: 'for (const [id, edge] of before.edges) if (!after.edges.has(id)) this.removedEdges.set(id, edge);',
    to: '',
    tests: VIEWS,
  },
  {
    rule: 'SU1 the law',
    what: 'node removals are lost',
    file: 'src/subscriptions/diff-view.ts',
    from: 'for (const id of before.nodes.keys()) if (!after.nodes.has(id)) this.removedNodes.add(id);',
    to: '',
    tests: VIEWS,
  },
  {
    rule: 'SU1 the law',
    what: 'a node that moved to another task is removed',
    file: 'src/subscriptions/diff-view.ts',
    from: 'const removedNodeIds = [...this.removedNodes].filter((id) => !this.addedNodes.has(id));',
    to: 'const removedNodeIds = [...this.removedNodes];',
    tests: VIEWS,
  },
  {
    rule: 'SU1 the law',
    what: 'a changed node is not sent again',
    file: 'src/subscriptions/diff-view.ts',
    from: 'if (held !== node && !isSameSummary(held, node)) this.addedNodes.set(id, node);',
    to: 'if (!held) this.addedNodes.set(id, node);',
    tests: VIEWS,
  },
  {
    rule: 'SU1 the law',
    what: 'tasks that follow a changed one are not looked at',
    file: 'src/service/dirty-tasks.ts',
    from: 'for (const taskId of tasks) for (const after of graph.tasksAfter(taskId)) tasks.add(after);',
    to: '',
    tests: VIEWS,
  },
  {
    rule: 'SU1 the law',
    what: 'folds of changed tasks are kept',
    file: 'src/service/engine.ts',
    from: 'this.folds.invalidate(tasks);',
    to: '',
    tests: VIEWS,
  },
  {
    rule: 'SU1 the law',
    what: 'what a slow reader was waiting for is dropped',
    file: 'src/subscriptions/subscription.ts',
    from: 'this.pending.add(update);',
    to: '',
    tests: VIEWS,
  },
  {
    rule: 'SU1 the law',
    what: 'a merged update keeps the removal and the addition of an edge',
    file: 'src/subscriptions/merge-updates.ts',
    from: 'for (const edge of update.addedEdges) this.edges.set(edge.id, edge);',
    to: 'for (const edge of update.addedEdges) if (!this.edges.has(edge.id)) this.edges.set(edge.id, edge);',
    tests: VIEWS,
  },
  {
    rule: 'SU1 the law',
    what: 'what waited for a reader that then went away is dropped',
    file: 'src/subscriptions/subscription.ts',
    from: 'this.sink = undefined;\n    this.numberPending();',
    to: 'this.sink = undefined;\n    this.pending = new PendingUpdate();',
    tests: VIEWS,
  },
  {
    rule: 'SU1 resume',
    what: 'resuming leaves out one update',
    file: 'src/subscriptions/subscription.ts',
    from: 'for (const entry of kept) this.write(sink, entry);',
    to: 'for (const entry of kept.slice(1)) this.write(sink, entry);',
    tests: VIEWS,
  },
  {
    rule: 'SU1 resume',
    what: 'resuming goes on though an update is no longer kept',
    file: 'src/subscriptions/subscription.ts',
    from: '(missed < 0 || kept.length !== missed)',
    to: '(missed < 0 || kept.length < missed - 1)',
    tests: VIEWS,
  },
];

const views: readonly Break[] = [
  {
    rule: 'SU2 bridged edges are exact',
    what: 'a bridge is drawn beside a direct edge',
    file: 'src/subscriptions/compute-view.ts',
    from: 'for (const [from, edge] of through) if (!direct.has(from)) edges.set(edge.id, edge);',
    to: 'for (const edge of through.values()) edges.set(edge.id, edge);',
    tests: VIEWS,
  },
  {
    rule: 'SU2 bridged edges are exact',
    what: 'only one of several bridges is drawn',
    file: 'src/subscriptions/compute-view.ts',
    from: 'for (const id of this.shownBefore.get(from) ?? []) shown.add(id);',
    to: 'for (const id of this.shownBefore.get(from) ?? []) if (shown.size === 0) shown.add(id);',
    tests: [...VIEWS, 'src/subscriptions/compute-view.test.ts'],
  },
  {
    rule: 'SU2 bridged edges are exact',
    what: 'bridges run through nodes that are shown',
    file: 'src/subscriptions/compute-view.ts',
    from: '      if (this.isShown(from)) shown.add(from);\n      else for',
    to: '      if (this.isShown(from)) shown.add(from);\n      for (const edge of this.source.graph.inEdges(from)) if (this.isShown(edge.from)) shown.add(edge.from);\n      if (!this.isShown(from)) for',
    tests: VIEWS,
  },
  {
    rule: 'SU2 bridged edges are exact',
    what: 'a path through hidden nodes leaves no bridge',
    file: 'src/subscriptions/compute-view.ts',
    from: 'for (const [from, edge] of through) if (!direct.has(from)) edges.set(edge.id, edge);',
    to: '',
    tests: VIEWS,
  },
];

const folding: readonly Break[] = [
  {
    rule: 'PR2 errors stay',
    what: 'errors are folded',
    file: 'src/pruning/foldable.ts',
    from: "node.status === 'OK' &&",
    to: '',
    tests: FOLDING,
  },
  {
    rule: 'PR2 what leads to them stays',
    what: 'what led to an error is folded',
    file: 'src/pruning/foldable.ts',
    from: 'edges.every((edge) => foldable.has(edge.to))',
    to: 'edges.every((edge) => edge.to !== id)',
    tests: FOLDING,
  },
  {
    rule: 'PR2 running nodes stay',
    what: 'running nodes are folded',
    file: 'src/pruning/foldable.ts',
    from: "node.state === 'ENDED' &&",
    to: '',
    tests: FOLDING,
  },
  {
    rule: 'PR3 unknown is not routine',
    what: 'a step without a latency counts as fast',
    file: 'src/pruning/foldable.ts',
    from: 'node.latencyMs !== undefined && node.latencyMs < limits.pruneLatencyThresholdMs',
    to: '(node.latencyMs ?? 0) < limits.pruneLatencyThresholdMs',
    tests: FOLDING,
  },
  {
    rule: 'PR3 the limits themselves are shown',
    what: 'a cost at the limit is folded',
    file: 'src/pruning/foldable.ts',
    from: 'node.costUsd < limits.minCostUsdDetail',
    to: 'node.costUsd <= limits.minCostUsdDetail',
    tests: FOLDING,
  },
  {
    rule: 'PR4 roots stay',
    what: 'the beginning of a run is folded',
    file: 'src/pruning/foldable.ts',
    from: ' && !isRoot(graph, id)',
    to: '',
    tests: FOLDING,
  },
  {
    rule: 'PR5 maxCoTDepth',
    what: 'deep thoughts are shown one level too far',
    file: 'src/pruning/foldable.ts',
    from: 'depth.of(node) > limits.maxCoTDepth',
    to: 'depth.of(node) > limits.maxCoTDepth + 1',
    tests: FOLDING,
  },
  {
    rule: 'PR6 maxNodesPerTask',
    what: 'the limit is not held',
    file: 'src/pruning/fold-task.ts',
    from: 'return shown <= limits.maxNodesPerTask',
    to: 'return shown <= Infinity',
    tests: FOLDING,
  },
  {
    rule: 'PR6 maxNodesPerTask',
    what: 'summaries and the notice are not counted',
    file: 'src/pruning/fold-task.ts',
    from: 'Math.max(0, Math.floor((limit - 2) / 2))',
    to: 'limit',
    tests: FOLDING,
  },
];

const redaction: readonly Break[] = [
  {
    rule: 'RD6 any split',
    what: 'nothing is held back at the end of a stream',
    file: 'src/redaction/live-text.ts',
    from: 'const HELD_BACK = 256;',
    to: 'const HELD_BACK = 0;',
    tests: STREAMS,
  },
  {
    rule: 'RD6 any split',
    what: 'a stream is cut inside a value that is hidden',
    file: 'src/redaction/live-text.ts',
    from: 'if (finding.start < cut && finding.end > cut) cut = finding.start;',
    to: '',
    tests: STREAMS,
  },
  {
    rule: 'RD7 idempotence',
    what: 'markers are looked into again',
    file: 'src/redaction/marker.ts',
    from: "if (!text.includes('[')) return [];",
    to: "if (text !== '') return [];",
    tests: REDACTION,
  },
];

const analysis: readonly Break[] = [
  {
    rule: 'AN1 a function of the graph',
    what: 'edges of the answer stand in the order of their arrival',
    file: 'src/analysis/why.ts',
    from: 'edges.sort((a, b) => (a.id < b.id ? -1 : 1));',
    to: '',
    tests: ANALYSIS,
  },
  {
    rule: 'AN1 a function of the graph',
    what: 'of two ways that are equally long the first to arrive is taken',
    file: 'src/analysis/way-back.ts',
    from: 'a !== b ? (a < b ? -1 : 1) : one.id < other.id ? -1 : 1,',
    to: '0 * (a.length + b.length + one.id.length + other.id.length),',
    tests: ANALYSIS,
  },
  {
    rule: 'AN2 firstError',
    what: 'the last failure is taken for the first',
    file: 'src/analysis/cause-rules.ts',
    from: '(errors.length > 0 ? errors : failed).sort(byEnd)[0]',
    to: '(errors.length > 0 ? errors : failed).sort(byEnd).at(-1)',
    tests: ANALYSIS,
  },
  {
    rule: 'AN2 firstError',
    what: 'what failed inside a failed step is not looked for',
    file: 'src/analysis/way-back.ts',
    from: 'if (!hasFailed(start)) return NOTHING;',
    to: 'if (start) return NOTHING;',
    tests: ANALYSIS,
  },
  {
    rule: 'AN7 outliers',
    what: 'steps that contain others are compared with those that do not',
    file: 'src/analysis/outliers.ts',
    from: 'if (!node || containsSteps(graph, id)) continue;',
    to: 'if (!node) continue;',
    tests: ANALYSIS,
  },
];

export const BREAKS: readonly Break[] = [
  ...arrival,
  ...graph,
  ...law,
  ...views,
  ...folding,
  ...redaction,
  ...analysis,
];
