import type { ChildProcess } from 'node:child_process';

/** Ends a child when this process ends before it, however that comes; a signal must be turned into an exit. */
export function endWithUs(child: ChildProcess): void {
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('close', () => process.off('exit', end));
}
