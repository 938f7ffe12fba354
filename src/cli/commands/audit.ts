import { DEFAULT_PROJECT } from '../../model/project-name.ts';
import { failure, wrongUsage } from '../cli-error.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { print, toJson } from '../output.ts';
import { parseArguments, splitArguments, verbMissing } from '../arguments.ts';
import { askHttp } from '../ask-http.ts';
import { CONNECTION_OPTIONS, targetOf } from '../reader-options.ts';
import { plainText } from '../terminal/plain-text.ts';
import { tableLines } from '../terminal/table.ts';
import { CONFIG_OPTIONS } from './service.ts';

/** As many as a screen or two show. */
const DEFAULT_LIMIT = 50;
const VERIFY_OPTIONS = {
  title: 'Options of verify',
  options: [{ name: 'project', value: 'NAME', help: 'those of this project, not of the default one' }],
};
const LIST_OPTIONS = {
  title: 'Options of list',
  options: [
    { name: 'limit', value: 'N', help: `how many, the newest first (default: ${DEFAULT_LIMIT})` },
    { name: 'json', help: 'one JSON object a line' },
  ],
};

export const audit: Command = {
  name: 'audit',
  summary: 'list who came in, was refused and did what, or check the audit logs',
  usage: '(list | verify) [options]',
  about: [
    'list: what a running service has on record in the project of the administrator whose key is sent: log-ins, refusals, changes of keys, reveals, overrides, erasures, prunes, changed adaptations and replays, with when, who and from where.',
    'verify: follows the chain of hashes through both audit logs of the data folder, what was hidden (audit.ndjson) and who looked behind it (audit-access.ndjson), up to the signed heads. Says OK with counts, or the first entry that does not fit and why (exit code 1). The service may be running.',
    'What it proves: whoever lacks the file redaction.key cannot have changed, added or taken out anything. Who has it can write the logs anew: keep the data folder for the service alone.',
  ],
  options: [VERIFY_OPTIONS, CONFIG_OPTIONS, LIST_OPTIONS, CONNECTION_OPTIONS],
  examples: [
    {
      line: 'explainability-agent audit list --limit 20',
      what: 'the newest ($EXPLAINABILITY_AGENT_TOKEN is the admin key)',
    },
    { line: 'explainability-agent audit verify', what: 'the default data folder' },
    { line: 'explainability-agent audit verify --data-dir /data', what: 'another one' },
  ],
  run: async ([verb, ...args]) => {
    if (verb === 'verify') return verify(args);
    if (verb === 'list') return list(args);
    throw verbMissing(verb, 'audit list, or audit verify');
  },
};

/** An entry as the service tells it; what is not known of it is absent. */
interface Entry {
  readonly [name: string]: string | number | undefined;
}

async function list(args: readonly string[]): Promise<number> {
  const parsed = parseArguments([LIST_OPTIONS, CONNECTION_OPTIONS], args, 0);
  const limit = parsed.text('limit') ?? String(DEFAULT_LIMIT);
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > 1000)
    throw wrongUsage('--limit must be a whole number from 1 to 1000');
  const { entries } = await askHttp<{ readonly entries: readonly Entry[] }>(
    targetOf(parsed),
    'GET',
    `/api/audit?limit=${limit}`,
  );
  if (parsed.has('json')) await print(entries.map((entry) => `${toJson(entry)}\n`).join(''));
  else if (entries.length === 0) await print('There is nothing on record.\n');
  else await print(`${tableLines([HEAD, ...entries.map(rowOf)]).join('\n')}\n`);
  return EXIT.ok;
}

const HEAD = ['time', 'what', 'outcome', 'who', 'from', 'about', 'why'];

function rowOf(entry: Entry): readonly string[] {
  const { time, action, event, outcome, who, name, from, node, values, why, notWrittenBefore } = entry;
  const times = Number(time);
  const about = values === undefined ? node : `${node} (${values})`;
  const more = notWrittenBefore === undefined ? '' : `; ${notWrittenBefore} more before`;
  return [
    Number.isFinite(times) ? new Date(times).toISOString() : undefined,
    action ?? event,
    outcome,
    name === undefined || name === who ? who : `${who} (${name})`,
    from,
    about,
    why === undefined ? undefined : `${why}${more}`,
  ].map((cell) => plainText(String(cell ?? '-')));
}

async function verify(args: readonly string[]): Promise<number> {
  const { loadSettings } = await import('../load-settings.ts');
  const { AUDIT_FILES } = await import('../../redaction/audit-log.ts');
  const { verifyAuditFolder } = await import('../../redaction/audit-log-verify.ts');
  const { projectOnDisk } = await import('../../service/project/project-config.ts');
  const { parsed, rest, own } = splitArguments([VERIFY_OPTIONS], args, 0);
  const project = parsed.text('project') ?? DEFAULT_PROJECT;
  const settings = loadSettings(rest, own);
  if (settings === undefined) return EXIT.badConfiguration;
  const { dataDir } = named(() => projectOnDisk(settings.config, project));
  const verdicts = await verifyAuditFolder(dataDir, AUDIT_FILES).catch((error: unknown) => {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw failure(
      code === 'ENOENT'
        ? `there is no redaction.key in ${dataDir}: name the data folder of the service with --data-dir`
        : `the audit logs in ${dataDir} cannot be read (${code})`,
    );
  });
  for (const { file, entries, problem, notes } of verdicts) {
    const count = entries === 1 ? '1 entry' : `${entries} entries`;
    await print(
      `${file}: ${problem === undefined ? `OK, ${count}` : `BROKEN after ${count}: ${plainText(problem)}`}\n`,
    );
    for (const note of notes) await print(`  note: ${plainText(note)}\n`);
  }
  return verdicts.some(({ problem }) => problem !== undefined) ? EXIT.crash : EXIT.ok;
}

/** @throws CliError in place of what says that there is no such project */
function named<T>(find: () => T): T {
  try {
    return find();
  } catch (error) {
    throw failure(error instanceof Error ? error.message : 'unknown');
  }
}
