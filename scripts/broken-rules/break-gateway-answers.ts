import type { Break } from './breaks.ts';

const GRAPH = ['src/gateway/answers/merged-graph.test.ts'];
const TASKS = ['src/gateway/answers/merged-tasks.test.ts'];
const ANSWERS = ['src/gateway/answers/gateway-answers.test.ts'];
const MERGED_GRAPH = 'src/gateway/answers/merged-graph.ts';
const MERGED_TASKS = 'src/gateway/answers/merged-tasks.ts';
const ASKING = 'src/gateway/answers/ask-cells.ts';
const SEARCH = ['src/gateway/answers/merged-search.test.ts'];
const MERGED_SEARCH = 'src/gateway/answers/merged-search.ts';
const GATEWAY = 'src/gateway/answers/gateway-answers.ts';

export const GATEWAY_ANSWER_BREAKS: readonly Break[] = [
  {
    rule: 'GA1 a merged graph is a graph',
    what: 'every cell shows its edges into a node',
    file: MERGED_GRAPH,
    from: '!owns.has(edge.to) || ',
    to: '',
    tests: GRAPH,
  },
  {
    rule: 'GA1 a merged graph is a graph',
    what: 'the owner is whoever is asked first',
    file: MERGED_GRAPH,
    from: 'return parts.toSorted((a, b) => compareText(a.cell, b.cell));',
    to: 'return parts;',
    tests: GRAPH,
  },
  {
    rule: 'GA2 tasks in several cells are named',
    what: 'a graph says nothing of them',
    file: GATEWAY,
    from: 'const notices = [...own, ...absenceNotices(found.failures), ...sharedNotices(shared)];',
    to: 'void shared; const notices = [...own, ...absenceNotices(found.failures)];',
    tests: ANSWERS,
  },
  {
    rule: 'GA3 a cell that does not answer',
    what: 'it is waited for without end',
    file: ASKING,
    from: 'return await Promise.race([answer, late]);',
    to: 'void late.catch(() => {}); return await answer;',
    tests: ANSWERS,
  },
  {
    rule: 'GA3 what a cell refuses',
    what: 'it counts as a cell that does not answer',
    file: ASKING,
    from: 'if (REFUSALS.has(error.code)) throw error;',
    to: '',
    tests: ANSWERS,
  },
  {
    rule: 'GA4 not known anywhere',
    what: 'what a cell that is away may have is said not to be there',
    file: ASKING,
    from: 'if (failures.length === 0) return notFound;',
    to: 'if (failures.length >= 0) return notFound;',
    tests: ANSWERS,
  },
  {
    rule: 'GA5 tasks of all cells',
    what: 'a task is listed wherever a part of it is',
    file: MERGED_TASKS,
    from: 'return home === undefined || home.cell === candidate.cell ? union : undefined;',
    to: 'return union;',
    tests: TASKS,
  },
  {
    rule: 'GA5 tasks of all cells',
    what: 'a task is listed that matches in a part only',
    file: MERGED_TASKS,
    from: 'if (!union || !matches(wanted, union)) return undefined;',
    to: 'if (!union) return undefined;',
    tests: TASKS,
  },
  {
    rule: 'GA5 tasks of all cells',
    what: 'what is not read of a cell yet is passed over',
    file: MERGED_TASKS,
    from: 'if (!first && !source.isRead) return taken;',
    to: '',
    tests: TASKS,
  },
  {
    rule: 'GA6 lists end',
    what: 'a cell that keeps to no order is believed',
    file: MERGED_TASKS,
    from: 'if (!isBehind()) continue;',
    to: '',
    tests: TASKS,
  },
  {
    rule: 'GA7 whole tasks',
    what: 'of a task in several cells the first of them is asked',
    file: GATEWAY,
    from: 'if (only && others.length === 0) {',
    to: 'if (only && others.length >= 0) {',
    tests: ANSWERS,
  },
  {
    rule: 'GA7 whole tasks',
    what: 'who may not read texts is answered from them',
    file: GATEWAY,
    from: 'work(detail ? withoutTexts(whole) : whole)',
    to: 'work(whole)',
    tests: ANSWERS,
  },
  {
    rule: 'GA8 spikes of all cells',
    what: 'they come cell by cell',
    file: 'src/gateway/answers/merged-spikes.ts',
    from: '[...found.values()].sort(bySize)',
    to: '[...found.values()].sort(() => 0).toSorted(bySize).reverse()',
    tests: ANSWERS,
  },
  {
    rule: 'GA9 pruning of all cells',
    what: 'one cell is counted',
    file: GATEWAY,
    from: 'sum + answer.prunedNodes, 0)',
    to: 'Math.max(sum, answer.prunedNodes), 0)',
    tests: ANSWERS,
  },
  {
    rule: 'GA10 patterns of all cells',
    what: 'nodes are fetched of the first task alone',
    file: 'src/gateway/answers/finished-tasks.ts',
    from: 'if (!this.fetched.has(taskId)) await this.fetchFrom(taskId);',
    to: 'if (this.fetched.size === 0) await this.fetchFrom(taskId);',
    tests: ANSWERS,
  },
  {
    rule: 'GA10 a cell that goes in between',
    what: 'what it had counts as if it had no steps',
    file: 'src/gateway/answers/finished-tasks.ts',
    from: 'assertNone(failures);\n    const parts',
    to: 'const parts',
    tests: ANSWERS,
  },
  {
    rule: 'GA11 search in all cells',
    what: 'what others found is told before a slow cell has got there',
    file: MERGED_SEARCH,
    from: '.filter(({ place }) => !reached || compareSearchPlaces(place, reached) <= 0)',
    to: '.filter(() => true)',
    tests: SEARCH,
  },
  {
    rule: 'GA11 search in all cells',
    what: 'every cell that has a node tells of it',
    file: MERGED_SEARCH,
    from: 'if (others.length === 0) return true;',
    to: 'if (others.length >= 0) return true;',
    tests: SEARCH,
  },
  {
    rule: 'GA11 search in all cells',
    what: 'a cell that gets nowhere keeps the others there',
    file: MERGED_SEARCH,
    from: 'if (!place || (from && compareSearchPlaces(place, from) <= 0)) continue;',
    to: 'if (!place) continue;',
    tests: SEARCH,
  },
  {
    rule: 'GA12 cells over gRPC',
    what: 'a list that was not sent is an empty list',
    file: 'src/servers/grpc/explain-service.ts',
    from: 'reader.listTasks(givenFields({ ...request }))',
    to: 'reader.listTasks({ ...request })',
    tests: ['src/gateway/answers/over-grpc.test.ts'],
  },
];
