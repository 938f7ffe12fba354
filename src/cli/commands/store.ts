import { DEFAULT_PROJECT } from '../../model/project-name.ts';
import { failure } from '../cli-error.ts';
import { splitArguments, verbMissing } from '../arguments.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { print, toJson } from '../output.ts';
import { plainText } from '../terminal/plain-text.ts';
import { CONFIG_OPTIONS } from './service.ts';

const OWN_OPTIONS = {
  title: 'Options',
  options: [
    { name: 'out', value: 'FILE', help: 'of export: where to; nothing is overwritten' },
    { name: 'json', help: 'the answer as JSON' },
  ],
};

export const store: Command = {
  name: 'store',
  summary: 'move what a stopped cell has stored to another one',
  usage: '(export --out FILE | import FILE) [--json] [options]',
  about: [
    'export: writes all records of the data folder, of all its projects, into one file, compressed, for its owner alone. import: puts what such a file has into another data folder, beside what is there; done twice, or after an interruption, it changes nothing more.',
    'Both services must be stopped. Texts are as they are stored: redacted. Not moved: originals in the vault and what an administrator had shown by them, audit logs, keys, adaptations, and the files of ThoughtFlow sessions that are over.',
    'Under another redaction.key hidden values have other markers than before, the same for one value throughout a task. What was stored counts for persistRetentionDays from the import on.',
  ],
  options: [OWN_OPTIONS, CONFIG_OPTIONS],
  examples: [
    {
      line: 'explainability-agent store export --data-dir /data/cell-2 --out cell-2.store.gz',
      what: 'the cell that is taken out',
    },
    {
      line: 'explainability-agent store import --data-dir /data/cell-0 cell-2.store.gz',
      what: 'the cell that shows its tasks from now on',
    },
  ],
  run: async ([verb, ...args]) => {
    const { parsed, rest, own } = splitArguments([OWN_OPTIONS], args, 1);
    const [file] = parsed.positionals;
    const out = parsed.text('out');
    const isComplete = verb === 'export' ? file === undefined : verb === 'import' && out === undefined;
    const path = out ?? file;
    if (!isComplete || path === undefined || path === '')
      throw verbMissing(verb, 'store export --out FILE, or store import FILE');
    return run(verb === 'export', path, parsed.has('json'), [rest, own]);
  },
};

async function run(
  isExport: boolean,
  path: string,
  json: boolean,
  settingsOf: readonly [argv: readonly string[], own: readonly string[]],
): Promise<number> {
  const { loadSettings } = await import('../load-settings.ts');
  const { exportStore, importStore } = await import('../../service/moved-store.ts');
  const { createPinoLogger } = await import('../../telemetry/pino-logger.ts');
  const settings = loadSettings(...settingsOf);
  if (settings === undefined) return EXIT.badConfiguration;
  const logger = createPinoLogger({ level: 'error' });
  const lines: string[] = [];
  const answer = await (async () => {
    if (isExport) {
      const exported = await exportStore(settings.config, logger, path);
      lines.push(`Written to ${path}: ${countsOf(exported)}.`);
      return exported;
    }
    const imported = await importStore(settings.config, logger, path);
    lines.push(`In ${settings.config.dataDir} now: ${countsOf(imported)}.`);
    for (const project of imported.otherKeys)
      lines.push(
        `note: ${project === DEFAULT_PROJECT ? 'redaction.key is another here' : `redaction.key of the project ${project} is another here`}: hidden values have other markers than before`,
      );
    if (imported.isOverFull)
      lines.push('note: that is more than maxStoreBytes: raise it, or the oldest tasks go at the next start');
    return imported;
  })().catch((error: unknown) => {
    throw failure(error instanceof Error ? error.message : 'unknown');
  });
  await print(json ? `${toJson(answer)}\n` : `${lines.map(plainText).join('\n')}\n`);
  return EXIT.ok;
}

function countsOf({
  records,
  projects,
}: {
  readonly records: number;
  readonly projects: readonly string[];
}): string {
  const named = projects.filter((name) => name !== DEFAULT_PROJECT);
  return `${records === 1 ? '1 record' : `${records} records`}${named.length === 0 ? '' : `, with those of ${named.join(', ')}`}`;
}
