import { adaptations } from './commands/adaptations.ts';
import { agUi } from './commands/ag-ui.ts';
import { annotate, approve, deny } from './commands/annotate.ts';
import { ask } from './commands/ask.ts';
import { audit } from './commands/audit.ts';
import { cells } from './commands/cells.ts';
import { certs } from './commands/certs.ts';
import { compare } from './commands/compare.ts';
import { config } from './commands/config.ts';
import { doctor } from './commands/doctor.ts';
import { erase } from './commands/erase.ts';
import { exportTasks } from './commands/export.ts';
import { get } from './commands/get.ts';
import { interrupt } from './commands/interrupt.ts';
import { keys } from './commands/keys.ts';
import { patterns } from './commands/patterns.ts';
import { redact } from './commands/redact.ts';
import { replay } from './commands/replay.ts';
import { send } from './commands/send.ts';
import { demo, serve } from './commands/service.ts';
import { spikes } from './commands/spikes.ts';
import { store } from './commands/store.ts';
import { summary } from './commands/summary.ts';
import { tasks } from './commands/tasks.ts';
import { watch } from './commands/watch.ts';
import { why } from './commands/why.ts';
import type { Command } from './command.ts';

/** Every command there is. The help, the suggestions and the dispatch are made from this table. */
export const COMMANDS: readonly Command[] = [
  serve,
  demo,
  watch,
  get,
  tasks,
  why,
  ask,
  spikes,
  compare,
  patterns,
  adaptations,
  summary,
  send,
  agUi,
  interrupt,
  annotate,
  approve,
  deny,
  replay,
  exportTasks,
  cells,
  doctor,
  config,
  certs,
  keys,
  audit,
  redact,
  erase,
  store,
];
