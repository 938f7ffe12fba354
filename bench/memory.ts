import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { SizeReport } from './support/memory-process.ts';

/** Bytes per node and time of a snapshot, by size of the graph. */
export async function benchMemory(sizes: readonly number[]): Promise<SizeReport[]> {
  const reports: SizeReport[] = [];
  const child = fork(new URL('support/memory-process.ts', import.meta.url), sizes.map(String), {
    execArgv: ['--expose-gc'],
  });
  child.on('message', (report) => reports.push(report as SizeReport));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the process that fills the graph ended with code ${code}`);
  return reports;
}
