import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { BoundaryError } from '../../base/boundary-error.ts';
import { removePutAside } from '../put-aside.ts';
import { folderFiles } from './files.ts';
import { LogCore } from './log-core.ts';
import { openIndexIn } from './open-index.ts';
import type { Answer, Call, WorkerSettings } from './worker-messages.ts';

/**
 * The thread of the log: it does one call after the other, in the order in which they came, and looks after the
 * store between them.
 */
const MAINTAIN_EVERY_MS = 1000;

const port = parentPort;
if (!port) throw new Error('this is a thread of the service');
const settings = workerData as WorkerSettings;
const { folder } = settings;
const say = (level: 'info' | 'warn' | 'error', fields: object, message: string): void =>
  tell({ kind: 'say', level, fields: { ...fields }, message });

let core: LogCore | undefined;
let timer: NodeJS.Timeout | undefined;

function tell(answer: Answer, transfer: readonly ArrayBuffer[] = []): void {
  port?.postMessage(answer, transfer);
}

function start(openIndex: ReturnType<typeof openIndexIn>): void {
  core = new LogCore({
    ...settings,
    files: folderFiles(join(folder, 'log')),
    openIndex,
    say,
    onDropped: (reason, tasks, records) => tell({ kind: 'dropped', reason, tasks, records }),
  });
  port?.on('message', (call: Call) => receive(call));
  tell({ kind: 'ready', heldTexts: core.heldTexts });
  maintainLater(0);
}

function receive(call: Call): void {
  const { id } = call;
  try {
    const { value, transfer } = perform(call);
    tell({ kind: 'done', id, value, bytes: core?.bytes ?? 0, problem: core?.problem }, transfer);
  } catch (error) {
    tell({ kind: 'failed', id, code: codeOf(error) });
  }
}

function perform(call: Call): { readonly value?: unknown; readonly transfer?: readonly ArrayBuffer[] } {
  if (!core) throw new Error('the log is closed');
  switch (call.kind) {
    case 'append': {
      const { frames, now } = call;
      core.append(Buffer.from(frames.buffer, frames.byteOffset, frames.length), now, settings.durable);
      // The buffer goes back, to be filled again.
      const buffer = frames.buffer as ArrayBuffer;
      return { value: buffer, transfer: [buffer] };
    }
    case 'restoreNext':
      return { value: core.restoreNext() };
    case 'texts':
      return { value: core.texts(call.sources) };
    case 'leftNode':
      return { value: core.leftNode(call.nodeId) };
    case 'leftPage':
      return { value: core.leftPage(call.task, call.after) };
    case 'leftTasks':
      return { value: core.leftTasks() };
    case 'erase':
      core.startErasure(call.order, call.now);
      removePutAside(folder);
      return {};
    case 'eraseStep':
      // There is more to do, when nothing is read any more that it would move.
      return { value: core.isRestoring || core.eraseStep() };
    case 'startAnew':
      return { value: core.startAnew() };
    case 'dropBefore':
      core.dropBefore(call.segment);
      removePutAside(folder);
      return {};
    case 'close':
      clearTimeout(timer);
      core.close();
      core = undefined;
      return {};
  }
}

function maintainLater(delayMs: number): void {
  timer = setTimeout(() => {
    // A step at a time, so that calls come in between.
    const hasMore = core?.maintain(Date.now()) ?? false;
    maintainLater(hasMore ? 0 : MAINTAIN_EVERY_MS);
  }, delayMs);
}

function codeOf(error: unknown): string {
  return (error as { readonly code?: string }).code ?? (error instanceof Error ? error.name : 'unknown');
}

try {
  const { loadSqlite } = await import('../index/sqlite-archive-index.ts');
  const database = settings.index === 'memory' ? undefined : await loadSqlite();
  start(openIndexIn(folder, settings.maxBytes, database, say));
} catch (error) {
  const isExpected = error instanceof BoundaryError;
  tell({ kind: 'unusable', code: codeOf(error), message: isExpected ? error.message : undefined });
}
