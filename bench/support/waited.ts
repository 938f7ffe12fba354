import { readFileSync } from 'node:fs';

const NS_PER_MS = 1e6;

/**
 * Milliseconds that the main thread of a process, ready to run, has waited until now for a processor that others had (Linux; 0
 * elsewhere).
 */
export function waitedMsOf(pid: number): number {
  try {
    const [, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waited) / NS_PER_MS;
  } catch {
    return 0;
  }
}
