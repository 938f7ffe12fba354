import { resolve } from 'node:path';
import type { ExplanationNode } from '../src/model/node.ts';
import { plainTable } from '../test/integration/recordings/plain-table.ts';
import { startLiveService, type LiveService } from '../test/integration/recordings/live-service.ts';
import { annotatedRuns, type AnnotatedRun } from './why/annotated-run.ts';
import { isOfStep, plainNamings, randomHit, stepsOf } from './why/naming.ts';

/**
 * Sends annotated failed runs through the real service, asks why each task failed, and prints how often the annotated
 * step is among the first, three and five candidates, its agent that of the first candidate, and the step visible in
 * the default view; beside ways to name steps that know nothing of causes. An annotation is an opinion.
 * Usage: why.bench.ts [FOLDER] [--misses]
 */
const [folderArgument = '../shared/data/failures', ...flags] = process.argv.slice(2);
const SETS = annotatedRuns(resolve(folderArgument));

/** The least shares, in percent: of step in the first five by part, of agent, of visible, of folded. */
const TARGETS = { top5: { AG: 85, HC: 55 }, agent: 55, visible: 95, folded: 80 } as const;
const LONG_MESSAGES = 50;

interface Score {
  readonly top1: number;
  readonly top3: number;
  readonly top5: number;
  readonly agent: number;
}

interface Measured {
  readonly run: AnnotatedRun;
  readonly scores: Readonly<Record<string, Score>>;
  readonly visible: boolean;
  readonly folded: number;
}

if (SETS.size === 0)
  console.log(`no runs: there is none in ${folderArgument}; give the folder as the argument`);
const all: Measured[] = [];
for (const [name, runs] of SETS) {
  const measured = await measureSet(runs);
  all.push(...measured);
  console.log(`\n${name}: ${runs.length} runs`);
  for (const line of plainTable(rowsOf(measured))) console.log(line);
  if (flags.includes('--misses'))
    for (const { run, scores, visible } of measured)
      if (scores['why']?.top5 === 0 || !visible)
        console.log(
          `  ${run.taskId}: ${scores['why']?.top5 === 0 ? 'not named ' : ''}${visible ? '' : 'hidden'}`,
        );
}
if (all.length > 0) check();

async function measureSet(runs: readonly AnnotatedRun[]): Promise<Measured[]> {
  const service = await startLiveService();
  try {
    const measured: Measured[] = [];
    for (const run of runs) measured.push(await measure(service, run));
    return measured;
  } finally {
    await service.stop();
  }
}

async function measure(service: LiveService, run: AnnotatedRun): Promise<Measured> {
  const problem = await service.send(Buffer.from(JSON.stringify(run.otlp)), 'application/json');
  if (problem !== undefined) throw new Error(`${run.taskId}: ${problem}`);
  const answer = await service.why({ taskId: run.taskId });
  const whole = await service.graph(new Set(tracesOf(answer.nodeId)));
  const byId = new Map(whole.nodes.map((node) => [node.id, node]));
  const named = answer.candidates.map(({ nodeId }) => byId.get(nodeId)).filter((node) => node !== undefined);
  const steps = stepsOf(whole);
  const texts = new Map<string, string>();
  for (const { id } of steps) {
    const { completion = '', toolResult = '' } = (await service.node(id)).texts ?? {};
    texts.set(id, completion + toolResult);
  }
  const scores: Record<string, Score> = { random: randomScore(run, steps) };
  for (const [name, nodes] of Object.entries(plainNamings(steps, ({ id }) => texts.get(id) ?? '')))
    scores[name] = scoreOf(run, nodes);
  scores['why'] = scoreOf(run, named);
  const shown = (await service.defaultView(run.taskId)).nodes.filter(({ type }) => type !== 'SUMMARY');
  return {
    run,
    scores,
    visible: shown.some((node) => isOfStep(run, node)),
    folded: 1 - shown.length / whole.nodes.length,
  };
}

function tracesOf(nodeId: string): string[] {
  return [nodeId.split(':')[0] ?? ''];
}

function scoreOf(run: AnnotatedRun, nodes: readonly ExplanationNode[]): Score {
  const at = nodes.findIndex((node) => isOfStep(run, node));
  const within = (n: number): number => (at >= 0 && at < n ? 1 : 0);
  return {
    top1: within(1),
    top3: within(3),
    top5: within(5),
    agent: nodes[0]?.agent === run.expected.agent ? 1 : 0,
  };
}

function randomScore(run: AnnotatedRun, steps: readonly ExplanationNode[]): Score {
  const right = steps.filter((node) => isOfStep(run, node)).length;
  const top = (n: number): number => randomHit(steps.length, right, n);
  const ofAgent = steps.filter(({ agent }) => agent === run.expected.agent).length;
  return { top1: top(1), top3: top(3), top5: top(5), agent: ofAgent / Math.max(1, steps.length) };
}

function rowsOf(measured: readonly Measured[]) {
  const names = Object.keys(measured[0]?.scores ?? {});
  return names.map((name) => {
    const of = (field: keyof Score): string =>
      percent(mean(measured.map(({ scores }) => scores[name]?.[field] ?? 0)));
    const isWhy = name === 'why';
    return {
      named: name,
      'top 1': of('top1'),
      'top 3': of('top3'),
      'top 5': of('top5'),
      agent: of('agent'),
      visible: isWhy ? percent(mean(measured.map(({ visible }) => (visible ? 1 : 0)))) : '',
      folded: isWhy ? percent(mean(measured.map(({ folded }) => folded))) : '',
    };
  });
}

/** Top 1 is reported only: people do not agree on it either. */
function check(): void {
  const why = ({ scores }: Measured): Score | undefined => scores['why'];
  const long = all.filter(({ run }) => run.steps > LONG_MESSAGES);
  const checks: [what: string, is: number, least: number][] = [
    ...Object.entries(TARGETS.top5).map(([part, least]): [string, number, number] => {
      const of = all.filter(({ run }) => run.part === part);
      return [`step in the first five, ${part}`, mean(of.map((one) => why(one)?.top5 ?? 0)), least];
    }),
    ['agent of the first candidate', mean(all.map((one) => why(one)?.agent ?? 0)), TARGETS.agent],
    ['annotated step visible', mean(all.map(({ visible }) => (visible ? 1 : 0))), TARGETS.visible],
    [
      `folded of ${long.length} runs with more than ${LONG_MESSAGES} messages`,
      mean(long.map(({ folded }) => folded)),
      TARGETS.folded,
    ],
  ];
  console.log('');
  for (const [what, is, least] of checks) {
    const isMet = is * 100 >= least;
    if (!isMet) process.exitCode = 1;
    console.log(`${isMet ? 'ok    ' : 'MISSED'}  ${percent(is).padStart(6)}  (at least ${least} %)  ${what}`);
  }
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 1 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}
