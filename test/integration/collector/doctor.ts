import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ExplanationGraph } from '../../../src/model/node.ts';
import type { SplitReport } from '../../../src/model/told-cells.ts';
import { NOBODYS_ENV } from '../../support/nobodys-env.ts';
import type { Recording } from '../recordings/load-recordings.ts';
import { recordedSpans } from '../recordings/recording-spans.ts';
import { tracesOf } from './one-trace.ts';
import { differences, withoutTags } from './union.ts';

const MAIN = resolve(import.meta.dirname, '../../../src/main.ts');

/** One service, and a gateway over cells that got the same. */
interface Compared {
  readonly one: { graph(collapse?: 'none' | 'auto'): Promise<ExplanationGraph> };
  readonly gateway: Compared['one'] & { readonly address: string };
}

/** A recording that does not come out of the cells as out of one service, and by what `doctor` names it. */
export interface ApartRecording {
  readonly name: string;
  readonly differs: readonly string[];
  readonly named: readonly string[];
}

/**
 * Every recording that is not whole: of which something differs, or a task is in several cells.
 * @throws AssertionError where `doctor` names what is of none of them, or does not end as it should
 */
export async function apartRecordings(
  { one, gateway }: Compared,
  recordings: readonly Recording[],
): Promise<readonly ApartRecording[]> {
  const [expected, found] = [withoutTags(await one.graph()), withoutTags(await gateway.graph())];
  const [folded, foundFolded] = [
    withoutTags(await one.graph('auto')),
    withoutTags(await gateway.graph('auto')),
  ];
  const shared = (found.notices ?? []).join(' ');
  const { code, report } = await askDoctor(gateway.address);
  const apart: ApartRecording[] = [];
  const explained = new Set<string>();
  for (const { name, requests } of recordings) {
    const traces = new Set(recordedSpans(requests).map(({ traceId }) => traceId));
    const parts = [expected, found].map((graph) => ofTraces(graph, traces));
    const ids = new Set(parts.flatMap(idsIn));
    const named = report.findings.flatMap(({ kind, examples }) =>
      examples.flatMap(({ id, cells }) => (ids.has(id) ? [`${kind} ${id} in ${cells.join(', ')}`] : [])),
    );
    const tasks = new Set(parts.flatMap(({ nodes }) => nodes.map(({ taskId }) => taskId)));
    const differs = [
      ...differences('unfolded', ofTraces(expected, traces), ofTraces(found, traces)),
      ...differences('folded', ofTraces(folded, traces), ofTraces(foundFolded, traces)),
      ...[...tasks].flatMap((id) => (shared.includes(`${id} (`) ? [`task ${id} is in several cells`] : [])),
    ];
    if (differs.length === 0) continue;
    apart.push({ name, differs, named });
    for (const id of ids) explained.add(id);
  }
  for (const { kind, examples } of report.findings) {
    // What would have led from task to task of a session nobody knows who has seen one of them: all are named.
    if (kind === 'session') continue;
    for (const { id } of examples) assert.ok(explained.has(id), `doctor names ${kind} ${id}, which is whole`);
  }
  assert.equal(code, report.findings.length === 0 ? 0 : 1);
  return apart;
}

async function askDoctor(
  address: string,
): Promise<{ readonly code: number | null; readonly report: SplitReport }> {
  const doctor = spawn(process.execPath, [MAIN, 'doctor', '--json', '--url', `http://${address}`], {
    env: NOBODYS_ENV,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [[code], answer] = await Promise.all([once(doctor, 'close'), text(doctor.stdout)]);
  return { code: code as number | null, report: JSON.parse(answer) as SplitReport };
}

/** What is of one of these traces, with all edges there. */
function ofTraces(
  { nodes, edges, lastUpdated }: ExplanationGraph,
  traces: ReadonlySet<string>,
): ExplanationGraph {
  const kept = nodes.filter((node) => tracesOf(node).some((trace) => traces.has(trace)));
  const ids = new Set(kept.map(({ id }) => id));
  return { nodes: kept, edges: edges.filter(({ from, to }) => ids.has(from) || ids.has(to)), lastUpdated };
}

/** All by which a finding may name something of a graph. */
function idsIn({ nodes }: ExplanationGraph): readonly string[] {
  return nodes.flatMap((node) => {
    const { sessionId, requestId } = node.details ?? {};
    const ids = [node.id, node.taskId, ...tracesOf(node), sessionId, requestId];
    return ids.filter((id) => typeof id === 'string');
  });
}
