import type { Client } from '../../client/client.ts';
import { ClientError } from '../../client/client-error.ts';
import { lastFailedTask, lastFailedTest } from '../../client/find-asked.ts';
import { count, duration } from '../../model/figures.ts';
import { kindWords } from '../../model/patterns.ts';
import { parseQuestion, QUESTIONS, type Question, type WhyAsked } from '../../model/question.ts';
import { failure, wrongUsage } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { assertKnownTasks } from '../known-tasks.ts';
import { printAnswer, told } from '../output.ts';
import { patternLines } from '../pattern-lines.ts';
import { readerCommand } from '../reader-command.ts';
import { withClient } from '../reader-options.ts';
import { nodeLine } from '../terminal/describe-node.ts';
import type { Line } from '../terminal/line.ts';
import { plainText } from '../terminal/plain-text.ts';
import { writtenLines } from '../terminal/written-lines.ts';
import { buildTaskTree } from '../watch/task-tree.ts';
import { whyLines } from '../why-lines.ts';
import { spikeTable, spikesWithNodes } from './spikes.ts';
import { summaryLines } from './summary.ts';

/** More words are no question. */
const MAX_WORDS = 100;

/** What there is to say, for people and for programs. */
interface Answer {
  readonly lines: readonly Line[];
  readonly json: object;
}

export const ask = readerCommand({
  name: 'ask',
  summary: 'answer a question that is put in words',
  usage: '"QUESTION" [--task ID] [--node ID] [--json]',
  about: [
    `Understood are, in these and other words: ${QUESTIONS.map((question) => `"${question}"`).join(', ')}.`,
    '"This test" is the failed test run that began last, unless the question, --task or --node says otherwise; where no task is named, the newest one is meant.',
    'Pruning takes a sentence of its own with one age, such as "older than 90 minutes".',
  ],
  options: [
    {
      title: 'Options',
      options: [
        { name: 'task', value: 'ID', help: 'the task that is asked about' },
        { name: 'node', value: 'ID', help: 'the step that "this" is' },
        { name: 'json', help: 'what was understood, and the answer, as JSON' },
      ],
    },
  ],
  examples: [
    { line: 'explainability-agent ask "Show me why this test failed"', what: 'the last failed test' },
    { line: 'explainability-agent ask "Highlight cost spikes" --task T012', what: 'of one task' },
  ],
  maxWords: MAX_WORDS,
  run: async (args, target) => {
    const text = args.positionals.join(' ');
    if (text.trim() === '') throw wrongUsage('put a question, such as "Show me why this test failed"');
    const understood = parseQuestion(text);
    if (!understood) {
      await printAnswer(args, { questions: QUESTIONS }, () => [
        'That is not understood. These questions are, in these and other words:',
        ...QUESTIONS.map((one) => `  ${one}`),
      ]);
      return EXIT.crash;
    }
    const question = {
      ...understood,
      ...given('taskId', args.text('task')),
      ...given('nodeId', args.text('node')),
    };
    const { lines, json } = await withClient(target, (client) => answerTo(client, question));
    return printAnswer(args, { question, answer: json }, () => writtenLines(lines));
  },
});

function given<Name extends string>(
  name: Name,
  value: string | undefined,
): { readonly [name in Name]?: string } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [name in Name]?: string };
}

async function answerTo(client: Client, question: Question): Promise<Answer> {
  switch (question.ask) {
    case 'why':
      return why(client, question);
    case 'patterns': {
      const { taskId, of } = question;
      if (taskId !== undefined) await assertKnownTasks(client, [taskId]);
      const found = told(await client.patterns(taskId === undefined ? {} : { taskIds: [taskId] }));
      const patterns = found.patterns.filter(({ what }) => of === undefined || kindWords(what)[0] === of);
      const json = { ...found, patterns };
      const none =
        of === undefined || patterns.some(({ errors }) => errors > 0) ? [] : [[{ text: `No ${of} failed.` }]];
      return { lines: [...none, ...patternLines(json).map((text) => [{ text }])], json };
    }
    case 'spikes': {
      const found = await spikesWithNodes(client, question.taskId);
      return { lines: spikeTable(found.answer, found.nodes).map((text) => [{ text }]), json: found.answer };
    }
    case 'prune': {
      const json = told(await client.prune(question.olderThanMinutes));
      const text = `${count(json.prunedNodes, 'node')} left memory: they had not changed for ${duration(question.olderThanMinutes * 60_000)}. They stay in the store, where there is one.`;
      return { lines: [[{ text }]], json };
    }
    case 'expand':
      return expand(client, question.taskId ?? (await newestTask(client)));
    case 'summary': {
      const json = told(await client.summary(question.taskId ?? (await newestTask(client))));
      return { lines: summaryLines(json), json };
    }
  }
}

async function why(client: Client, { about, name, taskId, nodeId }: WhyAsked): Promise<Answer> {
  const test =
    nodeId === undefined && about === 'test' ? await lastFailedTest(client, { taskId, name }) : undefined;
  const failed =
    taskId ?? (nodeId === undefined && !test ? (await lastFailedTask(client))?.taskId : undefined);
  if (nodeId === undefined && about === 'test' && !test) {
    const where = taskId === undefined ? '' : ' in this task';
    const other = failed === undefined ? '' : `; ask "Why did task ${plainText(failed)} fail?"`;
    throw failure(`no failed test${name === undefined ? '' : ' of that name'} is known${where}${other}`);
  }
  const asked = nodeId ?? test?.id;
  if (asked === undefined && failed === undefined) throw failure('nothing that is known has failed');
  const json = told(await client.why(asked ?? { taskId: failed ?? '' }));
  return { lines: whyLines(json), json };
}

/** Every step of a task, with its thoughts; each hangs from what led to it. */
async function expand(client: Client, taskId: string): Promise<Answer> {
  const json = told(await client.getGraph({ filters: { taskIds: [taskId] }, collapse: 'none' }));
  if (json.nodes.length === 0) throw new ClientError('NOT_FOUND', 'taskId: no task with this id is known');
  const inEdges = Map.groupBy(json.edges, ({ to }) => to);
  const { rows } = buildTaskTree(taskId, json.nodes, (id) => inEdges.get(id) ?? []);
  const steps = rows.map(({ node, guides }): Line => [{ text: guides, style: 'dim' }, ...nodeLine(node)]);
  return {
    lines: [[{ text: `Task ${plainText(taskId)}: ${count(rows.length, 'step')}`, style: 'bold' }], ...steps],
    json,
  };
}

async function newestTask(client: Client): Promise<string> {
  const [newest] = (await client.findTasks({ limit: 1 })).tasks;
  if (newest) return newest.taskId;
  throw failure('no task is known yet');
}
