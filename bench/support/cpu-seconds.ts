import { readFileSync } from 'node:fs';

const CLOCK_TICKS_PER_SECOND = 100;

/** Seconds of processor time of all threads of a process until now (Linux). */
export function cpuSecondsOf(pid: number): number {
  return secondsIn(`/proc/${pid}/stat`);
}

/** Seconds of processor time of the main thread of a process until now (Linux). */
export function mainCpuSecondsOf(pid: number): number {
  return secondsIn(`/proc/${pid}/task/${pid}/stat`);
}

function secondsIn(stat: string): number {
  const fields = readFileSync(stat, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
}
