import { readFileSync } from 'node:fs';

/** Bytes of resident memory of a process now (Linux). */
export function residentBytesOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}
