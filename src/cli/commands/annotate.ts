import { annotationsOf, VERDICTS, type Annotation, type NewAnnotation } from '../../model/annotation.ts';
import { wrongUsage } from '../cli-error.ts';
import { printAnswer } from '../output.ts';
import type { Arguments } from '../arguments.ts';
import { readerCommand } from '../reader-command.ts';
import { withClient, type Target } from '../reader-options.ts';
import { plainText } from '../terminal/plain-text.ts';

const JSON_OPTION = { name: 'json', help: 'as JSON' };

export const annotate = readerCommand({
  name: 'annotate',
  summary: 'say something of a step, or list what was said',
  usage: 'NODE ["TEXT"] [options]',
  about: [
    'A note, unless you say otherwise. It stands on the graph, all readers see it, and the step stays in sight. Without a text and options: what stands.',
    'It needs the right "annotate", which analysts and operators have.',
  ],
  options: [
    {
      title: 'Options',
      options: [
        { name: 'question', help: 'it is a question' },
        { name: 'verdict', value: 'V', help: `${VERDICTS.join(', ')}; a text may say why` },
        { name: 'replaces', value: 'ID', help: 'in place of an earlier one of yours' },
        { name: 'withdraw', value: 'ID', help: 'take an earlier one of yours back' },
        JSON_OPTION,
      ],
    },
  ],
  examples: [
    { line: 'explainability-agent annotate req:r1 "look at the second try"', what: 'a note' },
    { line: 'explainability-agent annotate req:r1 --verdict wrong', what: 'what you think of it' },
    { line: 'explainability-agent annotate req:r1', what: 'what stands' },
  ],
  maxWords: 2,
  run: async (args, target) => {
    const [nodeId] = args.positionals;
    if (nodeId === undefined) throw wrongUsage('say which step: its id');
    const said = saidIn(args);
    if (said) return say(args, target, nodeId, said);
    const { node } = await withClient(target, (client) => client.getNode(nodeId));
    const standing = annotationsOf(node);
    return printAnswer(args, standing, () => linesOf(standing));
  },
});

export const approve = answerCommand('approve', 'approved', [
  { name: 'option', value: 'TEXT', help: 'what you choose, where the agent gave options' },
]);
export const deny = answerCommand('deny', 'denied', []);

function answerCommand(
  name: 'approve' | 'deny',
  decision: 'approved' | 'denied',
  more: readonly { readonly name: string; readonly value: string; readonly help: string }[],
) {
  return readerCommand({
    name,
    summary: `${name} what an agent asks, or a step`,
    usage: 'NODE ["TEXT"] [options]',
    about: [
      'An agent that waits for an approval is told at once, with your text. The first answer counts: with 1 ends who comes later, and is told who was first.',
      'It needs the right "interrupt", which operators have.',
    ],
    options: [{ title: 'Options', options: [...more, JSON_OPTION] }],
    examples: [
      {
        line: `explainability-agent ${name} event:approval:7be4… "${decision === 'approved' ? 'but not the database' : 'not on a Friday'}"`,
        what: 'a waiting agent',
      },
    ],
    maxWords: 2,
    run: async (args, target) => {
      const [nodeId, text] = args.positionals;
      if (nodeId === undefined) throw wrongUsage('say what: the id of the step that waits');
      const option = more.length > 0 ? args.text('option') : undefined;
      return say(args, target, nodeId, { kind: 'approval', decision, text, option });
    },
  });
}

async function say(args: Arguments, target: Target, nodeId: string, said: NewAnnotation): Promise<number> {
  const state = await withClient(target, (client) => client.annotate(nodeId, said));
  return printAnswer(args, state, () => [
    `${state.verdict ?? state.decision ?? state.kind} by ${plainText(state.by)}. On the graph: ${plainText(state.nodeId)}`,
  ]);
}

/** undefined when nothing is to be said. */
function saidIn(args: Arguments): NewAnnotation | undefined {
  const [, text] = args.positionals;
  const [verdict, withdrawn, replaces] = ['verdict', 'withdraw', 'replaces'].map((name) => args.text(name));
  if ([verdict, withdrawn, args.has('question') || undefined].filter((one) => one !== undefined).length > 1)
    throw wrongUsage('one of --question, --verdict and --withdraw at a time');
  if (withdrawn !== undefined) return { kind: 'withdrawal', replaces: withdrawn, text };
  if (verdict !== undefined) {
    const known = VERDICTS.find((one) => one === verdict);
    if (known === undefined) throw wrongUsage(`--verdict must be one of ${VERDICTS.join(', ')}`);
    return { kind: 'verdict', verdict: known, text, replaces };
  }
  if (text !== undefined) return { kind: args.has('question') ? 'question' : 'note', text, replaces };
  if (replaces !== undefined || args.has('question')) throw wrongUsage('say what: a text after the step');
  return undefined;
}

function linesOf(standing: readonly Annotation[]): readonly string[] {
  if (standing.length === 0) return ['Nobody has said anything of this step.'];
  return standing.map(({ id, kind, verdict, decision, text, by, at }) => {
    const what = verdict ?? decision ?? kind;
    return `${at}  ${plainText(by ?? 'somebody')}: ${what}${text === undefined ? '' : ` — ${plainText(text)}`}  (${id})`;
  });
}
