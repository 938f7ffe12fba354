import type { GraphChange } from '../../client/change-log.ts';
import type { Client } from '../../client/client.ts';
import type { LiveGraph } from '../../client/live-graph.ts';
import type { ViewRequest } from '../../client/view-request.ts';
import type { ExplanationNode } from '../../model/node.ts';
import { print, toJson } from '../output.ts';
import { errorMessage, figuresOf, nameOf, remarkOf, saidOf } from '../terminal/describe-node.ts';
import { duration } from '../../model/figures.ts';
import type { Span } from '../terminal/line.ts';
import type { Paint } from '../terminal/line.ts';
import { plainText } from '../terminal/plain-text.ts';

export interface PlainWatchOptions {
  readonly client: Client;
  readonly view: ViewRequest;
  readonly json: boolean;
  readonly paint: Paint;
  /** Whether nothing more is to come. Absent: until a signal comes. */
  readonly isOver?: IsOver | undefined;
}

export type IsOver = (shown: readonly ExplanationNode[]) => boolean;

/** One line for each change, until a signal comes or all is there. @throws ClientError when the service refuses the view for good */
export async function plainWatch({ client, view, json, paint, isOver }: PlainWatchOptions): Promise<void> {
  const live = client.subscribe(view);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => live.close());
  tellConnection(live);
  tellNotices(live);
  // A reader that is slower than the changes gets several as one.
  for await (const change of live) {
    const lines = json ? jsonLines(change) : plainChanges(change, paint);
    if (lines.length > 0) await print(`${lines.join('\n')}\n`);
    if (isOver?.(live.graph.mapNodes((_id, node) => node)) === true) break;
  }
}

/** On standard error, so that the output is the graph's alone. */
function tellConnection(live: LiveGraph): void {
  let wasLost = false;
  const say = (text: string): void => void process.stderr.write(`# ${text}\n`);
  live.on('state', ({ state, retryInMs }) => {
    if (state === 'waiting') {
      say(`connection lost; trying again in ${duration(retryInMs ?? 0)}`);
      wasLost = true;
    } else if (state === 'live' && wasLost) {
      say('connected again; what changed meanwhile follows');
      wasLost = false;
    }
  });
}

/** What the graph lacks, or is put together of: each sentence when it comes and when it no longer holds. */
function tellNotices(live: LiveGraph): void {
  let before: readonly string[] = [];
  live.on('notices', (notices) => {
    for (const line of noticeLines(before, notices)) process.stderr.write(`${line}\n`);
    before = notices;
  });
}

/** Pure: what is over, then what is new. */
export function noticeLines(before: readonly string[], now: readonly string[]): readonly string[] {
  return [
    ...before.filter((notice) => !now.includes(notice)).map((notice) => `# over: ${plainText(notice)}`),
    ...now.filter((notice) => !before.includes(notice)).map((notice) => `# note: ${plainText(notice)}`),
  ];
}

/** Pure: one object a line; edges too. */
export function jsonLines({ nodes, edges }: GraphChange): readonly string[] {
  return [
    ...edges.removed.map(({ id }) => toJson({ op: 'removed', edgeId: id })),
    ...nodes.removed.map(({ id }) => toJson({ op: 'removed', nodeId: id })),
    ...nodes.added.map((node) => toJson({ op: 'added', node })),
    ...nodes.changed.map((node) => toJson({ op: 'changed', node })),
    ...edges.added.map((edge) => toJson({ op: 'added', edge })),
    ...edges.changed.map((edge) => toJson({ op: 'changed', edge })),
  ];
}

/** Pure: `+`, `~` or `-` and the step. */
export function plainChanges({ nodes }: GraphChange, paint: Paint): readonly string[] {
  const sign = (text: string, style: Span['style'], list: readonly ExplanationNode[]): readonly string[] =>
    list.map((node) => `${paint(style, text)} ${changeLine(node, paint)}`);
  return [
    ...sign('-', 'gray', nodes.removed),
    ...sign('+', 'green', nodes.added),
    ...sign('~', 'yellow', nodes.changed),
  ];
}

const STATUS_STYLES = { OK: 'green', ERROR: 'red', WARNING: 'yellow', SKIPPED: 'gray' } as const;

/** With words instead of signs, for grep: `ERROR TEST_RUN "unit tests" agent=… task=… id=…`. */
function changeLine(node: ExplanationNode, paint: Paint): string {
  const { status, state, type, agent, model, taskId, id, timestamp } = node;
  const message = errorMessage(node);
  const remark = remarkOf(node);
  const said = saidOf(node);
  return [
    timestamp,
    state === 'ENDED' ? paint(STATUS_STYLES[status], status) : paint('cyan', state),
    paint('bold', type),
    `"${nameOf(node)}"`,
    `agent=${plainText(agent)}`,
    ...(model === undefined ? [] : [`model=${plainText(model)}`]),
    ...(message === undefined ? [] : [paint('red', `error="${message}"`)]),
    ...(remark === undefined ? [] : [`about="${remark}"`]),
    ...(said === undefined ? [] : [paint('yellow', `said=${said}`)]),
    figuresOf(node).join('  '),
    `task=${plainText(taskId)}`,
    `id=${plainText(id)}`,
  ]
    .filter((word) => word !== '')
    .join('  ');
}
