import { DEFAULT_PROJECT } from '../../model/project-name.ts';
import { askHttp } from '../ask-http.ts';
import { failure, wrongUsage } from '../cli-error.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { parseArguments, splitArguments, type Arguments } from '../arguments.ts';
import { print, toJson } from '../output.ts';
import { CONNECTION_OPTIONS, targetOf } from '../reader-options.ts';
import { plainText } from '../terminal/plain-text.ts';
import { CONFIG_OPTIONS } from './service.ts';

/** What was removed, as the service says it. */
interface Erased {
  readonly tasks: readonly string[];
  readonly nodesInMemory: number;
  readonly nodesArchived: number;
  readonly originalsOfTasks: number;
}

type Target = { readonly taskId: string } | { readonly userId: string };

const OWN_OPTIONS = {
  title: 'Options',
  options: [
    { name: 'task', value: 'ID', help: 'everything of this task' },
    { name: 'user', value: 'ID', help: 'every task in which a step names this user' },
    { name: 'offline', help: 'in the data folder itself, without a service' },
    { name: 'project', value: 'NAME', help: 'with --offline: in this project, not the default one' },
    { name: 'json', help: 'the answer as JSON' },
  ],
};
const ONLINE_OPTIONS = [OWN_OPTIONS, CONNECTION_OPTIONS];

export const erase: Command = {
  name: 'erase',
  summary: 'remove a task, or all tasks of a user, for good',
  usage: '[--offline [--project NAME]] --task ID | --user ID [--json] [options]',
  about: [
    'Removes it from memory, the log, its index, the readable snapshot and the vault, and says what was removed. A running service does it for its administrator (auth.adminToken).',
    'With --offline it is done in the data folder itself; the service must be stopped. What was copied elsewhere, and the audit logs, which hold no values, are not touched.',
  ],
  options: [...ONLINE_OPTIONS, CONFIG_OPTIONS],
  examples: [
    { line: 'explainability-agent erase --task T012', what: 'one task, through the running service' },
    { line: 'explainability-agent erase --offline --user u-17 --data-dir /data', what: 'without one' },
    { line: 'explainability-agent erase --offline --project team-a --task T012', what: 'in a project' },
  ],
  run: async (args) => (args.includes('--offline') ? offline(args) : online(args)),
};

async function online(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(ONLINE_OPTIONS, args, 0);
  const what = targetFrom(parsed);
  if (parsed.text('project') !== undefined)
    throw wrongUsage('--project goes with --offline: a running service erases in the project of the key');
  const answer = await askHttp<Erased>(targetOf(parsed), 'POST', '/api/erase', what);
  return show(answer, parsed);
}

async function offline(args: readonly string[]): Promise<number> {
  const { loadSettings } = await import('../load-settings.ts');
  const { eraseOffline } = await import('../../service/erase-offline.ts');
  const { createPinoLogger } = await import('../../telemetry/pino-logger.ts');
  const { projectOnDisk } = await import('../../service/project/project-config.ts');
  const { checkFolderOfOne } = await import('../../service/supervisor/cell-folders.ts');
  const { parsed, rest, own } = splitArguments([OWN_OPTIONS], args, 0);
  const what = targetFrom(parsed);
  const settings = loadSettings(rest, own);
  if (settings === undefined) return EXIT.badConfiguration;
  try {
    await checkFolderOfOne(settings.config.dataDir);
    const config = projectOnDisk(settings.config, parsed.text('project') ?? DEFAULT_PROJECT);
    return await show(await eraseOffline(config, createPinoLogger({ level: 'error' }), what), parsed);
  } catch (error) {
    throw failure(error instanceof Error ? error.message : 'unknown');
  }
}

function targetFrom(parsed: Arguments): Target {
  const [task, user] = [parsed.text('task'), parsed.text('user')];
  if (task !== undefined && user === undefined && task !== '') return { taskId: task };
  if (user !== undefined && task === undefined && user !== '') return { userId: user };
  throw wrongUsage('say what to erase: --task ID, or --user ID');
}

async function show(erased: Erased, parsed: Arguments): Promise<number> {
  const { tasks, nodesInMemory, nodesArchived, originalsOfTasks } = erased;
  if (parsed.has('json')) await print(`${toJson(erased)}\n`);
  else if (tasks.length === 0) await print('Nothing was found, so nothing was removed.\n');
  else {
    await print(
      `Removed for good: ${tasks.length === 1 ? '1 task' : `${tasks.length} tasks`}, ${nodesInMemory} nodes in memory, ${nodesArchived} archived nodes, the originals of ${originalsOfTasks} tasks.\n`,
    );
    for (const task of tasks) await print(`  ${plainText(task)}\n`);
  }
  return EXIT.ok;
}
