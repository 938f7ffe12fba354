import { DEFAULT_PROJECT } from '../../model/project-name.ts';
import { failure, wrongUsage } from '../cli-error.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { print } from '../output.ts';
import { plainText } from '../terminal/plain-text.ts';
import { CONFIG_OPTIONS } from './service.ts';

export const audit: Command = {
  name: 'audit',
  summary: 'check that nobody has changed or shortened the audit logs',
  usage: 'verify [--project NAME] [--config PATH] [--data-dir PATH]',
  about: [
    'verify: follows the chain of hashes through both audit logs of the data folder, what was hidden (audit.ndjson) and who looked behind it (audit-access.ndjson), up to the signed heads. Says OK with counts, or the first entry that does not fit and why (exit code 1). The service may be running.',
    'What it proves: whoever lacks the file redaction.key cannot have changed, added or taken out anything. Who has it can write the logs anew: keep the data folder for the service alone.',
  ],
  options: [
    {
      title: 'Options',
      options: [{ name: 'project', value: 'NAME', help: 'those of this project, not of the default one' }],
    },
    CONFIG_OPTIONS,
  ],
  examples: [
    { line: 'explainability-agent audit verify', what: 'the default data folder' },
    { line: 'explainability-agent audit verify --data-dir /data', what: 'another one' },
  ],
  run: async ([verb, ...args]) => {
    if (verb === 'verify') return verify(args);
    throw wrongUsage('say what to do: audit verify');
  },
};

async function verify(args: readonly string[]): Promise<number> {
  const { loadSettings } = await import('../load-settings.ts');
  const { AUDIT_FILES } = await import('../../redaction/audit-log.ts');
  const { verifyAuditFolder } = await import('../../redaction/audit-log-verify.ts');
  const { projectOnDisk } = await import('../../service/project/project-config.ts');
  const { project, rest } = projectOf(args);
  const settings = loadSettings(rest);
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

/** What is not ours belongs to the configuration. */
function projectOf(args: readonly string[]): { readonly project: string; readonly rest: readonly string[] } {
  const at = args.indexOf('--project');
  if (at < 0) return { project: DEFAULT_PROJECT, rest: args };
  return { project: args[at + 1] ?? '', rest: args.toSpliced(at, 2) };
}

/** @throws CliError in place of what says that there is no such project */
function named<T>(find: () => T): T {
  try {
    return find();
  } catch (error) {
    throw failure(error instanceof Error ? error.message : 'unknown');
  }
}
