import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cellEnvironment, heapFlags } from '../../service/supervisor/cell-config.ts';
import type { FromProcess, StartedProcess } from '../../service/supervisor/messages.ts';
import { GATEWAY_NAME } from '../../service/supervisor/supervisor.ts';
import { PROCESS_WORD } from '../program.ts';

const MAIN = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../main.ts' : '../../main.js', import.meta.url),
);
const STDERR = 2;

/**
 * Starts processes of this program. What they write goes where this one's log goes, without passing it: a line is whole, and
 * nothing is lost when this one ends. Settings and tokens go over the channel, so nobody sees them in the list of processes.
 */
export function processStarter(cells: number): (name: string) => StartedProcess {
  const { NODE_OPTIONS = '' } = process.env;
  const flags = heapFlags([...NODE_OPTIONS.split(/\s+/), ...process.execArgv], cells);
  return (name) => {
    const child = fork(MAIN, [PROCESS_WORD, name], {
      env: name === GATEWAY_NAME ? process.env : cellEnvironment(process.env),
      execArgv: [...process.execArgv, ...flags],
      serialization: 'advanced',
      stdio: ['ignore', STDERR, STDERR, 'ipc'],
    });
    // It may end while it is told something; the exit says so.
    child.on('error', () => undefined);
    return {
      send: (message) => void (child.connected && child.send(message, () => undefined)),
      kill: () => void child.kill('SIGKILL'),
      onMessage: (told) => void child.on('message', (message) => told(message as FromProcess)),
      onExit(ended) {
        const once = onlyOnce(ended);
        child.on('exit', (code, signal) => once(signal ?? `exit code ${code}`));
        child.on('error', (error) => void (child.pid === undefined && once(error.message)));
      },
    };
  };
}

function onlyOnce(told: (how: string) => void): (how: string) => void {
  let isTold = false;
  return (how) => {
    if (isTold) return;
    isTold = true;
    told(how);
  };
}
