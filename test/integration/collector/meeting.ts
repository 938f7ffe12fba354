import { requestNodeId } from '../../../src/model/ids.ts';
import type { AgentRun } from './agent-run.ts';
import type { Cells } from './cells-stage.ts';
import { tracesOf } from './one-trace.ts';
import type { ServiceProcess } from './service-process.ts';

/** Thoughts asked for at one time. */
const AT_ONCE = 8;

/** The traces whose spans are not in one cell, or whose thoughts, which are log records, are not whole in that cell. */
export async function whatIsApart(cells: Cells, runs: readonly AgentRun[]): Promise<readonly string[]> {
  const holders = new Map<string, Set<ServiceProcess>>();
  for (const cell of cells.all)
    for (const node of (await cell.graph()).nodes)
      for (const trace of tracesOf(node)) holders.set(trace, (holders.get(trace) ?? new Set()).add(cell));
  const apart: string[] = [];
  for (let from = 0; from < runs.length; from += AT_ONCE)
    await Promise.all(
      runs.slice(from, from + AT_ONCE).map(async ({ recorded, thoughts }) => {
        const trace = recorded[0]?.traceId ?? '';
        const [cell, ...others] = holders.get(trace) ?? [];
        if (cell === undefined || others.length > 0) {
          apart.push(`trace ${trace} is in ${cell === undefined ? 'no cell' : `${others.length + 1} cells`}`);
          return;
        }
        const found = await Promise.all(thoughts.map((thought) => isWholeIn(cell, thought)));
        if (found.includes(false)) apart.push(`trace ${trace}: its thoughts are not where its spans are`);
      }),
    );
  return apart;
}

async function isWholeIn(
  cell: ServiceProcess,
  { requestId, text }: AgentRun['thoughts'][number],
): Promise<boolean> {
  return (await cell.thought(requestNodeId(requestId)).catch(() => undefined)) === text;
}
