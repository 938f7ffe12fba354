import { wrongUsage } from '../cli-error.ts';
import { compareLines } from '../compare-lines.ts';
import { printAnswer, told } from '../output.ts';
import { readerCommand } from '../reader-command.ts';
import { withClient } from '../reader-options.ts';
import { painter, paintLine, wantsColours } from '../terminal/line.ts';

export const compare = readerCommand({
  name: 'compare',
  summary: 'show two tasks side by side: what differs, and where they part',
  usage: 'A B [--all] [--json]',
  about: [
    'Steps are put side by side by what contains them, their order, type, agent, and tool or name. Shown are those that are in one task only (- or +) or do something else (≠).',
  ],
  options: [
    {
      title: 'Options',
      options: [
        { name: 'all', help: 'every step: also those that differ in figures alone (~), or in nothing (=)' },
        { name: 'json', help: 'the answer as JSON' },
      ],
    },
  ],
  examples: [{ line: 'explainability-agent compare T012 T013', what: 'why one of them went well' }],
  maxWords: 2,
  run: async (args, target) => {
    const [a, b] = args.positionals;
    if (a === undefined || b === undefined)
      throw wrongUsage('name two tasks; "explainability-agent tasks" lists them');
    const answer = await withClient(target, async (client) => told(await client.compare(a, b)));
    const paint = painter(wantsColours(process.env, process.stdout.isTTY));
    return printAnswer(args, answer, () =>
      compareLines(answer, args.has('all')).map((line) => paintLine(line, paint).trimEnd()),
    );
  },
});
